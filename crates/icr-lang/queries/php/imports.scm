; Imports of PHP. What a `use` names is a module; files that are read in are inclusions.

(namespace_use_declaration) @import
(namespace_use_declaration (namespace_name) @import.scope body: (_))
(namespace_use_clause !alias [(name) (qualified_name)] @import.specifier)
(namespace_use_clause . [(name) (qualified_name)] @import.specifier alias: (_) @import.namespace)

(require_expression [
  (string) @import.specifier
  (encapsed_string . (string_content) @import.specifier .)
  (parenthesized_expression (string) @import.specifier)]) @import @import.include
(require_once_expression [
  (string) @import.specifier
  (encapsed_string . (string_content) @import.specifier .)
  (parenthesized_expression (string) @import.specifier)]) @import @import.include
(include_expression [
  (string) @import.specifier
  (encapsed_string . (string_content) @import.specifier .)
  (parenthesized_expression (string) @import.specifier)]) @import @import.include
(include_once_expression [
  (string) @import.specifier
  (encapsed_string . (string_content) @import.specifier .)
  (parenthesized_expression (string) @import.specifier)]) @import @import.include

(namespace_definition name: (_) @provides)

; Beside this file: the path behind `__DIR__` or `dirname(__FILE__)`.
((require_expression [
  (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier)
  (parenthesized_expression (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier))])
  (#any-of? @_here "__DIR__" "dirname(__FILE__)")) @import @import.include
((require_once_expression [
  (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier)
  (parenthesized_expression (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier))])
  (#any-of? @_here "__DIR__" "dirname(__FILE__)")) @import @import.include
((include_expression [
  (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier)
  (parenthesized_expression (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier))])
  (#any-of? @_here "__DIR__" "dirname(__FILE__)")) @import @import.include
((include_once_expression [
  (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier)
  (parenthesized_expression (binary_expression left: [(name) (function_call_expression)] @_here right: (string) @import.specifier))])
  (#any-of? @_here "__DIR__" "dirname(__FILE__)")) @import @import.include
