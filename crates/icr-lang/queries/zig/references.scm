; Roles of identifiers in Zig.

(identifier) @reference.other

(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression member: (identifier) @reference.member))
(field_expression member: (identifier) @reference.member)
(error_type (identifier) @reference.member)

(parameter type: (identifier) @reference.type)
(function_declaration type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(container_field type: (identifier) @reference.type)
(pointer_type (identifier) @reference.type)
(slice_type (identifier) @reference.type)
(array_type (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(error_union_type (identifier) @reference.type)
(struct_initializer (identifier) @reference.type)
(parameter type: (field_expression member: (identifier) @reference.type))
(function_declaration type: (field_expression member: (identifier) @reference.type))
(container_field type: (field_expression member: (identifier) @reference.type))
(pointer_type (field_expression member: (identifier) @reference.type))
(nullable_type (field_expression member: (identifier) @reference.type))
(error_union_type (field_expression member: (identifier) @reference.type))
(block_label (identifier) @reference.none)
(break_label (identifier) @reference.none)

(parameter name: (identifier) @local)
(payload (identifier) @local)
(variable_declaration (identifier) @local)
