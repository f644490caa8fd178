; Where OCaml is cut.

(comment) @comment
(value_definition) @wrapper.single
(type_definition) @wrapper.single
(module_definition) @wrapper.single
(class_definition) @wrapper.single
"private" @visibility

(let_binding) @scope
(method_definition) @scope
(fun_expression) @scope

(compilation_unit) @split
(structure) @split
(signature) @split
(object_expression) @split
(let_expression) @split
(sequence_expression) @split
(match_expression) @split
(function_expression) @split
(variant_declaration) @split
(record_declaration) @split
(list_expression) @split
