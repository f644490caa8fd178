; What signatures of Go promise.

(interpreted_string_literal) @verbatim
(raw_string_literal) @verbatim
(rune_literal) @verbatim
(variadic_parameter_declaration "..." @tight)
(func_literal body: (_) @left_out)

(function_declaration name: (_) @name parameters: (_) @parameters result: (_)? @returns)
(function_declaration name: (_) @name type_parameters: (_ (type_parameter_declaration) @type_parameter))
(method_declaration
  receiver: (parameter_list (_ name: (_)? @parameter.name type: (_) @parameter.type) @parameter @parameter.receiver) @parameters
  name: (_) @name)
(method_declaration name: (_) @name parameters: (_) @parameters result: (_)? @returns)
(method_elem name: (_) @name parameters: (_) @parameters result: (_)? @returns)

(parameter_list (parameter_declaration name: (_) @parameter.name) @parameter)
(parameter_list (parameter_declaration type: (_) @parameter.type) @parameter)
(parameter_list (variadic_parameter_declaration
  name: (_)? @parameter.name type: (_) @parameter.type) @parameter @parameter.variadic)

(type_spec name: (_) @name)
(type_spec name: (_) @name type_parameters: (_ (type_parameter_declaration) @type_parameter))
(type_spec name: (_) @name type: (struct_type (field_declaration_list (field_declaration !name) @base)))
(type_spec name: (_) @name type: (interface_type (type_elem) @base))
(type_spec name: (_) @name type: [
  (array_type) (channel_type) (function_type) (generic_type) (map_type) (negated_type) (parenthesized_type)
  (pointer_type) (qualified_type) (slice_type) (type_identifier)] @type)
(type_alias name: (_) @name type: (_) @type)
(type_alias name: (_) @name type_parameters: (_ (type_parameter_declaration) @type_parameter))
(field_declaration name: (_) @name type: (_) @type)
(field_declaration name: (_) @name tag: (_) @modifier)

; Of several names in one line each has its value by its place, which nothing here counts.
(const_spec (identifier) @name type: (_)? @type)
(const_spec . (identifier) @name . type: (_)? . "=" . value: (expression_list . (_) @value .))
(var_spec (identifier) @name type: (_)? @type)
