; Roles of identifiers in Swift.

(simple_identifier) @reference.other
(type_identifier) @reference.type

(call_expression (simple_identifier) @reference.call)
(call_expression (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.member)))
(navigation_suffix suffix: (simple_identifier) @reference.member)
(prefix_expression target: (simple_identifier) @reference.member)
(call_expression (prefix_expression target: (simple_identifier) @reference.member))
(value_argument_label (simple_identifier) @reference.none)
(attribute (simple_identifier) @reference.none)
(directive (simple_identifier) @reference.none)
(type_parameter (type_identifier) @reference.none)
(enum_type_parameters (simple_identifier) @reference.none)
(identifier (simple_identifier) @reference.other)

(parameter name: (simple_identifier) @local)
(parameter external_name: (simple_identifier) @reference.none)
(lambda_parameter name: (simple_identifier) @local)
(pattern bound_identifier: (simple_identifier) @local)
(guard_statement bound_identifier: (simple_identifier) @local)
(if_statement bound_identifier: (simple_identifier) @local)
(while_statement bound_identifier: (simple_identifier) @local)

; What is declared, and of what.
(parameter) @declares
(property_declaration) @declares
(user_type) @type
(optional_type) @type
(existential_type) @type
(opaque_type) @type
(type_annotation) @type
(inheritance_specifier) @bases
(type_arguments) @aside
