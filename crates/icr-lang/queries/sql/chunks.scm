; Where SQL is cut.

(comment) @comment
(marginalia) @comment
(identifier) @token
(literal) @token

(statement) @wrapper
(function_body) @scope

(program) @split
(column_definitions) @split
(function_body) @split
(list) @split
(block) @split
(select_expression) @split
