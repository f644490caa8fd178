; Definitions of Dart.

(class_declaration name: (_) @name body: (_) @body) @definition.class
(class_declaration "interface") @contract.interface
(class_declaration ["abstract" "sealed"]) @contract.abstract_class
(mixin_declaration name: (_) @name body: (_) @body) @definition.trait @contract.trait
(extension_declaration class: (type (type_identifier) @name . (type_arguments)? .) body: (_) @body) @definition.implementation
(extension_type_declaration name: (extension_type_name (identifier) @name) body: (_) @body) @definition.class
(enum_declaration name: (_) @name body: (_) @body) @definition.enum @contract.enum
(enum_entry name: (_) @name) @definition.variant
(type_alias (type_identifier) @name) @definition.type @contract.type_alias

(function_declaration signature: (_ name: (_) @name) body: (_)? @body) @definition.function
(local_function_declaration (function_signature name: (_) @name) (function_body)? @body) @definition.function
(getter_declaration signature: (_ name: (_) @name) body: (_)? @body) @definition.function
(setter_declaration signature: (_ name: (_) @name) body: (_)? @body) @definition.function
(external_function_declaration signature: (_ name: (_) @name)) @definition.function

; Of `Point.named` the last part is the name.
(method_declaration signature: (method_signature [
  (function_signature name: (_) @name)
  (getter_signature name: (_) @name)
  (setter_signature name: (_) @name)
  (operator_signature operator: (_) @name)
  (constructor_signature name: (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature name: (identifier) @name . (formal_parameter_list))])
  body: (_)? @body) @definition.function
(declaration [
  (function_signature name: (_) @name)
  (getter_signature name: (_) @name)
  (setter_signature name: (_) @name)
  (operator_signature operator: (_) @name)
  (constructor_signature name: (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature name: (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature name: (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature name: (identifier) @name . (formal_parameter_list))]) @definition.function
(declaration (initializers) @body)

(declaration (static_final_declaration_list (static_final_declaration name: (_) @name))) @definition.variable
(declaration (initialized_identifier_list (initialized_identifier name: (_) @name))) @definition.variable
(declaration (static_final_declaration_list (static_final_declaration value: (_) @body)))
(declaration (initialized_identifier_list (initialized_identifier value: (_) @body)))
(top_level_variable_declaration
  modifier: "const"
  (static_final_declaration_list (static_final_declaration name: (_) @name))) @definition.constant
(top_level_variable_declaration
  (static_final_declaration_list (static_final_declaration name: (_) @name))) @definition.variable
(top_level_variable_declaration
  (initialized_identifier_list (initialized_identifier name: (_) @name))) @definition.variable
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration value: (_) @body)))
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier value: (_) @body)))
