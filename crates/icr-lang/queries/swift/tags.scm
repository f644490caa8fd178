; Definitions of Swift.

(class_declaration
  declaration_kind: "class" name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration
  declaration_kind: "actor" name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration
  declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @definition.struct
(class_declaration
  declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @definition.enum @contract.enum
(class_declaration
  declaration_kind: "extension"
  name: [(type_identifier) @name (user_type (type_identifier) @name . (type_arguments)? .)]
  body: (_) @body) @definition.implementation
(class_declaration
  (modifiers (visibility_modifier ["public" "open"])) declaration_kind: "extension") @members.public
(class_declaration
  (modifiers (visibility_modifier ["private" "fileprivate"])) declaration_kind: "extension") @members.private
(protocol_declaration name: (_) @name body: (_) @body) @definition.interface @contract.protocol @members.inherit

; Classes mapped to tables, then what every struct is.
(class_declaration
  (modifiers (attribute (user_type (type_identifier) @_attribute)))
  (#eq? @_attribute "Model")) @contract.model
(class_declaration
  declaration_kind: "class"
  (inheritance_specifier inherits_from: (user_type (type_identifier) @_base))
  (#eq? @_base "NSManagedObject")) @contract.model
(class_declaration declaration_kind: "struct") @contract.struct

(enum_entry name: (simple_identifier) @name) @definition.variant
(typealias_declaration name: (type_identifier) @name) @definition.type @contract.type_alias
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration "macro" . (simple_identifier) @name definition: (_)? @body) @definition.macro

(function_declaration "func" . name: _ @name body: (_)? @body) @definition.function
(protocol_function_declaration "func" . name: _ @name) @definition.method
(init_declaration name: "init" @name body: (_)? @body) @definition.method
(deinit_declaration "deinit" @name body: (_)? @body) @definition.method
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method

(property_declaration name: (pattern bound_identifier: (_) @name)) @definition.variable
(property_declaration value: (_) @body)
(property_declaration computed_value: (_) @body)
(property_declaration (willset_didset_block) @body)
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @definition.field
(protocol_property_declaration (protocol_property_requirements) @body)
