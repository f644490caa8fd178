; Where Scala is cut.

(comment) @comment
(block_comment) @comment
(annotation) @annotation
(modifiers) @visibility

(function_definition) @scope
(lambda_expression) @scope

(compilation_unit) @split
(template_body) @split
(with_template_body) @split
(enum_body) @split
(block) @split
(indented_block) @split
(case_block) @split
(indented_cases) @split
(arguments) @split
