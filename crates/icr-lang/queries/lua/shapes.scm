; What signatures of Lua promise.

(string) @verbatim.quotes
(function_definition body: (_) @left_out)

(parameters name: (identifier) @parameter @parameter.name)
(parameters (vararg_expression) @parameter @parameter.variadic)

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression field: (_) @name)
    (method_index_expression method: (_) @name)]
  parameters: (_) @parameters)
(assignment_statement
  (variable_list . name: [(identifier) @name (dot_index_expression field: (_) @name)] .)
  (expression_list . value: (function_definition parameters: (_) @parameters) .))
(field name: (identifier) @name value: (function_definition parameters: (_) @parameters))

; Of several names in one line each has its value by its place, which nothing here counts.
(assignment_statement (variable_list name: [(identifier) @name (dot_index_expression field: (_) @name)]))
(assignment_statement
  (variable_list . name: [(identifier) @name (dot_index_expression field: (_) @name)] . attribute: (_)? .)
  (expression_list . value: (_) @value .))
(assignment_statement (variable_list name: (identifier) @name . attribute: (attribute (identifier) @modifier)))
(variable_declaration (variable_list name: (identifier) @name))
