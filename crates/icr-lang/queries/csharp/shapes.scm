; What signatures of C# promise.

(string_literal) @verbatim
(verbatim_string_literal) @verbatim
(raw_string_literal) @verbatim
(interpolated_string_expression) @verbatim
(character_literal) @verbatim
(attribute_list) @left_out
(accessor_declaration body: (_) @left_out)
(lambda_expression body: (block) @left_out)

(parameter_list (parameter type: (_) @parameter.type name: (_) @parameter.name) @parameter)
(parameter_list (parameter (modifier) @parameter.type (#not-eq? @parameter.type "this")) @parameter)
(parameter_list (parameter (modifier) @parameter.receiver (#eq? @parameter.receiver "this")) @parameter)
(parameter_list (parameter name: (_) . "=" . (_) @parameter.default) @parameter)
(parameter_list
  "params" @parameter.variadic . type: (_) @parameter.type . name: (_) @parameter.name @parameter)
(bracketed_parameter_list (parameter type: (_) @parameter.type name: (_) @parameter.name) @parameter)

(method_declaration returns: (_) @returns name: (_) @name parameters: (_) @parameters)
(local_function_statement type: (_) @returns name: (_) @name parameters: (_) @parameters)
(constructor_declaration name: (_) @name parameters: (_) @parameters)
(destructor_declaration name: (_) @name)
(operator_declaration type: (_) @returns operator: _ @name parameters: (_) @parameters)
(conversion_operator_declaration ["explicit" "implicit"] @modifier type: (_) @name @returns parameters: (_) @parameters)
(indexer_declaration type: (_) @returns "this" @name parameters: (_) @parameters)
(indexer_declaration "this" @name accessors: (_ (accessor_declaration) @modifier))
(delegate_declaration type: (_) @returns name: (_) @name parameters: (_) @parameters)

(class_declaration name: (_) @name (parameter_list)? @parameters)
(struct_declaration name: (_) @name (parameter_list)? @parameters)
(record_declaration name: (_) @name (parameter_list)? @parameters)
(interface_declaration name: (_) @name)
(enum_declaration name: (_) @name)
(enum_member_declaration name: (_) @name value: (_)? @value)

(property_declaration type: (_) @type name: (_) @name)
(property_declaration name: (_) @name accessors: (_ (accessor_declaration) @modifier))
(property_declaration name: (_) @name "=" . value: (_) @value)
(event_declaration type: (_) @type name: (_) @name)
(event_field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name)))
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name)))
(field_declaration (variable_declaration (variable_declarator name: (_) @name "=" . (_) @value)))
(global_statement (local_declaration_statement
  (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name))))

(class_declaration name: (_) @name (base_list [
  (primary_constructor_base_type type: (_) @base)
  (alias_qualified_name) @base
  (generic_name) @base
  (identifier) @base
  (qualified_name) @base]))
(struct_declaration name: (_) @name (base_list (_) @base))
(record_declaration name: (_) @name (base_list [
  (primary_constructor_base_type type: (_) @base)
  (alias_qualified_name) @base
  (generic_name) @base
  (identifier) @base
  (qualified_name) @base]))
(interface_declaration name: (_) @name (base_list (_) @base))
(enum_declaration name: (_) @name (base_list (_) @base))
(class_declaration name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(class_declaration name: (_) @name (type_parameter_constraints_clause) @type_parameter)
(struct_declaration name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(struct_declaration name: (_) @name (type_parameter_constraints_clause) @type_parameter)
(record_declaration name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(record_declaration name: (_) @name (type_parameter_constraints_clause) @type_parameter)
(interface_declaration name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(interface_declaration name: (_) @name (type_parameter_constraints_clause) @type_parameter)
(method_declaration name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(method_declaration name: (_) @name (type_parameter_constraints_clause) @type_parameter)
(delegate_declaration name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(delegate_declaration name: (_) @name (type_parameter_constraints_clause) @type_parameter)
(local_function_statement name: (_) @name (type_parameter_list (type_parameter) @type_parameter))
(local_function_statement name: (_) @name (type_parameter_constraints_clause) @type_parameter)

(class_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(struct_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(record_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(interface_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(method_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(local_function_statement
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(constructor_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(property_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(event_declaration
  (modifier) @modifier
  name: (_) @name
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(field_declaration
  (modifier) @modifier
  (variable_declaration (variable_declarator name: (_) @name))
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(event_field_declaration
  (modifier) @modifier
  (variable_declaration (variable_declarator name: (_) @name))
  (#any-of? @modifier "abstract" "async" "const" "readonly" "ref" "required" "sealed" "static" "unsafe" "virtual"))
(operator_declaration
  (modifier) @modifier
  operator: _ @name
  (#any-of? @modifier "abstract" "static" "virtual"))
