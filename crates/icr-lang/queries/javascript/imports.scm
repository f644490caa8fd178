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

; One name of what is required: `require("./a").name`.
(variable_declarator
  name: (identifier) @import.alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string) @import.specifier))
    property: (property_identifier) @import.name)
  (#eq? @_require "require")) @import
(member_expression
  object: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @import.specifier))
  property: (property_identifier) @import.name
  (#eq? @_require "require")) @import

; A module that is what another one is: `module.exports = require("./a")`.
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports @import.wildcard)
  right: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @import.specifier)))
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require")) @import @import.reexport
