; Where Zig is cut.

(comment) @comment
"pub" @visibility
"export" @visibility
(container_field) @public

(function_declaration) @scope
(test_declaration) @scope
(comptime_declaration) @scope
(block) @scope

(source_file) @split
(struct_declaration) @split
(union_declaration) @split
(enum_declaration) @split
(error_set_declaration) @split
(block) @split
(switch_expression) @split
(initializer_list) @split
