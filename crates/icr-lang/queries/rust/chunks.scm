; Where Rust is cut.

(line_comment) @comment
(block_comment) @comment
(attribute_item) @annotation
(inner_attribute_item) @annotation
(visibility_modifier) @visibility

(function_item) @scope
(closure_expression) @scope

(block) @split
(match_block) @split
(declaration_list) @split
(enum_variant_list) @split
(field_declaration_list) @split
(array_expression) @split
(macro_definition) @split
(arguments) @split
(field_initializer_list) @split

(token_tree) @tokens
(source_file (macro_invocation (token_tree) @items))
(source_file (expression_statement (macro_invocation (token_tree) @items)))
(declaration_list (macro_invocation (token_tree) @items))
