; Roles of identifiers in C++ besides those of C.

(namespace_identifier) @reference.other

(call_expression function: [
  (qualified_identifier name: (identifier) @reference.member)
  (qualified_identifier name: (qualified_identifier name: (identifier) @reference.member))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (identifier) @reference.member)))
  (template_function name: (identifier) @reference.call)
  (qualified_identifier name: (template_function name: (identifier) @reference.member))
  (qualified_identifier name: (qualified_identifier name: (template_function name: (identifier) @reference.member)))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (template_function name: (identifier) @reference.member))))
  (field_expression field: (template_method name: (field_identifier) @reference.member))
  (field_expression field: (dependent_name (template_method name: (field_identifier) @reference.member)))])
(new_expression type: [
  (type_identifier) @reference.call
  (template_type name: (type_identifier) @reference.call)
  (qualified_identifier name: (type_identifier) @reference.member)
  (qualified_identifier name: (template_type name: (type_identifier) @reference.member))])

(namespace_definition name: (namespace_identifier) @reference.none)
(nested_namespace_specifier (namespace_identifier) @reference.none)
(namespace_alias_definition (namespace_identifier) @reference.none)
(destructor_name (identifier) @reference.none)
(type_parameter_declaration (type_identifier) @reference.none)
(variadic_type_parameter_declaration (type_identifier) @reference.none)
(optional_type_parameter_declaration name: (type_identifier) @reference.none)
(attribute prefix: (identifier) @reference.none)

(reference_declarator (identifier) @local)
(optional_parameter_declaration declarator: (identifier) @local)
(optional_parameter_declaration declarator: (pointer_declarator declarator: (identifier) @local))
(variadic_declarator (identifier) @local)
(structured_binding_declarator (identifier) @local)
(for_range_loop declarator: (identifier) @local)
(for_range_loop declarator: (pointer_declarator declarator: (identifier) @local))
(lambda_capture_initializer left: (identifier) @local)
; Read as a function: `Guard guard(mutex);`.
(declaration declarator: (function_declarator declarator: (identifier) @local))

; What is declared, and of what.
(optional_parameter_declaration) @declares
(for_range_loop) @declares.each
(base_class_clause) @bases
(template_argument_list) @aside
