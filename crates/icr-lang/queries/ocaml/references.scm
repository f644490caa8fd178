; Roles of identifiers in OCaml. A module before a value is what the file depends on.

(value_name) @reference.other
(constructor_name) @reference.other
(field_name) @reference.member
(method_name) @reference.member
(module_name) @reference.type
(module_type_name) @reference.type
(type_constructor) @reference.type
(class_name) @reference.type
(class_type_name) @reference.type

(application_expression function: (value_path (value_name) @reference.call))
(application_expression function: (constructor_path (constructor_name) @reference.call))
(method_invocation (method_name) @reference.member)
(item_attribute (attribute_payload (expression_item (value_path (value_name) @reference.none))))

(value_pattern) @local
(let_binding pattern: (value_name) @local)
(tuple_pattern (value_name) @local)
