; Roles of identifiers in Dart.

(identifier) @reference.other
(identifier_dollar_escaped) @reference.other
(type_identifier) @reference.type

(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (identifier) @reference.member))
(call_expression function: (null_aware_member_expression property: (identifier) @reference.member))
(cascade_call_expression property: (identifier) @reference.member)
(member_expression property: (identifier) @reference.member)
(null_aware_member_expression property: (identifier) @reference.member)
(assignable_expression property: (identifier) @reference.member)
(field_initializer name: (identifier) @reference.member)
(field_formal_parameter name: (identifier) @reference.member)
(super_formal_parameter name: (identifier) @reference.none)
(annotation name: (identifier) @reference.type)
(constructor_signature name: (identifier) @reference.none)
(constant_constructor_signature name: (identifier) @reference.none)
(factory_constructor_signature name: (identifier) @reference.none)
(type_parameter name: (type_identifier) @reference.none)
(label (identifier) @reference.none)
(dotted_identifier_list (identifier) @reference.none)

(formal_parameter name: (identifier) @local)
(formal_parameter (identifier) @local)
(initialized_variable_declaration name: (identifier) @local)
(for_statement name: (identifier) @local)
(catch_clause exception: (identifier) @local)
