; What signatures of OCaml promise. A function type is parameters, each with the rest as its result.

(string) @verbatim
(quoted_string) @verbatim
(character) @verbatim
(attribute) @left_out

(function_type domain: (_) @parameter @parameter.type)
(function_type codomain: (function_type) @parameters.more)
(function_type codomain: [
  (constructed_type) (local_open_type) (object_type) (parenthesized_type) (polymorphic_variant_type) (tuple_type)
  (type_constructor_path) (type_variable)] @returns) @parameters.of

(parameter (label_name) @parameter.name) @parameter
(parameter (label_name) pattern: (typed_pattern type: (_) @parameter.type)) @parameter
(parameter . pattern: (value_pattern) @parameter.name) @parameter
(parameter . pattern: (typed_pattern pattern: (_) @parameter.name type: (_) @parameter.type)) @parameter
(parameter "~" @parameter.keyword_only) @parameter
(parameter "?" @parameter.keyword_only @parameter.optional) @parameter
(parameter default: (_) @parameter.default) @parameter
(parameter pattern: [
  (any_pattern) (constructor_pattern) (list_pattern) (parenthesized_pattern) (record_pattern) (tuple_pattern) (unit)] @parameter.name) @parameter

(let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] type: (_)? @type) @parameters
(let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  type: [(function_type) @parameters (polymorphic_type (function_type) @parameters)])
(let_binding pattern: (tuple_pattern (value_name) @name))
(value_specification
  [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type) @parameters)
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: [
  (constructed_type) (local_open_type) (object_type) (parenthesized_type) (polymorphic_variant_type) (tuple_type)
  (type_constructor_path) (type_variable)] @type)
(external [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type) @parameters)
(external [(value_name) @name (parenthesized_operator (_) @name)] type: [
  (constructed_type) (local_open_type) (object_type) (parenthesized_type) (polymorphic_variant_type) (tuple_type)
  (type_constructor_path) (type_variable)] @type)

(type_binding name: (type_constructor) @name)
(type_binding (type_variable) @type_parameter name: (type_constructor) @name)
(type_binding name: (type_constructor) @name body: [
  (constructed_type) (local_open_type) (object_type) (parenthesized_type) (polymorphic_variant_type) (tuple_type)
  (type_constructor_path) (type_variable)] @type)
(type_binding name: (type_constructor) @name body: (function_type) @type)
(type_binding name: (type_constructor) @name ["private"] @modifier)
(constructor_declaration (constructor_name) @name)
(constructor_declaration (constructor_name) @name "of" [
  "*" (constructed_type) (function_type) (parenthesized_type) (polymorphic_variant_type) (tuple_type)
  (type_constructor_path) (type_variable)] @type)
(field_declaration "mutable"? @modifier (field_name) @name type: (_) @type)

(module_binding (module_name) @name) @parameters
(module_parameter (module_name) @parameter.name module_type: (_) @parameter.type) @parameter
(module_type_definition (module_type_name) @name)
(class_binding (class_name) @name) @parameters
(class_type_binding (class_type_name) @name)
(method_definition (method_name) @name type: (_)? @type) @parameters
(method_definition ["private" "virtual"] @modifier (method_name) @name)
(method_specification (method_name) @name type: (_)? @type)
(instance_variable_definition "mutable"? @modifier (instance_variable_name) @name type: (_)? @type)
