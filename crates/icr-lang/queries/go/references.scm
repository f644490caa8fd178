; Roles of identifiers in Go.

(identifier) @reference.other
(field_identifier) @reference.member
(type_identifier) @reference.type
(package_identifier) @reference.other
(package_clause (package_identifier) @reference.none)

(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression field: (field_identifier) @reference.member))
(call_expression function: (parenthesized_expression (identifier) @reference.call))
(type_instantiation_expression type: (type_identifier) @reference.type)
(keyed_element key: (literal_element (identifier) @reference.member))

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
(type_parameter_declaration name: (identifier) @reference.none)
(type_switch_statement alias: (expression_list (identifier) @local))

; What is declared, and of what.
(parameter_declaration) @declares
(short_var_declaration) @declares
(var_spec) @declares
(const_spec) @declares
(literal_value) @constructs
(type_arguments) @aside
