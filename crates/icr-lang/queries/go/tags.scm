; Definitions of Go.

(function_declaration name: (_) @name body: (_)? @body) @definition.function

; A method belongs to the type of its receiver.
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @receiver
  (generic_type type: (type_identifier) @receiver)
  (pointer_type (type_identifier) @receiver)
  (pointer_type (generic_type type: (type_identifier) @receiver))
  (parenthesized_type (pointer_type (type_identifier) @receiver))])))

(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @definition.struct @contract.struct
(type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface @contract.interface
(type_spec name: (_) @name) @definition.type @contract.type_alias
(type_alias name: (_) @name) @definition.type @contract.type_alias

(field_declaration name: (_) @name) @definition.field
(method_elem name: (_) @name) @definition.method

(const_spec (identifier) @name) @definition.constant
(const_spec value: (_) @body)
(var_spec (identifier) @name) @definition.variable
(var_spec value: (_) @body)
