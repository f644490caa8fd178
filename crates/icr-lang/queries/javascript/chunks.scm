; Where JavaScript is cut, also read for TypeScript.

(comment) @comment
(decorator) @annotation
(export_statement) @wrapper @public

(function_declaration) @scope
(function_expression) @scope
(generator_function) @scope
(generator_function_declaration) @scope
(arrow_function) @scope
(method_definition) @scope

(program) @split
(statement_block) @split
(class_body) @split
(switch_body) @split
(switch_case) @split
(object) @split
(array) @split
(arguments) @split
