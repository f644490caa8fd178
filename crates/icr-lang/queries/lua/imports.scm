; Imports of Lua: literal paths only, in whatever form the call is written.

(function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (_) @import.specifier) .)
  (#eq? @_require "require")) @import
(function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (_) @import.specifier) .)
  (#any-of? @_require "dofile" "loadfile")) @import @import.include
(function_call
  name: (identifier) @_protected
  arguments: (arguments . (identifier) @_require . (string content: (_) @import.specifier))
  (#any-of? @_protected "pcall" "xpcall") (#eq? @_require "require")) @import

; What the module, or a part of it, is called here.
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.namespace .)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (_) @import.specifier) .)) .))
  (#eq? @_require "require")) @import
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @import.alias .)
  (expression_list . value: (dot_index_expression
    table: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (_) @import.specifier) .))
    field: (_) @import.name) .))
  (#eq? @_require "require")) @import
