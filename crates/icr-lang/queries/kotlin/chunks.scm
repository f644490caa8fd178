; Where Kotlin is cut.

(line_comment) @comment
(block_comment) @comment
(annotation) @annotation
(modifiers) @visibility

(function_declaration) @scope
(secondary_constructor) @scope
(anonymous_initializer) @scope
(anonymous_function) @scope
(lambda_literal) @scope
(getter) @scope
(setter) @scope

(source_file) @split
(class_body) @split
(enum_class_body) @split
(block) @split
(lambda_literal) @split
(when_expression) @split
(value_arguments) @split

; The tree does not say which part of `a.b.c()` is called: the one before the parenthesis is.
(navigation_expression) @tokens
