; What definitions of GraphQL promise.

(string_value) @verbatim
(description) @left_out
(union_member_types "=" @left_out)
(union_member_types "=" . "|" @left_out)

(arguments_definition (input_value_definition
  (name) @parameter.name (type) @parameter.type (default_value (value) @parameter.default)?)
  @parameter @parameter.keyword_only)
; What may be null may be left out.
(arguments_definition (input_value_definition (type [(list_type) (named_type)]) @parameter.optional) @parameter)
(variable_definitions (variable_definition
  (variable) @parameter.name (type) @parameter.type (default_value (value) @parameter.default)?)
  @parameter @parameter.keyword_only)
(variable_definitions (variable_definition (type [(list_type) (named_type)]) @parameter.optional) @parameter)

(field_definition (name) @name (arguments_definition)? @parameters (type) @type)
(field_definition (name) @name (directives (directive) @modifier))
(input_value_definition (name) @name (type) @type (default_value (value) @value)?)
(input_value_definition (name) @name (directives (directive) @modifier))
(enum_value_definition (enum_value (name) @name))
(enum_value_definition (enum_value (name) @name) (directives (directive) @modifier))
(input_object_type_definition (name) @name)
(scalar_type_definition (name) @name)
(enum_type_definition (name) @name)
(union_type_definition (name) @name (union_member_types)? @type)
(directive_definition (name) @name (arguments_definition)? @parameters (directive_locations) @type)
(directive_definition (name) @name "repeatable" @modifier)
(operation_definition (operation_type) @modifier (name) @name (variable_definitions)? @parameters)
(fragment_definition (fragment_name (name) @name) (type_condition (named_type) @base))

(object_type_definition (name) @name)
(object_type_definition (name) @name (implements_interfaces (named_type) @base))
(object_type_definition (name) @name (implements_interfaces (implements_interfaces (named_type) @base)))
(object_type_definition (name) @name (implements_interfaces (implements_interfaces (implements_interfaces (named_type) @base))))
(object_type_definition (name) @name (implements_interfaces (implements_interfaces (implements_interfaces (implements_interfaces (named_type) @base)))))
(interface_type_definition (name) @name)
(interface_type_definition (name) @name (implements_interfaces (named_type) @base))
(interface_type_definition (name) @name (implements_interfaces (implements_interfaces (named_type) @base)))
(interface_type_definition (name) @name (implements_interfaces (implements_interfaces (implements_interfaces (named_type) @base))))
(interface_type_definition (name) @name (implements_interfaces (implements_interfaces (implements_interfaces (implements_interfaces (named_type) @base)))))
(object_type_extension (name) @name)
(interface_type_extension (name) @name)
(enum_type_extension (name) @name)
(input_object_type_extension (name) @name)
