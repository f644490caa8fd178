; Imports of Python.

(import_statement name: (dotted_name) @import.specifier) @import
(import_statement
  name: (aliased_import name: (dotted_name) @import.specifier alias: (_) @import.namespace)) @import

(import_from_statement) @import
(import_from_statement module_name: (_) @import.specifier name: (dotted_name) @import.name)
(import_from_statement
  module_name: (_) @import.specifier
  name: (aliased_import name: (_) @import.name alias: (_) @import.alias))
(import_from_statement module_name: (_) @import.specifier (wildcard_import) @import.wildcard)

(future_import_statement "__future__" @import.specifier name: (dotted_name) @import.name) @import

; Imports for type checkers only.
(if_statement
  condition: [(identifier) @_flag (attribute attribute: (identifier) @_flag)]
  consequence: (_) @scope.type_only
  (#eq? @_flag "TYPE_CHECKING"))
