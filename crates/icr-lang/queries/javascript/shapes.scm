; What signatures of JavaScript promise.

(string) @verbatim.quotes
(template_string) @verbatim
(regex) @verbatim
(decorator) @left_out

(arrow_function parameters: (formal_parameters "(" @left_out . (identifier) . ")" @left_out))

; Of a function in a value its body is no promise.
(arrow_function body: (statement_block) @left_out)
(function_expression body: (_) @left_out)
(generator_function body: (_) @left_out)
(method_definition body: (_) @left_out)

; Functions.
(function_declaration "async"? @modifier name: (_) @name parameters: (_) @parameters)
(generator_function_declaration
  "async"? @modifier "*"? @modifier.is.generator
  name: (_) @name parameters: (_) @parameters)

; Values that are functions.
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function "async"? @modifier parameters: (_) @parameters)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression "async"? @modifier parameters: (_) @parameters)
    (generator_function "async"? @modifier "*" @modifier.is.generator parameters: (_) @parameters)]))
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function "async"? @modifier parameters: (_) @parameters)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression "async"? @modifier parameters: (_) @parameters)
    (generator_function "async"? @modifier "*" @modifier.is.generator parameters: (_) @parameters)]))
(field_definition
  property: (_) @name
  value: [
    (arrow_function "async"? @modifier parameters: (_) @parameters)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression "async"? @modifier parameters: (_) @parameters)
    (generator_function "async"? @modifier "*" @modifier.is.generator parameters: (_) @parameters)])
(pair
  key: (property_identifier) @name
  value: [
    (arrow_function "async"? @modifier parameters: (_) @parameters)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression "async"? @modifier parameters: (_) @parameters)
    (generator_function "async"? @modifier "*" @modifier.is.generator parameters: (_) @parameters)])
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function "async"? @modifier parameters: (_) @parameters)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression "async"? @modifier parameters: (_) @parameters)
    (generator_function "async"? @modifier "*" @modifier.is.generator parameters: (_) @parameters)])
(arrow_function parameter: (identifier) @parameter @parameter.name)

; Members.
(method_definition
  "static"? @modifier "async"? @modifier ["get" "set"]? @modifier "*"? @modifier.is.generator
  name: (_) @name parameters: (_) @parameters)
(field_definition "static"? @modifier property: (_) @name value: (_)? @value)
(class_declaration name: (_) @name (class_heritage (_) @base)?)
(lexical_declaration (variable_declarator name: (identifier) @name value: (class (class_heritage (_) @base)?)))
(variable_declaration (variable_declarator name: (identifier) @name value: (class (class_heritage (_) @base)?)))

; Parameters.
(formal_parameters [(array_pattern) (identifier) (object_pattern)] @parameter @parameter.name)
(formal_parameters (assignment_pattern left: (_) @parameter.name right: (_) @parameter.default) @parameter)
(formal_parameters (rest_pattern (_) @parameter.name) @parameter @parameter.variadic)

; Values.
(lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value))
(variable_declaration (variable_declarator name: (identifier) @name value: (_)? @value))
