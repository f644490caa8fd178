; Definitions of Scala.

(class_definition name: (_) @name body: (_)? @body) @definition.class
(class_definition "case" name: (_) @name) @contract.dataclass
(class_definition (modifiers ["abstract" "sealed"]) name: (_) @name) @contract.abstract_class
(object_definition name: (_) @name body: (_)? @body) @definition.class
(trait_definition name: (_) @name body: (_)? @body) @definition.trait @contract.trait
(enum_definition name: (_) @name body: (_)? @body) @definition.enum @contract.enum
(simple_enum_case name: (_) @name) @definition.variant
(full_enum_case name: (_) @name) @definition.variant
(package_object name: (_) @name body: (_)? @body) @definition.module
(type_definition name: (_) @name) @definition.type @contract.type_alias

(function_definition name: (_) @name body: (_) @body) @definition.function
(function_definition "=" @body)
(function_declaration name: (_) @name) @definition.function

; An instance with members of its own is an object.
(given_definition name: (_) @name body: (with_template_body) @body) @definition.class
(given_definition name: (_) @name body: (_)? @body) @definition.variable

(val_definition pattern: (identifier) @name value: (_) @body) @definition.variable
(val_definition pattern: (identifiers (identifier) @name)) @definition.variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @definition.variable
(val_definition value: (_) @body)
(val_declaration name: (_) @name) @definition.variable
(var_definition pattern: (identifier) @name value: (_) @body) @definition.variable
(var_definition pattern: (identifiers (identifier) @name)) @definition.variable
(var_definition pattern: (tuple_pattern (identifier) @name)) @definition.variable
(var_definition value: (_) @body)
(var_declaration name: (_) @name) @definition.variable

; Parameters that are members: marked ones, and all of a case class.
(class_parameter ["val" "var"] name: (_) @name) @definition.field
(class_parameter default_value: (_) @body)
(class_definition
  "case"
  class_parameters: (class_parameters (class_parameter name: (_) @name) @definition.field)
  (#not-match? @definition.field "^[^:]*\\b(val|var)\\s"))
