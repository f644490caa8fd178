; Imports of Go.

(import_spec path: (_) @import.specifier) @import
(import_spec name: (package_identifier) @import.namespace path: (_) @import.specifier)
(import_spec name: (dot) @import.wildcard path: (_) @import.specifier)

(package_clause (package_identifier) @provides)
