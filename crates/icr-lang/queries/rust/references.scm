; Roles of identifiers in Rust.

(identifier) @reference.other
(field_identifier) @reference.member
(shorthand_field_identifier) @local.field
(shorthand_field_initializer (identifier) @reference.member)
(type_identifier) @reference.type

(call_expression function: (identifier) @reference.call)
(call_expression function: (scoped_identifier name: (identifier) @reference.member))
(call_expression function: (field_expression field: (field_identifier) @reference.member))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @reference.member)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @reference.member)))
(macro_invocation macro: (identifier) @reference.call)
(macro_invocation macro: (scoped_identifier name: (identifier) @reference.member))

(struct_expression name: (type_identifier) @reference.type)
(scoped_identifier name: (identifier) @reference.member)
(scoped_identifier path: (identifier) @reference.other)

(let_declaration pattern: (identifier) @local)
(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(slice_pattern (identifier) @local)
(captured_pattern (identifier) @local)
(tuple_struct_pattern (identifier) @local)
(tuple_struct_pattern type: (identifier) @reference.other)
(lifetime (identifier) @reference.none)
(label (identifier) @reference.none)
(type_parameter name: (type_identifier) @reference.none)
(attribute (identifier) @reference.none)

; What is declared, and of what.
(let_declaration) @declares
(parameter) @declares
(field_initializer_list) @constructs
(struct_pattern) @constructs
(type_arguments) @aside
