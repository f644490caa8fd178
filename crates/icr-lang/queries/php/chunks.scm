; Where PHP is cut. A method is a scope of variables only: parameters of a constructor may be properties.

(comment) @comment
(attribute_list) @annotation
(visibility_modifier) @visibility

(function_definition) @scope
(function_definition) @scope.variables
(method_declaration) @scope.variables
(anonymous_function) @scope
(arrow_function) @scope
(anonymous_class) @scope

(program) @split
(compound_statement) @split
(colon_block) @split
(declaration_list) @split
(enum_declaration_list) @split
(switch_block) @split
(case_statement) @split
(match_block) @split
(array_creation_expression) @split
(arguments) @split
