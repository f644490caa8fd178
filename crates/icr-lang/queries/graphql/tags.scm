; Definitions of GraphQL.

(object_type_definition (description)? @doc (name) @name (fields_definition)? @body) @definition.struct @contract.schema
(input_object_type_definition (description)? @doc (name) @name (input_fields_definition)? @body)
  @definition.struct @contract.schema
(interface_type_definition (description)? @doc (name) @name (fields_definition)? @body)
  @definition.interface @contract.interface
(union_type_definition (description)? @doc (name) @name (union_member_types)? @body)
  @definition.type @contract.type_alias
(enum_type_definition (description)? @doc (name) @name (enum_values_definition)? @body)
  @definition.enum @contract.enum
(scalar_type_definition (description)? @doc (name) @name) @definition.type
(directive_definition (description)? @doc (name) @name) @definition.macro

(field_definition (description)? @doc (name) @name) @definition.field
(input_value_definition (description)? @doc (name) @name) @definition.field
(enum_value_definition (description)? @doc (enum_value (name) @name)) @definition.variant

(object_type_extension (name) @name (fields_definition)? @body) @definition.implementation
(interface_type_extension (name) @name (fields_definition)? @body) @definition.implementation
(enum_type_extension (name) @name (enum_values_definition)? @body) @definition.implementation
(input_object_type_extension (name) @name (input_fields_definition)? @body) @definition.implementation

; Operations run; a fragment is set in where it is named.
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name (name) @name) (selection_set) @body) @definition.macro
