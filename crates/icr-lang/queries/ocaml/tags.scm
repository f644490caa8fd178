; Definitions of OCaml, of implementations and of interfaces.

(let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] (parameter) body: (_)? @body) @definition.function
(let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)] @body) @definition.function
(let_binding pattern: (value_name) @name body: (_)? @body) @definition.variable
(let_binding pattern: (tuple_pattern (value_name) @name)) @definition.variable
(let_binding pattern: (tuple_pattern) body: (_) @body)
(value_specification
  [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.variable
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function

(type_binding name: (type_constructor) @name body: (variant_declaration) @body) @definition.enum @contract.enum
(type_binding name: (type_constructor) @name body: (record_declaration) @body) @definition.struct @contract.struct
(type_binding name: (type_constructor) @name body: (_)) @definition.type @contract.type_alias
(type_binding name: (type_constructor) @name) @definition.type
(constructor_declaration (constructor_name) @name) @definition.variant
(field_declaration (field_name) @name) @definition.field
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.class

(module_binding (module_name) @name body: (_)? @body) @definition.module
(module_binding module_type: (signature) @body)
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface @contract.interface

(class_binding (class_name) @name body: (_)? @body) @definition.class
(class_type_binding (class_type_name) @name body: (_)? @body) @definition.interface @contract.interface
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name body: (_)? @body) @definition.field
