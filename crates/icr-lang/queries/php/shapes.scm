; What signatures of PHP promise.

(string) @verbatim
(encapsed_string) @verbatim
(heredoc) @verbatim
(nowdoc) @verbatim
(attribute_list) @left_out
(anonymous_function body: (_) @left_out)

(function_definition
  (reference_modifier)? @returns name: (_) @name parameters: (_) @parameters return_type: (_)? @returns)
(method_declaration
  (reference_modifier)? @returns name: (_) @name parameters: (_) @parameters return_type: (_)? @returns)
(method_declaration [(abstract_modifier) (final_modifier) (readonly_modifier) (static_modifier)] @modifier name: (_) @name)

(formal_parameters (simple_parameter
  type: (_)? @parameter.type
  reference_modifier: (_)? @parameter.type
  name: (variable_name (name) @parameter.name)
  default_value: (_)? @parameter.default) @parameter)
(formal_parameters (variadic_parameter
  type: (_)? @parameter.type
  reference_modifier: (_)? @parameter.type
  name: (variable_name (name) @parameter.name)) @parameter @parameter.variadic)
(formal_parameters (property_promotion_parameter
  type: (_)? @parameter.type
  name: [(variable_name (name) @parameter.name) (by_ref (variable_name (name) @parameter.name)) @parameter.type]
  default_value: (_)? @parameter.default) @parameter)
(by_ref (variable_name) @left_out)
(property_promotion_parameter
  readonly: (_)? @modifier
  type: (_)? @type
  name: [(variable_name (name) @name) (by_ref (variable_name (name) @name))]
  default_value: (_)? @value)

(class_declaration name: (_) @name)
(class_declaration name: (_) @name (base_clause [(name) (qualified_name)] @base))
(class_declaration name: (_) @name (class_interface_clause [(name) (qualified_name)] @base))
(class_declaration name: (_) @name body: (_ (use_declaration [(name) (qualified_name)] @base)))
(class_declaration [(abstract_modifier) (final_modifier) (readonly_modifier) (static_modifier)] @modifier name: (_) @name)
(interface_declaration name: (_) @name (base_clause [(name) (qualified_name)] @base)?)
(trait_declaration name: (_) @name body: (_ (use_declaration [(name) (qualified_name)] @base))?)
(enum_declaration name: (_) @name)
(enum_declaration name: (_) @name (primitive_type) @base)
(enum_declaration name: (_) @name (class_interface_clause [(name) (qualified_name)] @base))
(enum_case name: (_) @name value: (_)? @value)

(property_declaration type: (_)? @type (property_element name: (variable_name (name) @name) default_value: (_)? @value))
(property_declaration [(abstract_modifier) (final_modifier) (readonly_modifier) (static_modifier)] @modifier (property_element name: (variable_name (name) @name)))
(const_declaration type: (_)? @type (const_element . (name) @name (_) @value .))
(const_declaration (final_modifier) @modifier (const_element . (name) @name))
((function_call_expression
  function: (name) @_function
  arguments: (arguments
    . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])
    . (argument (_) @value)))
  (#eq? @_function "define"))
