; What a TOML file declares itself to be: manifests name packages and libraries.

(table
  (bare_key) @_table
  (pair . (bare_key) @_key (string) @provides)
  (#any-of? @_table "package" "project" "lib") (#eq? @_key "name"))
