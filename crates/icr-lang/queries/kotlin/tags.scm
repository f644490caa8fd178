; Definitions of Kotlin. Members of an unnamed companion are those of the class around it.

(class_declaration
  "interface"
  name: (_) @name (class_body)? @body) @definition.interface @contract.interface
(class_declaration
  (modifiers (class_modifier "enum"))
  name: (_) @name (enum_class_body)? @body) @definition.enum @contract.enum
(class_declaration
  (modifiers (class_modifier "annotation"))
  name: (_) @name (class_body)? @body) @definition.interface @contract.interface

; Classes mapped to tables, messages, classes that are their fields, then abstract ones.
(class_declaration
  (modifiers (annotation [
    (user_type (identifier) @_annotation)
    (constructor_invocation (user_type (identifier) @_annotation))]))
  (#any-of? @_annotation "Entity" "Table" "Document" "MappedSuperclass" "Embeddable")) @contract.model
(class_declaration
  (modifiers (annotation [
    (user_type (identifier) @_annotation)
    (constructor_invocation (user_type (identifier) @_annotation))]))
  (#any-of? @_annotation "Serializable" "JsonClass")) @contract.schema
(class_declaration (modifiers (class_modifier ["data" "value"]))) @contract.dataclass
(class_declaration (modifiers (inheritance_modifier "abstract"))) @contract.abstract_class
(class_declaration (modifiers (class_modifier "sealed"))) @contract.abstract_class

(class_declaration name: (_) @name [(class_body) (enum_class_body)]? @body) @definition.class
(object_declaration name: (_) @name (class_body)? @body) @definition.class
(companion_object name: (_) @name (class_body)? @body) @definition.class
(enum_entry (identifier) @name (class_body)? @body) @definition.variant
(type_alias type: (_) @name) @definition.type @contract.type_alias

; An extension belongs to the type before its name.
(function_declaration
  [(user_type (identifier) @receiver . (type_arguments)? .)
   (nullable_type (user_type (identifier) @receiver . (type_arguments)? .))]
  . "." . name: (_) @name (function_body)? @body) @definition.method
(function_declaration name: (_) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.method

(property_declaration
  [(user_type (identifier) @receiver . (type_arguments)? .)
   (nullable_type (user_type (identifier) @receiver . (type_arguments)? .))]
  . "." . (variable_declaration . (identifier) @name)) @definition.field
(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration . (identifier) @name)) @definition.constant
(property_declaration (variable_declaration . (identifier) @name)) @definition.variable
(property_declaration (multi_variable_declaration (variable_declaration . (identifier) @name))) @definition.variable
(property_declaration "=" . (_) @body)
(property_declaration (property_delegate) @body)
(property_declaration (getter) @body)
(class_parameter ["val" "var"] . (identifier) @name) @definition.field
(class_parameter "=" . (_) @body)
