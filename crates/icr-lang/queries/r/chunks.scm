; Where R is cut.

(comment) @comment

(function_definition) @scope

(program) @split
(braced_expression) @split
(arguments) @split
