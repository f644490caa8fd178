; What signatures of C promise, also read for C++. A declarator stands around its name: of it the rest is a part of the
; type.

(string_literal) @verbatim
(char_literal) @verbatim
(struct_specifier body: (_) @left_out)
(union_specifier body: (_) @left_out)
(enum_specifier body: (_) @left_out)
(attribute_specifier) @left_out
(function_definition body: (_) @left_out)

(function_definition type: (_) @type declarator: (_) @type @name.within)
(function_definition (type_qualifier) @type declarator: (_) @name.within)
(function_definition (storage_class_specifier) @modifier declarator: (_) @name.within (#eq? @modifier "static"))
(declaration
  type: (_) @type
  declarator: [
    (array_declarator) (attributed_declarator) (function_declarator) (identifier) (parenthesized_declarator)
    (pointer_declarator)] @type @name.within)
(declaration type: (_) @type declarator: (init_declarator declarator: (_) @type @name.within value: (_) @value))
(declaration (type_qualifier) @type declarator: (_) @name.within)
(declaration (storage_class_specifier) @modifier declarator: (_) @name.within (#eq? @modifier "static"))
(function_declarator declarator: (identifier) @name parameters: (_) @parameters)
(function_declarator declarator: (parenthesized_declarator (identifier) @name) @left_out parameters: (_) @parameters)

(parameter_list (parameter_declaration type: (_) @parameter.type declarator: (_)? @parameter.type) @parameter)
(parameter_list (parameter_declaration (type_qualifier) @parameter.type) @parameter)
(parameter_list (parameter_declaration declarator: [
  (identifier) @parameter.name
  (array_declarator declarator: (identifier) @parameter.name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @parameter.name))
  (pointer_declarator declarator: (identifier) @parameter.name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @parameter.name))
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @parameter.name))
  (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @parameter.name)))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @parameter.name)))])
  @parameter)
; Of a pointer to a function the names of parameters say nothing.
(function_declarator
  declarator: (parenthesized_declarator (pointer_declarator))
  parameters: (parameter_list (parameter_declaration declarator: [
    (identifier) @left_out
    (pointer_declarator declarator: (identifier) @left_out)])))
; `(void)` is how no parameters are written.
(parameter_list . (parameter_declaration . type: (primitive_type) @left_out .) . (#eq? @left_out "void"))

(struct_specifier name: (_) @name.within)
(union_specifier name: (_) @name.within)
(enum_specifier name: (_) @name.within)
(enumerator name: (_) @name value: (_)? @value)
(field_declaration
  type: (_) @type
  declarator: [
    (array_declarator) (field_identifier) (function_declarator) (parenthesized_declarator) (pointer_declarator)]
    @type @name.within)
(field_declaration (type_qualifier) @type declarator: (_) @name.within)
(field_declaration declarator: (_) @name.within . (bitfield_clause (_) @modifier.bits))
(type_definition
  type: [
    (enum_specifier !body) (primitive_type) (sized_type_specifier) (struct_specifier !body)
    (type_identifier) (union_specifier !body)] @type
  declarator: (_) @type @name.within)
(type_definition
  type: [(enum_specifier body: (_)) (struct_specifier body: (_)) (union_specifier body: (_))]
  declarator: (_) @name.within)
(type_definition (type_qualifier) @type declarator: (_) @name.within)

(preproc_function_def name: (_) @name parameters: (_) @parameters)
(preproc_params (identifier) @parameter @parameter.name)
(preproc_params "..." @parameter @parameter.variadic)
(preproc_def name: (_) @name value: (_)? @value)
