; Imports of Scala. A path is written as its parts; a statement may name several.

(import_declaration ["import" ","]
  . path: (_) @import.specifier . ("." . path: (_) @import.specifier)* . [(namespace_wildcard) "," "."]?) @import
(import_declaration ["import" ","]
  . path: (_) @import.specifier . ("." . path: (_) @import.specifier)*
  . "." . (namespace_wildcard) @import.wildcard)
(import_declaration ["import" ","]
  . path: (_) @import.specifier . ("." . path: (_) @import.specifier)*
  . "." . (namespace_selectors (identifier) @import.name))
(import_declaration ["import" ","]
  . path: (_) @import.specifier . ("." . path: (_) @import.specifier)*
  . "." . (namespace_selectors [
    (as_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)
    (arrow_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)]))
(import_declaration ["import" ","]
  . path: (_) @import.specifier . ("." . path: (_) @import.specifier)*
  . "." . (namespace_selectors (namespace_wildcard) @import.wildcard))
(import_declaration ["import" ","]
  . path: (_) @import.specifier . ("." . path: (_) @import.specifier)*
  . "." . [
    (as_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)
    (arrow_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)])

; Clauses add up: `package a` above `package b` is `a.b`.
(package_clause name: (_) @provides.inside body: (_))
(package_clause name: (_) @provides.following !body)
(package_object name: (_) @provides.inside)
