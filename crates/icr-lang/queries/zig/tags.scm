; Definitions of Zig. A type is a constant; what only names an import is none.

(variable_declaration . (identifier) @name (struct_declaration "{" @body)) @definition.struct @contract.struct
(variable_declaration . (identifier) @name (union_declaration "{" @body)) @definition.struct @contract.struct
(variable_declaration . (identifier) @name (opaque_declaration "{" @body)) @definition.struct @contract.struct
(variable_declaration . (identifier) @name (enum_declaration "{" @body)) @definition.enum @contract.enum
(variable_declaration . (identifier) @name (error_set_declaration "{" @body)) @definition.enum @contract.enum
(variable_declaration (error_set_declaration (identifier) @name @definition.variant))
(variable_declaration "var" . (identifier) @name "="? @body) @definition.variable
((variable_declaration "const" . (identifier) @name "="? @body) @definition.constant
  (#not-match? @definition.constant "^[^=]*=\\s*@import\\([^)]*\\)(\\.\\w+)?;"))

(function_declaration name: (_) @name body: (_)? @body) @definition.function

; Only values of an enumeration have no type.
(container_field name: (identifier) @name !type) @definition.variant
(container_field name: (identifier) @name type: (_)) @definition.field
(container_field "=" @body)
