; Roles of identifiers in C#.

(identifier) @reference.other

(invocation_expression function: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (member_access_expression name: (identifier) @reference.member)
  (member_access_expression name: (generic_name (identifier) @reference.member))
  (conditional_access_expression (member_binding_expression name: (identifier) @reference.member))
  (conditional_access_expression (member_binding_expression name: (generic_name (identifier) @reference.member)))
  (member_binding_expression name: (identifier) @reference.member)
  (member_binding_expression name: (generic_name (identifier) @reference.member))])
(object_creation_expression type: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (qualified_name name: (identifier) @reference.call)
  (qualified_name name: (generic_name (identifier) @reference.call))])

(member_access_expression name: (identifier) @reference.member)
(member_binding_expression name: (identifier) @reference.member)

(generic_name (identifier) @reference.type)
(qualified_name name: (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(base_list (identifier) @reference.type)
(primary_constructor_base_type type: (identifier) @reference.type)
(attribute name: (identifier) @reference.type)
(explicit_interface_specifier (identifier) @reference.type)
(type_parameter_constraint type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(local_function_statement type: (identifier) @reference.type)
(delegate_declaration type: (identifier) @reference.type)
(operator_declaration type: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(indexer_declaration type: (identifier) @reference.type)
(event_declaration type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(parameter_list type: (identifier) @reference.type)
(array_type type: (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(pointer_type type: (identifier) @reference.type)
(ref_type type: (identifier) @reference.type)
(tuple_element type: (identifier) @reference.type)
(cast_expression type: (identifier) @reference.type)
(as_expression right: (identifier) @reference.type)
(is_expression right: (identifier) @reference.type)
(typeof_expression type: (identifier) @reference.type)
(default_expression type: (identifier) @reference.type)
(catch_declaration type: (identifier) @reference.type)
(declaration_pattern type: (identifier) @reference.type)
(recursive_pattern type: (identifier) @reference.type)
(type_pattern type: (identifier) @reference.type)
(declaration_expression type: (identifier) @reference.type)
(foreach_statement type: (identifier) @reference.type)

(namespace_declaration name: (identifier) @reference.none)
(namespace_declaration name: (qualified_name (identifier) @reference.none))
(namespace_declaration name: (qualified_name (qualified_name (identifier) @reference.none)))
(namespace_declaration name: (qualified_name (qualified_name (qualified_name (identifier) @reference.none))))
(namespace_declaration name: (qualified_name (qualified_name (qualified_name (qualified_name (identifier) @reference.none)))))
(file_scoped_namespace_declaration name: (identifier) @reference.none)
(file_scoped_namespace_declaration name: (qualified_name (identifier) @reference.none))
(file_scoped_namespace_declaration name: (qualified_name (qualified_name (identifier) @reference.none)))
(file_scoped_namespace_declaration name: (qualified_name (qualified_name (qualified_name (identifier) @reference.none))))
(file_scoped_namespace_declaration name: (qualified_name (qualified_name (qualified_name (qualified_name (identifier) @reference.none)))))
(type_parameter name: (identifier) @reference.none)
(type_parameter_constraints_clause (identifier) @reference.none)
(argument name: (identifier) @reference.none)
(tuple_element name: (identifier) @reference.none)
(labeled_statement (identifier) @reference.none)
(goto_statement (identifier) @reference.none)

(parameter name: (identifier) @local)
(parameter_list name: (identifier) @local)
(implicit_parameter) @reference.none
(lambda_expression parameters: (implicit_parameter) @local)
(variable_declarator name: (identifier) @local)
(foreach_statement left: (identifier) @local)
(catch_declaration name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(recursive_pattern name: (identifier) @local)
(var_pattern name: (identifier) @local)
(declaration_expression name: (identifier) @local)
(tuple_pattern name: (identifier) @local)
(from_clause name: (identifier) @local)

; What is declared, and of what.
(variable_declaration) @declares
(variable_declarator) @declares
(await_expression) @value
(conditional_access_expression) @value
(invocation_expression) @value
(member_access_expression) @value
(object_creation_expression) @value
(parameter) @declares
(foreach_statement) @declares.each
(base_list) @bases
(type_argument_list) @aside
