; Imports of Zig: files and packages alike, and files read as they are.

(builtin_function
  (builtin_identifier) @_import
  (arguments . (string (string_content) @import.specifier))
  (#eq? @_import "@import")) @import
(builtin_function
  (builtin_identifier) @_include
  (arguments . (string (string_content) @import.specifier))
  (#eq? @_include "@embedFile")) @import @import.include
(builtin_function
  (builtin_identifier) @_include
  (arguments . (string (string_content) @import.specifier))
  (#eq? @_include "@cInclude")) @import @import.system

; What the file, or a part of it, is called here.
(variable_declaration
  . (identifier) @import.namespace
  . (builtin_function
    (builtin_identifier) @_import
    (arguments . (string (string_content) @import.specifier)))
  (#eq? @_import "@import")) @import
(variable_declaration
  . (identifier) @import.alias
  . (field_expression
    object: (builtin_function
      (builtin_identifier) @_import
      (arguments . (string (string_content) @import.specifier)))
    member: (_) @import.name)
  (#eq? @_import "@import")) @import
(variable_declaration
  "pub"
  [(builtin_function (builtin_identifier) @_import)
   (field_expression object: (builtin_function (builtin_identifier) @_import))]
  (#eq? @_import "@import")) @import.reexport
(using_namespace_declaration
  (builtin_function
    (builtin_identifier) @_import
    (arguments . (string (string_content) @import.specifier)))
  (#eq? @_import "@import")) @import @import.wildcard
(using_namespace_declaration "pub") @import.reexport
