; Roles of identifiers in JSX.

(jsx_opening_element name: (identifier) @reference.call)
(jsx_self_closing_element name: (identifier) @reference.call)
(jsx_opening_element name: (member_expression property: (property_identifier) @reference.member))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @reference.member))
(jsx_closing_element name: (identifier) @reference.none)
(jsx_closing_element name: (member_expression property: (property_identifier) @reference.none))
(jsx_attribute (property_identifier) @reference.none)
