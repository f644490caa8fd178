; Roles of identifiers in HCL.

(variable_expr (identifier) @reference.other)
(get_attr (identifier) @reference.member)
(function_call (identifier) @reference.call)
(object_elem key: (expression (variable_expr (identifier) @reference.none)))
