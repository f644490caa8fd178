; Roles of identifiers in Java.

(identifier) @reference.other
(type_identifier) @reference.type

(method_invocation name: (identifier) @reference.call)
(object_creation_expression type: (type_identifier) @reference.call)
(object_creation_expression type: (generic_type (type_identifier) @reference.call))
(method_reference (identifier) @reference.other)
(marker_annotation name: (identifier) @reference.type)
(annotation name: (identifier) @reference.type)
(field_access field: (identifier) @reference.member)
(scoped_identifier name: (identifier) @reference.member)
(package_declaration (identifier) @reference.none)
(package_declaration (scoped_identifier (identifier) @reference.none))
(package_declaration (scoped_identifier (scoped_identifier (identifier) @reference.none)))
(package_declaration (scoped_identifier (scoped_identifier (scoped_identifier (identifier) @reference.none))))
(element_value_pair key: (identifier) @reference.none)
(type_parameter (type_identifier) @reference.none)
(labeled_statement (identifier) @reference.none)

(formal_parameter name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(catch_formal_parameter name: (identifier) @local)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(enhanced_for_statement name: (identifier) @local)
(resource name: (identifier) @local)
(inferred_parameters (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(type_pattern (identifier) @local)
(instanceof_expression name: (identifier) @local)
(record_pattern_component (identifier) @local)

; What is declared, and of what.
(formal_parameter) @declares
(local_variable_declaration) @declares
(variable_declarator) @declares
(enhanced_for_statement) @declares.each
(resource) @declares
(catch_formal_parameter) @declares
(extends_interfaces) @bases
(type_arguments) @aside
