; Where Java is cut.

(line_comment) @comment
(block_comment) @comment
(annotation) @annotation
(marker_annotation) @annotation
(modifiers) @visibility

(method_declaration) @scope
(constructor_declaration) @scope
(compact_constructor_declaration) @scope
(lambda_expression) @scope
(static_initializer) @scope

(program) @split
(block) @split
(constructor_body) @split
(class_body) @split
(interface_body) @split
(enum_body) @split
(switch_block) @split
(array_initializer) @split
(argument_list) @split
