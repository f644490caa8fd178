; Where Lua is cut.

(comment) @comment
"local" @visibility

(function_declaration) @scope
(function_definition) @scope

(chunk) @split
(block) @split
(table_constructor) @split
(arguments) @split
