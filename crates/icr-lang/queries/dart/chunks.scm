; Where Dart is cut.

(comment) @comment
(documentation_comment) @comment
(annotation) @annotation
(member_declaration) @wrapper

(function_declaration) @scope
(local_function_declaration) @scope
(getter_declaration) @scope
(setter_declaration) @scope
(method_declaration) @scope
(function_expression) @scope

(source_file) @split
(class_body) @split
(extension_body) @split
(enum_body) @split
(block) @split
(switch_block) @split
(arguments) @split
(list_literal) @split
(set_or_map_literal) @split
