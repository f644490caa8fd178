; What signatures of Scala promise.

(string) @verbatim
(interpolated_string_expression) @verbatim
(character_literal) @verbatim
(annotation) @left_out

(class_definition name: (_) @name)
(class_definition name: (_) @name class_parameters: (_) @parameters)
(class_definition name: (_) @name type_parameters: (_) @type_parameter)
(class_definition name: (_) @name extend: (extends_clause [
  (annotated_type) (applied_constructor_type) (compound_type) (function_type) (generic_type) (projected_type)
  (stable_type_identifier) (type_identifier)] @base))
(class_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) name: (_) @name)
(trait_definition name: (_) @name)
(trait_definition name: (_) @name class_parameters: (_) @parameters)
(trait_definition name: (_) @name type_parameters: (_) @type_parameter)
(trait_definition name: (_) @name extend: (extends_clause [
  (annotated_type) (applied_constructor_type) (compound_type) (function_type) (generic_type) (projected_type)
  (stable_type_identifier) (type_identifier)] @base))
(trait_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) name: (_) @name)
(enum_definition name: (_) @name)
(enum_definition name: (_) @name class_parameters: (_) @parameters)
(enum_definition name: (_) @name type_parameters: (_) @type_parameter)
(enum_definition name: (_) @name extend: (extends_clause [
  (annotated_type) (applied_constructor_type) (compound_type) (function_type) (generic_type) (projected_type)
  (stable_type_identifier) (type_identifier)] @base))
(enum_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) name: (_) @name)
(object_definition name: (_) @name)
(object_definition name: (_) @name extend: (extends_clause [
  (annotated_type) (applied_constructor_type) (compound_type) (function_type) (generic_type) (projected_type)
  (stable_type_identifier) (type_identifier)] @base))
(object_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) name: (_) @name)
(class_definition "case" @modifier name: (_) @name)
(object_definition "case" @modifier name: (_) @name)
(simple_enum_case name: (_) @name extend: (extends_clause arguments: (_) @value)?)
(full_enum_case name: (_) @name class_parameters: (_)? @parameters)

(function_definition name: (_) @name return_type: (_)? @returns)
(function_definition name: (_) @name parameters: (parameters) @parameters)
(function_definition name: (_) @name parameters: (type_parameters) @type_parameter)
(function_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) name: (_) @name)
(function_declaration name: (_) @name return_type: (_)? @returns)
(function_declaration name: (_) @name parameters: (parameters) @parameters)
(function_declaration name: (_) @name parameters: (type_parameters) @type_parameter)
(function_declaration (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) name: (_) @name)
(extension_definition
  parameters: (parameters
    (parameter name: (_) @parameter.name type: (_) @parameter.type) @parameter @parameter.receiver) @parameters
  body: (function_definition name: (_) @name))
(given_definition name: (_) @name return_type: (_) @type)

(parameters (parameter
  name: (_) @parameter.name type: (_)? @parameter.type default_value: (_)? @parameter.default) @parameter)
(parameters (parameter type: (repeated_parameter_type) @parameter.variadic) @parameter)
(parameters ["implicit" "using"] @parameter.type (parameter) @parameter)
(class_parameters (class_parameter
  name: (_) @parameter.name type: (_)? @parameter.type default_value: (_)? @parameter.default) @parameter)
(class_parameters (class_parameter type: (repeated_parameter_type) @parameter.variadic) @parameter)
(class_parameters ["implicit" "using"] @parameter.type (class_parameter) @parameter)
(class_parameter name: (_) @name type: (_) @type)
(class_parameter "var" @modifier name: (_) @name)

(val_definition "val" pattern: (identifier) @name type: (_)? @type value: (_) @value)
(val_definition pattern: (identifiers (identifier) @name))
(val_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) pattern: (identifier) @name)
(val_declaration "val" name: (_) @name type: (_) @type)
(var_definition "var" @modifier pattern: (identifier) @name type: (_)? @type value: (_) @value)
(var_definition pattern: (identifiers (identifier) @name))
(var_definition (modifiers [
  "abstract" "final" "implicit" "lazy" "sealed" (inline_modifier) (opaque_modifier) (open_modifier) (transparent_modifier)] @modifier) pattern: (identifier) @name)
(var_declaration "var" @modifier name: (_) @name type: (_) @type)
(type_definition name: (_) @name type: (_)? @type)
(type_definition name: (_) @name bound: (_) @type)
(type_definition name: (_) @name type_parameters: (_) @type_parameter)
(type_definition (opaque_modifier) @modifier name: (_) @name)
