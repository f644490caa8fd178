; Definitions of Java.

(class_declaration name: (_) @name body: (_) @body) @definition.class
(record_declaration name: (_) @name body: (_) @body) @definition.class @contract.dataclass
(interface_declaration name: (_) @name body: (_) @body) @definition.interface @contract.interface @members.inherit
(annotation_type_declaration name: (_) @name body: (_) @body) @definition.interface @contract.interface @members.inherit
(enum_declaration name: (_) @name body: (_) @body) @definition.enum @contract.enum
(enum_constant name: (_) @name body: (_)? @body) @definition.variant

(method_declaration name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name body: (_) @body) @definition.method
(compact_constructor_declaration name: (_) @name body: (_) @body) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method

(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (_) @name value: (_)? @body)) @definition.constant
(field_declaration
  (modifiers "final" "static")
  declarator: (variable_declarator name: (_) @name value: (_)? @body)) @definition.constant
(field_declaration declarator: (variable_declarator name: (_) @name value: (_)? @body)) @definition.field
(constant_declaration declarator: (variable_declarator name: (_) @name value: (_)? @body)) @definition.constant

; Classes mapped to tables, then abstract ones.
(class_declaration
  (modifiers [(marker_annotation name: (identifier) @_annotation) (annotation name: (identifier) @_annotation)])
  (#any-of? @_annotation "Entity" "Table" "Document" "MappedSuperclass" "Embeddable")) @contract.model
(class_declaration (modifiers "abstract")) @contract.abstract_class

(module_declaration name: (_) @name body: (_) @body) @definition.module
