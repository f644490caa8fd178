; Where Swift is cut.

(comment) @comment
(multiline_comment) @comment
(attribute) @annotation
(modifiers) @visibility

(function_declaration) @scope
(init_declaration) @scope
(deinit_declaration) @scope
(subscript_declaration) @scope
(computed_property) @scope
(willset_didset_block) @scope
(lambda_literal) @scope

(source_file) @split
(class_body) @split
(enum_class_body) @split
(protocol_body) @split
(function_body) @split
(statements) @split
(switch_statement) @split
(value_arguments) @split
(array_literal) @split
(dictionary_literal) @split
