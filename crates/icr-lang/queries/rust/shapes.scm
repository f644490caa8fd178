; What signatures of Rust promise.

(string_literal) @verbatim
(raw_string_literal) @verbatim
(char_literal) @verbatim
(macro_invocation "!" @tight)
(attribute_item) @left_out
(parameter (mutable_specifier) @left_out)
((self_parameter . (mutable_specifier) @left_out) @_whole (#match? @_whole "^mut"))

(function_item name: (_) @name parameters: (_) @parameters return_type: (_)? @returns)
(function_item (function_modifiers ["async" "const" "default" "unsafe" (extern_modifier)] @modifier) name: (_) @name)
(function_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(function_item name: (_) @name (where_clause (where_predicate) @type_parameter))
(function_signature_item name: (_) @name parameters: (_) @parameters return_type: (_)? @returns)
(function_signature_item
  (function_modifiers ["async" "const" "default" "unsafe" (extern_modifier)] @modifier) name: (_) @name)
(function_signature_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(function_signature_item name: (_) @name (where_clause (where_predicate) @type_parameter))

(parameters (self_parameter (self) @parameter.name) @parameter @parameter.type @parameter.receiver)
(parameters (parameter
  pattern: (self) @parameter.name @parameter.receiver type: (_) @parameter.type) @parameter)
(parameters (parameter pattern: _ @parameter.name type: (_) @parameter.type) @parameter)
(parameters (variadic_parameter) @parameter @parameter.variadic)

(struct_item name: (_) @name body: (ordered_field_declaration_list)? @type)
(struct_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(struct_item name: (_) @name (where_clause (where_predicate) @type_parameter))
(union_item name: (_) @name)
(union_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(enum_item name: (_) @name)
(enum_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(enum_item name: (_) @name (where_clause (where_predicate) @type_parameter))
(enum_variant name: (_) @name body: (ordered_field_declaration_list)? @type value: (_)? @value)
(field_declaration name: (_) @name type: (_) @type)

(trait_item "unsafe"? @modifier name: (_) @name)
(trait_item name: (_) @name bounds: (trait_bounds (_) @base))
(trait_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(trait_item name: (_) @name (where_clause (where_predicate) @type_parameter))
(associated_type name: (_) @name bounds: (_)? @type)
(type_item name: (_) @name type: (_) @type)
(type_item name: (_) @name type_parameters: (_ [
  (const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter))
(const_item name: (_) @name type: (_) @type value: (_)? @value)
(static_item (mutable_specifier)? @modifier name: (_) @name type: (_) @type)

; A block of members has its name in its type.
(impl_item "unsafe"? @modifier trait: (_)? @base type: (_) @name.within)
(impl_item
  type_parameters: (_ [(const_parameter) (lifetime_parameter) (type_parameter)] @type_parameter)
  type: (_) @name.within)
(impl_item type: (_) @name.within (where_clause (where_predicate) @type_parameter))

; Traits that are derived are implemented; who matches on what may grow has an arm for the rest.
(source_file
  (attribute_item (attribute (identifier) @_attribute arguments: (token_tree (identifier) @base . ["," ")"])))
  . (attribute_item)*
  . [(enum_item name: (_) @name) (struct_item name: (_) @name) (union_item name: (_) @name)]
  (#eq? @_attribute "derive"))
(source_file
  (attribute_item (attribute (identifier) @modifier))
  . (attribute_item)*
  . [(enum_item name: (_) @name) (struct_item name: (_) @name)]
  (#eq? @modifier "non_exhaustive"))
(declaration_list
  (attribute_item (attribute (identifier) @_attribute arguments: (token_tree (identifier) @base . ["," ")"])))
  . (attribute_item)*
  . [(enum_item name: (_) @name) (struct_item name: (_) @name) (union_item name: (_) @name)]
  (#eq? @_attribute "derive"))
(declaration_list
  (attribute_item (attribute (identifier) @modifier))
  . (attribute_item)*
  . [(enum_item name: (_) @name) (struct_item name: (_) @name)]
  (#eq? @modifier "non_exhaustive"))
