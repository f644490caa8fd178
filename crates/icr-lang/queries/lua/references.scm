; Roles of identifiers in Lua.

(identifier) @reference.other

(function_call name: (identifier) @reference.call)
(function_call name: (dot_index_expression field: (identifier) @reference.member))
(function_call name: (method_index_expression method: (identifier) @reference.member))
(dot_index_expression field: (identifier) @reference.member)
(method_index_expression method: (identifier) @reference.member)
(field name: (identifier) @reference.member)
(attribute (identifier) @reference.none)
(goto_statement (identifier) @reference.none)
(label_statement (identifier) @reference.none)

(parameters name: (identifier) @local)
(variable_declaration (variable_list name: (identifier) @local))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)
