; Roles of identifiers in TypeScript, besides those of JavaScript.

(type_identifier) @reference.type
(extends_clause value: (identifier) @reference.type)
(extends_clause value: (member_expression property: (property_identifier) @reference.type))
(type_parameter name: (type_identifier) @reference.none)
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (rest_pattern (identifier) @local))

; What is declared, and of what.
(required_parameter) @declares
(optional_parameter) @declares
(extends_type_clause) @bases
(type_arguments) @aside
