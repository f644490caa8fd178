; What a JSON file declares itself to be: manifests of packages name them in their outermost object.

(document (object (pair key: (string) @_key value: (string) @provides) (#eq? @_key "\"name\"")))
