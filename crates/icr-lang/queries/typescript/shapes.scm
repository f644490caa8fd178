; What signatures of TypeScript promise.

(string) @verbatim.quotes
(template_string) @verbatim
(regex) @verbatim
(union_type . "|" @left_out)
(intersection_type . "&" @left_out)
(decorator) @left_out
(object_type ["," ";"] @left_out)
(object_type [
  (call_signature) (construct_signature) (index_signature) (method_signature) (property_signature)] @member)
(interface_body [(call_signature) (construct_signature) (index_signature)] @member)
(class_body (index_signature) @member)

(arrow_function parameters: (formal_parameters
  "(" @left_out . (required_parameter pattern: (identifier) !type !value) . ")" @left_out))

; Of a function in a value its body is no promise.
(arrow_function body: (statement_block) @left_out)
(function_expression body: (_) @left_out)
(generator_function body: (_) @left_out)
(method_definition body: (_) @left_out)

; Functions.
(function_declaration
  "async"? @modifier
  name: (_) @name parameters: (_) @parameters return_type: (_ (_) @returns)?)
(function_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(generator_function_declaration
  "async"? @modifier "*"? @modifier.is.generator
  name: (_) @name parameters: (_) @parameters return_type: (_ (_) @returns)?)
(generator_function_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(function_signature
  "async"? @modifier
  name: (_) @name parameters: (_) @parameters return_type: (_ (_) @returns)?)
(function_signature name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))

; Values that are functions.
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (generator_function
      "async"? @modifier "*" @modifier.is.generator
      parameters: (_) @parameters return_type: (_ (_) @returns)?)]))
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function type_parameters: (_ (type_parameter) @type_parameter))
    (function_expression type_parameters: (_ (type_parameter) @type_parameter))
    (generator_function type_parameters: (_ (type_parameter) @type_parameter))]))
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (generator_function
      "async"? @modifier "*" @modifier.is.generator
      parameters: (_) @parameters return_type: (_ (_) @returns)?)]))
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function type_parameters: (_ (type_parameter) @type_parameter))
    (function_expression type_parameters: (_ (type_parameter) @type_parameter))
    (generator_function type_parameters: (_ (type_parameter) @type_parameter))]))
(public_field_definition
  name: (_) @name
  value: [
    (arrow_function
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (generator_function
      "async"? @modifier "*" @modifier.is.generator
      parameters: (_) @parameters return_type: (_ (_) @returns)?)])
(public_field_definition
  name: (_) @name
  value: [
    (arrow_function type_parameters: (_ (type_parameter) @type_parameter))
    (function_expression type_parameters: (_ (type_parameter) @type_parameter))
    (generator_function type_parameters: (_ (type_parameter) @type_parameter))])
(pair
  key: (property_identifier) @name
  value: [
    (arrow_function
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (generator_function
      "async"? @modifier "*" @modifier.is.generator
      parameters: (_) @parameters return_type: (_ (_) @returns)?)])
(pair
  key: (property_identifier) @name
  value: [
    (arrow_function type_parameters: (_ (type_parameter) @type_parameter))
    (function_expression type_parameters: (_ (type_parameter) @type_parameter))
    (generator_function type_parameters: (_ (type_parameter) @type_parameter))])
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (arrow_function "async"? @modifier parameter: (_)) @parameters
    (function_expression
      "async"? @modifier parameters: (_) @parameters return_type: (_ (_) @returns)?)
    (generator_function
      "async"? @modifier "*" @modifier.is.generator
      parameters: (_) @parameters return_type: (_ (_) @returns)?)])
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function type_parameters: (_ (type_parameter) @type_parameter))
    (function_expression type_parameters: (_ (type_parameter) @type_parameter))
    (generator_function type_parameters: (_ (type_parameter) @type_parameter))])
(arrow_function parameter: (identifier) @parameter @parameter.name)

; Members that run.
(method_definition
  "static"? @modifier "async"? @modifier ["get" "set"]? @modifier "*"? @modifier.is.generator
  name: (_) @name "?"? @modifier.is.optional
  parameters: (_) @parameters return_type: (_ (_) @returns)?)
(method_definition name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(method_signature
  "static"? @modifier "async"? @modifier ["get" "set"]? @modifier "*"? @modifier.is.generator
  name: (_) @name "?"? @modifier.is.optional
  parameters: (_) @parameters return_type: (_ (_) @returns)?)
(method_signature name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(abstract_method_signature
  "abstract" @modifier ["get" "set"]? @modifier
  name: (_) @name "?"? @modifier.is.optional
  parameters: (_) @parameters return_type: (_ (_) @returns)?)
(abstract_method_signature name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))

; Members that hold something.
(property_signature
  "static"? @modifier "readonly"? @modifier
  name: (_) @name "?"? @modifier.is.optional type: (type_annotation (_) @type)?)
(public_field_definition name: (_) @name "?"? @modifier.is.optional type: (type_annotation (_) @type)?)
(public_field_definition ["abstract" "accessor" "readonly" "static"] @modifier name: (_) @name)
(public_field_definition name: (_) @name value: (_) @value)

; Parameters.
(formal_parameters (required_parameter
  pattern: [(array_pattern) (identifier) (object_pattern)] @parameter.name
  type: (type_annotation (_) @parameter.type)?
  value: (_)? @parameter.default) @parameter)
(formal_parameters (required_parameter
  pattern: (rest_pattern (_) @parameter.name) @parameter.variadic
  type: (type_annotation (_) @parameter.type)?) @parameter)
(formal_parameters (required_parameter
  pattern: (this) @parameter.name @parameter.receiver
  type: (type_annotation (_) @parameter.type)?) @parameter)
(formal_parameters (optional_parameter
  pattern: (_) @parameter.name
  "?" @parameter.optional
  type: (type_annotation (_) @parameter.type)?
  value: (_)? @parameter.default) @parameter)

; Types.
(class_declaration name: (_) @name (class_heritage (implements_clause (_) @base))?)
(class_declaration
  name: (_) @name
  (class_heritage (extends_clause value: (_) @base . type_arguments: (_)? @base)))
(class_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(abstract_class_declaration
  "abstract" @modifier
  name: (_) @name
  (class_heritage (implements_clause (_) @base))?)
(abstract_class_declaration
  name: (_) @name
  (class_heritage (extends_clause value: (_) @base . type_arguments: (_)? @base)))
(abstract_class_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(class_declaration name: (_) @name body: (class_body (index_signature) @type))
(interface_declaration name: (_) @name (extends_type_clause type: (_) @base)?)
(interface_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(interface_declaration
  name: (_) @name
  body: (_ [(call_signature) (construct_signature) (index_signature)] @type))
(enum_declaration "const"? @modifier name: (_) @name)
(enum_body name: (_) @name)
(enum_assignment name: (_) @name value: (_) @value)

; The members of an object type are definitions of their own.
(type_alias_declaration name: (_) @name value: (_) @type (#not-match? @type "^\\{"))
(type_alias_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(type_alias_declaration
  name: (_) @name
  value: (object_type [(call_signature) (construct_signature) (index_signature)] @type))

; Values.
(lexical_declaration (variable_declarator name: (identifier) @name type: (type_annotation (_) @type)?))
(lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value))
(variable_declaration (variable_declarator name: (identifier) @name type: (type_annotation (_) @type)?))
(variable_declaration (variable_declarator name: (identifier) @name value: (_) @value))
