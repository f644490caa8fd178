; Roles of identifiers where TypeScript's trees have another shape.

(class_heritage (identifier) @reference.type)
(class_heritage (member_expression property: (property_identifier) @reference.type))
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(formal_parameters (rest_pattern (identifier) @local))
