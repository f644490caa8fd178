; Where C# is cut.

(comment) @comment
(attribute_list) @annotation
(modifier) @visibility

(method_declaration) @scope
(constructor_declaration) @scope
(destructor_declaration) @scope
(operator_declaration) @scope
(conversion_operator_declaration) @scope
(indexer_declaration) @scope
(accessor_declaration) @scope
(local_function_statement) @scope
(lambda_expression) @scope
(anonymous_method_expression) @scope

(compilation_unit) @split
(declaration_list) @split
(enum_member_declaration_list) @split
(block) @split
(switch_body) @split
(switch_section) @split
(initializer_expression) @split
(argument_list) @split
(preproc_if) @split
