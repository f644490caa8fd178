; Imports of JavaScript, also read for TypeScript.

(import_statement source: (string) @import.specifier) @import
(import_clause (identifier) @import.default)
(import_specifier name: _ @import.name alias: (_)? @import.alias)
(namespace_import (identifier) @import.namespace)

(export_statement source: (string) @import.specifier) @import @import.reexport
(export_statement "*" @import.wildcard source: (string) @import.specifier)
(export_specifier name: _ @import.name alias: _? @import.alias)
(namespace_export (_) @import.namespace)

; `require` and dynamic `import` of a literal.
(call_expression
  function: [(identifier) @_require (import)]
  arguments: (arguments . (string) @import.specifier)
  (#eq? @_require "require")) @import
(call_expression
  function: (import)
  arguments: (arguments . (string) @import.specifier)) @import
(variable_declarator
  name: (identifier) @import.namespace
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @import.specifier))
  (#eq? @_require "require")) @import
(variable_declarator
  name: (object_pattern)
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @import.specifier))
  (#eq? @_require "require")) @import
(object_pattern (shorthand_property_identifier_pattern) @import.name)
(object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias))
