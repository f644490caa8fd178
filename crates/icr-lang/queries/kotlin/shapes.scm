; What signatures of Kotlin promise.

(string_literal) @verbatim
(multiline_string_literal) @verbatim
(character_literal) @verbatim
(annotation) @left_out

(function_value_parameters (parameter (identifier) @parameter.name ":" . (_) @parameter.type) @parameter)
(function_value_parameters (parameter) @parameter . "=" . (_) @parameter.default)
(function_value_parameters
  (parameter_modifiers (parameter_modifier "vararg" @parameter.variadic)) . (parameter) @parameter)
(class_parameters (class_parameter (identifier) @parameter.name ":" . (_) @parameter.type) @parameter)
(class_parameters (class_parameter "=" . (_) @parameter.default) @parameter)
(class_parameters (class_parameter (modifiers (parameter_modifier "vararg" @parameter.variadic))) @parameter)

(function_declaration name: (_) @name (function_value_parameters) @parameters)
(function_declaration name: (_) @name (function_value_parameters) . ":" . (_) @returns)
(function_declaration (type_parameters (type_parameter) @type_parameter) name: (_) @name)
(function_declaration name: (_) @name (type_constraints (type_constraint) @type_parameter))
(function_declaration
  (modifiers [
    (function_modifier ["infix" "inline" "operator" "suspend"] @modifier)
    (inheritance_modifier ["abstract" "final" "open"] @modifier)])
  name: (_) @name)
; An extension has the object at hand before its name.
(function_declaration
  [(user_type) (nullable_type) (parenthesized_type)] @parameter @parameter.type @parameter.receiver . "." . name: (_) @name)
  @parameters
(secondary_constructor "constructor" @name (function_value_parameters) @parameters)

(class_declaration name: (_) @name (primary_constructor (class_parameters) @parameters)?)
(class_declaration name: (_) @name (type_parameters (type_parameter) @type_parameter))
(class_declaration name: (_) @name (type_constraints (type_constraint) @type_parameter))
(class_declaration name: (_) @name (delegation_specifiers (delegation_specifier [
  (user_type) @base
  (function_type) @base
  (constructor_invocation . (_) @base)
  (explicit_delegation . (_) @base)])))
(class_declaration
  (modifiers [
    (class_modifier ["annotation" "data" "inner" "sealed" "value"] @modifier)
    (function_modifier "inline" @modifier)
    (inheritance_modifier ["abstract" "final" "open"] @modifier)])
  name: (_) @name)
(class_declaration "fun" @modifier . "interface" name: (_) @name)
(object_declaration name: (_) @name)
(object_declaration (modifiers (class_modifier "data" @modifier)) name: (_) @name)
(object_declaration name: (_) @name (delegation_specifiers (delegation_specifier [
  (user_type) @base
  (constructor_invocation . (_) @base)
  (explicit_delegation . (_) @base)])))
(companion_object name: (_) @name)
(enum_entry (identifier) @name (value_arguments)? @value)
(type_alias type: (_) @name "=" . (_) @type)
(type_alias type: (_) @name (type_parameters (type_parameter) @type_parameter))

(property_declaration "var"? @modifier (variable_declaration . (identifier) @name))
(property_declaration (variable_declaration . (identifier) @name ":" . (_) @type))
(property_declaration (variable_declaration . (identifier) @name) "=" . (_) @value)
(property_declaration
  (modifiers [
    (inheritance_modifier ["abstract" "final" "open"] @modifier)
    (member_modifier "lateinit" @modifier)
    (property_modifier "const" @modifier)])
  (variable_declaration . (identifier) @name))
(property_declaration
  (multi_variable_declaration (variable_declaration . (identifier) @name)))
(class_parameter "var" @modifier . (identifier) @name)
(class_parameter ["val" "var"] . (identifier) @name ":" . (_) @type)
(class_parameter ["val" "var"] . (identifier) @name "=" . (_) @value)
