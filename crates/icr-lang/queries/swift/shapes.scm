; What signatures of Swift promise.

(line_string_literal) @verbatim
(multi_line_string_literal) @verbatim
(raw_string_literal) @verbatim
(attribute) @left_out
(lambda_literal) @verbatim

(function_declaration "func" . name: _ @name) @parameters
(function_declaration "func" . name: _ @name "->" . (_) @returns)
(function_declaration "func" . name: _ @name "async" @modifier)
(function_declaration "func" . name: _ @name (throws) @modifier)
(function_declaration "func" . name: _ @name (type_parameters (type_parameter) @type_parameter))
(function_declaration "func" . name: _ @name (type_constraints (type_constraint) @type_parameter))
(function_declaration (parameter) @parameter . "=" . default_value: (_) @parameter.default)
(function_declaration
  (modifiers [(inheritance_modifier) (member_modifier) (mutation_modifier) (property_modifier)] @modifier) "func" . name: _ @name
  (#not-any-of? @modifier "override"))
(protocol_function_declaration "func" . name: _ @name) @parameters
(protocol_function_declaration "func" . name: _ @name "->" . (_) @returns)
(protocol_function_declaration "func" . name: _ @name "async" @modifier)
(protocol_function_declaration "func" . name: _ @name (throws) @modifier)
(protocol_function_declaration "func" . name: _ @name (type_parameters (type_parameter) @type_parameter))
(protocol_function_declaration "func" . name: _ @name (type_constraints (type_constraint) @type_parameter))
(protocol_function_declaration (parameter) @parameter . "=" . default_value: (_) @parameter.default)
(protocol_function_declaration
  (modifiers [(inheritance_modifier) (member_modifier) (mutation_modifier) (property_modifier)] @modifier) "func" . name: _ @name
  (#not-any-of? @modifier "override"))
(init_declaration name: "init" @name) @parameters
(init_declaration name: "init" @name "async" @modifier)
(init_declaration name: "init" @name (throws) @modifier)
(init_declaration name: "init" @name (type_parameters (type_parameter) @type_parameter))
(init_declaration name: "init" @name (type_constraints (type_constraint) @type_parameter))
(init_declaration (parameter) @parameter . "=" . default_value: (_) @parameter.default)
(init_declaration
  (modifiers [(inheritance_modifier) (member_modifier) (mutation_modifier) (property_modifier)] @modifier) name: "init" @name
  (#not-any-of? @modifier "override"))
(subscript_declaration "subscript" @name) @parameters
(subscript_declaration "subscript" @name "->" . (_) @returns)
(subscript_declaration "subscript" @name (type_parameters (type_parameter) @type_parameter))
(subscript_declaration "subscript" @name (type_constraints (type_constraint) @type_parameter))
(subscript_declaration (parameter) @parameter . "=" . default_value: (_) @parameter.default)
(subscript_declaration
  (modifiers [(inheritance_modifier) (member_modifier) (mutation_modifier) (property_modifier)] @modifier) "subscript" @name
  (#not-any-of? @modifier "override"))
(function_declaration "class" @modifier "func" . name: _ @name)
(init_declaration name: "init" @name ["?" "!"] @modifier.is.failable)
(deinit_declaration "deinit" @name)
(macro_declaration "macro" . (simple_identifier) @name)

; An argument is named by the label, or by the name where no label is written.
(parameter
  external_name: (_) @parameter.name
  (#not-eq? @parameter.name "_")) @parameter
(parameter
  external_name: (_) @_label . name: (simple_identifier) @parameter.name @parameter.positional_only
  (#eq? @_label "_")) @parameter
(parameter !external_name . name: (simple_identifier) @parameter.name) @parameter
(parameter ":" . (parameter_modifiers)? @parameter.type . (_) @parameter.type) @parameter
(parameter "..." @parameter.variadic) @parameter

(class_declaration name: (_) @name.within)
(class_declaration name: (_) @name.within (inheritance_specifier inherits_from: (_) @base))
(class_declaration name: (_) @name.within (type_parameters (type_parameter) @type_parameter))
(class_declaration name: (_) @name.within (type_constraints (type_constraint) @type_parameter))
(class_declaration
  (modifiers [(inheritance_modifier) (member_modifier) (property_modifier)] @modifier) name: (_) @name.within)
(protocol_declaration name: (_) @name (inheritance_specifier inherits_from: (_) @base)?)
(protocol_declaration name: (_) @name (type_constraints (type_constraint) @type_parameter))
(enum_entry name: (simple_identifier) @name)
(enum_entry name: (simple_identifier) @name . data_contents: (_) @type)
(enum_entry name: (simple_identifier) @name . "=" . raw_value: (_) @value)
(typealias_declaration name: (type_identifier) @name "=" . (_) @type)
(typealias_declaration name: (type_identifier) @name (type_parameters (type_parameter) @type_parameter))
(associatedtype_declaration name: (type_identifier) @name)
(associatedtype_declaration name: (type_identifier) @name . ":" . (_) @type)

(property_declaration name: (pattern bound_identifier: (_) @name))
(property_declaration name: (pattern bound_identifier: (_) @name) (type_annotation ":" . (_) @type))
(property_declaration name: (pattern bound_identifier: (_) @name) value: (_) @value)
(property_declaration (value_binding_pattern mutability: "var" @modifier) name: (pattern bound_identifier: (_) @name))
(property_declaration
  (modifiers [(inheritance_modifier) (member_modifier) (property_modifier)] @modifier)
  name: (pattern bound_identifier: (_) @name)
  (#not-any-of? @modifier "override"))
(protocol_property_declaration name: (pattern bound_identifier: (_) @name))
(protocol_property_declaration name: (pattern bound_identifier: (_) @name) (type_annotation ":" . (_) @type))
(protocol_property_declaration
  name: (pattern bound_identifier: (_) @name)
  (protocol_property_requirements [(getter_specifier) (setter_specifier)] @modifier))
(protocol_property_declaration
  (modifiers (property_modifier) @modifier)
  name: (pattern bound_identifier: (_) @name))
