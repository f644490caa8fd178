; Imports of Haskell.

(import module: (_) @import.specifier) @import
(import module: (_) @import.specifier alias: (_) @import.namespace)
((import
  module: (_) @import.specifier
  names: (import_list name: (import_name [
    variable: (_) @import.name
    type: (_) @import.name]))) @import
  (#not-match? @import "\\shiding\\s*\\("))

(header module: (_) @provides)
