; What signatures of Java promise.

(string_literal) @verbatim
(character_literal) @verbatim
(annotation) @left_out
(marker_annotation) @left_out
(lambda_expression body: (block) @left_out)

(method_declaration
  type: (_) @returns name: (_) @name parameters: (_) @parameters dimensions: (_)? @returns)
(method_declaration (modifiers ["abstract" "default" "final" "native" "static"] @modifier) name: (_) @name)
(method_declaration type_parameters: (_ (type_parameter) @type_parameter) name: (_) @name)
(method_declaration name: (_) @name (throws (_) @modifier.throws))
(constructor_declaration name: (_) @name parameters: (_) @parameters)
(constructor_declaration type_parameters: (_ (type_parameter) @type_parameter) name: (_) @name)
(constructor_declaration name: (_) @name (throws (_) @modifier.throws))
(compact_constructor_declaration name: (_) @name)
(annotation_type_element_declaration type: (_) @returns name: (_) @name value: (_)? @modifier.default)

(formal_parameters (formal_parameter
  type: (_) @parameter.type name: (_) @parameter.name dimensions: (_)? @parameter.type) @parameter)
(formal_parameters (spread_parameter
  (_) @parameter.type . "..." (variable_declarator name: (_) @parameter.name)) @parameter @parameter.variadic)

(class_declaration name: (_) @name superclass: (superclass (_) @base))
(class_declaration name: (_) @name interfaces: (super_interfaces (type_list (_) @base)))
(record_declaration name: (_) @name interfaces: (super_interfaces (type_list (_) @base)))
(enum_declaration name: (_) @name interfaces: (super_interfaces (type_list (_) @base)))
(interface_declaration name: (_) @name (extends_interfaces (type_list (_) @base)))
(class_declaration name: (_) @name permits: (permits (type_list (_) @modifier.permits)))
(interface_declaration name: (_) @name permits: (permits (type_list (_) @modifier.permits)))
(class_declaration name: (_) @name)
(interface_declaration name: (_) @name)
(enum_declaration name: (_) @name)
(record_declaration name: (_) @name parameters: (_) @parameters)
(annotation_type_declaration name: (_) @name)
(class_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(interface_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(record_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(class_declaration (modifiers ["abstract" "final" "non-sealed" "sealed" "static"] @modifier) name: (_) @name)
(interface_declaration (modifiers ["abstract" "final" "non-sealed" "sealed" "static"] @modifier) name: (_) @name)
(record_declaration (modifiers ["abstract" "final" "non-sealed" "sealed" "static"] @modifier) name: (_) @name)
(enum_declaration (modifiers ["abstract" "final" "non-sealed" "sealed" "static"] @modifier) name: (_) @name)
(enum_constant name: (_) @name arguments: (_)? @value)

(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @name dimensions: (_)? @type))
(field_declaration declarator: (variable_declarator name: (_) @name value: (_) @value))
(field_declaration
  (modifiers ["final" "static" "transient" "volatile"] @modifier)
  declarator: (variable_declarator name: (_) @name))
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @name dimensions: (_)? @type))
(constant_declaration declarator: (variable_declarator name: (_) @name value: (_) @value))
