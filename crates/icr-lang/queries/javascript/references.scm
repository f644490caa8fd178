; Roles of identifiers in JavaScript, also read for TypeScript.

(identifier) @reference.other
(property_identifier) @reference.member
(private_property_identifier) @reference.member
(shorthand_property_identifier) @reference.other
(shorthand_property_identifier_pattern) @local.member

(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (property_identifier) @reference.member))
(call_expression function: (member_expression property: (private_property_identifier) @reference.member))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (property_identifier) @reference.member))
(decorator (identifier) @reference.call)
(decorator (call_expression function: (identifier) @reference.call))

(assignment_expression left: (member_expression property: (property_identifier) @reference.field))
(assignment_expression left: (member_expression property: (private_property_identifier) @reference.field))
(pair key: (property_identifier) @reference.member)
(variable_declarator name: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(assignment_pattern left: (identifier) @local)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(pair_pattern key: (property_identifier) @reference.member)
(pair_pattern value: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)

; What is declared, and of what.
(variable_declarator) @declares
(assignment_expression) @declares
(class_heritage) @bases
(return_statement) @returns
