; What signatures of C++ promise, besides those of C.

(raw_string_literal) @verbatim
(lambda_expression body: (_) @left_out)
(attribute_declaration) @left_out
; They say when a value is there, and are no part of a type.
((type_qualifier) @left_out (#any-of? @left_out "consteval" "constexpr" "constinit"))
(function_definition (field_initializer_list) @left_out)
(function_declarator
  declarator: [
    (destructor_name) (operator_name) (qualified_identifier) (template_function) (template_method)] @left_out)
(function_declarator (virtual_specifier) @left_out)
(declaration declarator: (qualified_identifier) @left_out)
(init_declarator declarator: (qualified_identifier) @left_out)

(function_declarator
  declarator: [
    (destructor_name) (field_identifier) (operator_name) (qualified_identifier) (template_function) (template_method)]
    @name.within
  parameters: (_) @parameters)
(function_definition
  declarator: [
    (destructor_name) (field_identifier) (function_declarator) (operator_cast) (operator_name) (qualified_identifier)]
    @type @name.within)
(function_definition ["virtual" (explicit_function_specifier)] @modifier declarator: (_) @name.within)
(function_definition
  (type_qualifier) @modifier.is.constexpr
  declarator: (_) @name.within
  (#eq? @modifier.is.constexpr "constexpr"))
(declaration
  (type_qualifier) @modifier.is.constexpr
  declarator: (_) @name.within
  (#eq? @modifier.is.constexpr "constexpr"))
(field_declaration
  (type_qualifier) @modifier.is.constexpr
  declarator: (_) @name.within
  (#eq? @modifier.is.constexpr "constexpr"))
(function_definition declarator: (_) @name.within (delete_method_clause) @modifier.is.deleted)
(declaration type: (_) @type declarator: [(qualified_identifier) (reference_declarator)] @type @name.within)
(declaration ["virtual" (explicit_function_specifier)] @modifier declarator: (_) @name.within)
(function_declarator declarator: (_) @name.within [(noexcept) (ref_qualifier) (type_qualifier)] @modifier)

(field_declaration
  type: (_) @type
  declarator: (reference_declarator) @type @name.within)
(field_declaration
  (storage_class_specifier) @modifier
  declarator: (_) @name.within
  (#any-of? @modifier "static" "thread_local"))
(field_declaration ["virtual" (explicit_function_specifier)] @modifier declarator: (_) @name.within)
(field_declaration declarator: (_) @name.within . "=" . default_value: (_) @value)
(field_declaration
  declarator: [
    (function_declarator)
    (pointer_declarator (function_declarator))
    (reference_declarator (function_declarator))] @name.within
  default_value: (number_literal) @modifier.is.abstract)

(parameter_list (parameter_declaration declarator: [
  (reference_declarator (identifier) @parameter.name)
  (reference_declarator (parenthesized_declarator (array_declarator declarator: (identifier) @parameter.name)))
  (pointer_declarator declarator: (reference_declarator (identifier) @parameter.name))]) @parameter)
(parameter_list (optional_parameter_declaration
  type: (_) @parameter.type declarator: (_)? @parameter.type default_value: (_) @parameter.default) @parameter)
(parameter_list (optional_parameter_declaration (type_qualifier) @parameter.type) @parameter)
(parameter_list (optional_parameter_declaration declarator: [
  (identifier) @parameter.name
  (array_declarator declarator: (identifier) @parameter.name)
  (pointer_declarator declarator: (identifier) @parameter.name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @parameter.name))
  (reference_declarator (identifier) @parameter.name)]) @parameter)
(parameter_list (variadic_parameter_declaration
  type: (_) @parameter.type declarator: (_)? @parameter.type) @parameter @parameter.variadic)
(parameter_list (variadic_parameter_declaration (type_qualifier) @parameter.type) @parameter)
(parameter_list (variadic_parameter_declaration declarator: [
  (variadic_declarator (identifier) @parameter.name)
  (reference_declarator (variadic_declarator (identifier) @parameter.name))]) @parameter)
(variadic_declarator "..." @left_out)
; `...` alone, of C.
(parameter_list "..." @parameter @parameter.variadic)

(template_declaration
  parameters: (template_parameter_list (_) @type_parameter)
  [
    (alias_declaration) (class_specifier) (concept_definition) (declaration) (field_declaration) (function_definition)
    (struct_specifier) (union_specifier)] @name.within)
(template_declaration
  (requires_clause) @type_parameter
  [(class_specifier) (declaration) (function_definition) (struct_specifier)] @name.within)
(class_specifier name: (_) @name.within (virtual_specifier)? @modifier)
(class_specifier
  name: (_) @name.within
  (base_class_clause [(qualified_identifier) (template_type) (type_identifier)] @base))
(struct_specifier name: (_) @name.within (virtual_specifier) @modifier)
(struct_specifier
  name: (_) @name.within
  (base_class_clause [(qualified_identifier) (template_type) (type_identifier)] @base))
(enum_specifier ["class" "struct"] @modifier.is.scoped name: (_) @name.within)
(enum_specifier name: (_) @name.within base: (_) @base)
(alias_declaration name: (_) @name type: (_) @type)
(concept_definition name: (_) @name (_) @type .)
