; What signatures of Dart promise.

(string_literal) @verbatim
(annotation) @left_out

; Arguments are named where parameters stand in braces.
(formal_parameter_list (formal_parameter) @parameter @parameter.positional_only)
(formal_parameter_list (optional_formal_parameters) @parameters.more)
(optional_formal_parameters "{" (formal_parameter) @parameter @parameter.keyword_only @parameter.optional)
(optional_formal_parameters "[" (formal_parameter) @parameter @parameter.positional_only @parameter.optional)
(optional_formal_parameters "required" @parameter.required . (formal_parameter) @parameter)
(optional_formal_parameters (formal_parameter) @parameter . "=" . default_value: (_) @parameter.default)
(formal_parameter name: (_) @parameter.name) @parameter
(formal_parameter (type) @parameter.type) @parameter
(formal_parameter [
  (field_formal_parameter name: (_) @parameter.name)
  (super_formal_parameter name: (_) @parameter.name)]) @parameter

(function_signature return_type: (_)? @returns name: (_) @name parameters: (formal_parameter_list) @parameters)
(function_signature name: (_) @name parameters: (type_parameters (type_parameter) @type_parameter))
(getter_signature return_type: (_)? @returns "get" @modifier name: (_) @name)
(setter_signature return_type: (_)? @returns "set" @modifier name: (_) @name parameters: (_) @parameters)
(operator_signature return_type: (_)? @returns operator: (_) @name parameters: (_) @parameters)
(constructor_signature name: (identifier) @name . parameters: (formal_parameter_list) @parameters)
(constant_constructor_signature "const" @modifier name: (identifier) @name . parameters: (formal_parameter_list) @parameters)
(factory_constructor_signature "factory" @modifier name: (identifier) @name . parameters: (formal_parameter_list) @parameters)
(redirecting_factory_constructor_signature
  "factory" @modifier name: (identifier) @name . parameters: (formal_parameter_list) @parameters)
(method_signature "static" @modifier) @name.within
(declaration "static" @modifier [
  (function_signature name: (_) @name)
  (getter_signature name: (_) @name)
  (setter_signature name: (_) @name)])

(class_declaration name: (_) @name)
(class_declaration ["abstract" "base" "final" "interface" "mixin" "sealed"] @modifier name: (_) @name)
(class_declaration name: (_) @name superclass: (superclass type: (_) @base))
(class_declaration name: (_) @name superclass: (superclass (mixins (type) @base)))
(class_declaration name: (_) @name interfaces: (interfaces (type) @base))
(class_declaration name: (_) @name type_parameters: (_ (type_parameter) @type_parameter))
(mixin_declaration name: (_) @name)
(mixin_declaration name: (_) @name "on" (type) @base)
(mixin_declaration name: (_) @name interfaces: (interfaces (type) @base))
(extension_declaration class: (_) @name.within)
(extension_type_declaration name: (extension_type_name (identifier) @name))
(enum_declaration name: (_) @name)
(enum_declaration name: (_) @name (interfaces (type) @base))
(enum_declaration name: (_) @name (mixins (type) @base))
(enum_entry name: (_) @name (arguments)? @value)
(type_alias (type_identifier) @name "=" . (_) @type)
(type_alias (type_identifier) @name (type_parameters (type_parameter) @type_parameter))
(type_alias (type)? @type . (type_identifier) @name . (formal_parameter_list) @type)

(declaration (type)? @type (static_final_declaration_list (static_final_declaration name: (_) @name)))
(declaration (static_final_declaration_list (static_final_declaration name: (_) @name value: (_) @value)))
(declaration ["const" "covariant" "external" "final" "late" "static"] @modifier (static_final_declaration_list (static_final_declaration name: (_) @name)))
(declaration (type)? @type (initialized_identifier_list (initialized_identifier name: (_) @name)))
(declaration (initialized_identifier_list (initialized_identifier name: (_) @name value: (_) @value)))
(declaration ["covariant" "external" "final" "late" "static"] @modifier (initialized_identifier_list (initialized_identifier name: (_) @name)))
(top_level_variable_declaration (type)? @type (static_final_declaration_list (static_final_declaration name: (_) @name)))
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (_) @name value: (_) @value)))
(top_level_variable_declaration ["const" "external" "final" "late"] @modifier (static_final_declaration_list (static_final_declaration name: (_) @name)))
(top_level_variable_declaration (type)? @type (initialized_identifier_list (initialized_identifier name: (_) @name)))
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (_) @name value: (_) @value)))
(top_level_variable_declaration "late" @modifier (initialized_identifier_list (initialized_identifier name: (_) @name)))
