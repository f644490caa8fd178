; Definitions of Rust.

(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function

(struct_item name: (_) @name body: (field_declaration_list) @body) @definition.struct @contract.struct
(struct_item name: (_) @name) @definition.struct @contract.struct
(union_item name: (_) @name body: (_) @body) @definition.struct @contract.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum @contract.enum
(enum_variant name: (_) @name) @definition.variant
(field_declaration name: (_) @name) @definition.field

(trait_item name: (_) @name body: (_) @body) @definition.trait @contract.trait @members.inherit
(type_item name: (_) @name) @definition.type @contract.type_alias
(associated_type name: (_) @name) @definition.type

(const_item name: (_) @name value: (_)? @body) @definition.constant
(static_item name: (_) @name value: (_)? @body) @definition.variable

(mod_item name: (_) @name body: (_) @body) @definition.module
(macro_definition name: (_) @name (macro_rule) @body) @definition.macro

; A block of members has the name of its type, without what the type is applied to.
(impl_item type: (type_identifier) @name body: (_) @body) @definition.implementation
(impl_item type: (generic_type type: (type_identifier) @name) body: (_) @body) @definition.implementation
(impl_item type: (scoped_type_identifier name: (_) @name) body: (_) @body) @definition.implementation
(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @name)) body: (_) @body) @definition.implementation
(impl_item type: (reference_type type: (type_identifier) @name) body: (_) @body) @definition.implementation
(impl_item type: (reference_type type: (generic_type type: (type_identifier) @name)) body: (_) @body) @definition.implementation
(impl_item
  type: [(array_type) (dynamic_type) (function_type) (macro_invocation) (never_type) (pointer_type) (primitive_type) (tuple_type) (unit_type)] @name
  body: (_) @body) @definition.implementation
(impl_item
  type: (reference_type type: [(array_type) (dynamic_type) (primitive_type) (reference_type) (scoped_type_identifier) (tuple_type)]) @name
  body: (_) @body) @definition.implementation
(impl_item trait: (_)) @members.unspecified
