; Definitions of Lua. What stands in a table belongs to that table.

(function_declaration name: (identifier) @name body: (_)? @body) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @receiver field: (_) @name) body: (_)? @body) @definition.function
(function_declaration
  name: (method_index_expression table: (_) @receiver method: (_) @name) body: (_)? @body) @definition.method

(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .))) @definition.function
(variable_declaration (assignment_statement (variable_list
  name: (identifier) @name . attribute: (attribute (identifier) @_attribute)))
  (#eq? @_attribute "const")) @definition.constant
(variable_declaration (assignment_statement (variable_list name: (identifier) @name))
  (#match? @name "^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$")) @definition.constant
(variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.variable
(variable_declaration (variable_list name: (identifier) @name)) @definition.variable
(variable_declaration (assignment_statement (expression_list) @body))

(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @receiver field: (_) @name) .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.function
(assignment_statement (variable_list name: (identifier) @name)
  (#match? @name "^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$")) @definition.constant
(assignment_statement (variable_list name: (identifier) @name)) @definition.variable
(assignment_statement
  (variable_list name: (dot_index_expression table: [(identifier) (dot_index_expression)] @receiver field: (_) @name))
  (#not-eq? @name "__index")) @definition.field
(assignment_statement (expression_list) @body)

(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.method
