; Definitions of C++. A name stands inside its declarator, under the pointers and references of what it returns.

(function_definition (field_initializer_list) @body)

; Members defined apart from their class; the part before the last `::` may also be a namespace.
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))))
    (reference_declarator (function_declarator declarator: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))
    (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])]
  body: (_)? @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))))
    (reference_declarator (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))))
    (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))]
  body: (_)? @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))))
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)]))))))
    (reference_declarator (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))))
    (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: [(identifier) @name (destructor_name) @name (operator_name) @name (operator_cast type: (_) @name)])))]
  body: (_)? @body) @definition.method

; A word before the name of a class, as a macro of visibility, makes it look like a function without parameters.
(function_definition
  type: (class_specifier name: (_) !body)
  declarator: (identifier) @name
  body: (_) @body) @definition.class
(function_definition
  type: (struct_specifier name: (_) !body)
  declarator: (identifier) @name
  body: (_) @body) @definition.struct @contract.struct

(function_definition
  declarator: [
    (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name) (template_function name: (_) @name) (template_method name: (_) @name)])
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name) (template_function name: (_) @name) (template_method name: (_) @name)]))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name) (template_function name: (_) @name) (template_method name: (_) @name)])))
    (reference_declarator (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name) (template_function name: (_) @name) (template_method name: (_) @name)]))
    (attributed_declarator (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name) (template_function name: (_) @name) (template_method name: (_) @name)]))
    (operator_cast type: (_) @name)]
  body: (_)? @body) @definition.function
(declaration
  declarator: [
    (function_declarator declarator: [(identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name)])
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name)]))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name)])))
    (reference_declarator (function_declarator declarator: [(identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name)]))
    (attributed_declarator (function_declarator declarator: [(identifier) @name (operator_name) @name (destructor_name) @name (parenthesized_declarator (identifier) @name)]))
    (operator_cast type: (_) @name)]) @definition.function
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) @name (operator_name) @name (destructor_name) @name (template_method name: (_) @name)])
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) @name (operator_name) @name (destructor_name) @name (template_method name: (_) @name)]))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) @name (operator_name) @name (destructor_name) @name (template_method name: (_) @name)])))
    (reference_declarator (function_declarator declarator: [(field_identifier) @name (operator_name) @name (destructor_name) @name (template_method name: (_) @name)]))
    (attributed_declarator (function_declarator declarator: [(field_identifier) @name (operator_name) @name (destructor_name) @name (template_method name: (_) @name)]))]) @definition.method

(declaration
  (type_qualifier) @_qualifier
  declarator: (init_declarator
    declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]
    value: (_) @body)
  (#any-of? @_qualifier "const" "constexpr" "constinit")) @definition.constant
(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (init_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
      (reference_declarator (identifier) @name)] value: (_) @body)]) @definition.variable
(declaration
  declarator: [
    (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: (identifier) @name)
    (init_declarator
      declarator: (qualified_identifier scope: [(namespace_identifier) @receiver (template_type name: (_) @receiver)] name: (identifier) @name)
      value: (_) @body)]) @definition.field

(field_declaration
  (storage_class_specifier)
  (type_qualifier) @_qualifier
  declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]
  default_value: (_) @body
  (#any-of? @_qualifier "const" "constexpr")) @definition.constant
(field_declaration declarator: [
  (field_identifier) @name
  (array_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (reference_declarator (field_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))]
  default_value: (_)? @body) @definition.field

; A specialization has the name of its template.
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier name: (type_identifier) @name)
  (qualified_identifier name: (template_type name: (_) @name))] body: (_) @body) @definition.class @members.sections.private
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier name: (type_identifier) @name)
  (qualified_identifier name: (template_type name: (_) @name))] body: (_) @body) @definition.struct @contract.struct @members.sections.public
(union_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)] body: (_) @body) @definition.struct @contract.struct @members.sections.public
(enum_specifier name: [
  (type_identifier) @name
  (qualified_identifier name: (type_identifier) @name)] body: (_) @body) @definition.enum @contract.enum
(enumerator name: (_) @name) @definition.variant
(concept_definition name: (_) @name) @definition.interface @contract.interface
(namespace_definition name: (_) @name body: (_) @body) @definition.module

; A class with a function that is only declared for others to define.
(class_specifier body: (field_declaration_list
  (field_declaration declarator: (function_declarator) default_value: (number_literal)))) @contract.abstract_class
(class_specifier body: (field_declaration_list
  (field_declaration
    declarator: [(pointer_declarator declarator: (function_declarator)) (reference_declarator (function_declarator))]
    default_value: (number_literal)))) @contract.abstract_class

; A nameless struct has the name of its typedef.
(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct @contract.struct @members.sections.public
(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct @contract.struct @members.sections.public
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum @contract.enum
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type @contract.type_alias
(alias_declaration name: (_) @name) @definition.type @contract.type_alias

(preproc_function_def name: (_) @name value: (_)? @body) @definition.macro
(preproc_def name: (_) @name value: (_) @body) @definition.constant
