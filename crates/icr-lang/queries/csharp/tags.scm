; Definitions of C#.

(class_declaration name: (_) @name body: (_)? @body) @definition.class @members.private
(struct_declaration name: (_) @name body: (_)? @body) @definition.struct @contract.struct @members.private
(record_declaration name: (_) @name body: (_)? @body) @definition.class @contract.dataclass @members.private
(interface_declaration name: (_) @name body: (_)? @body) @definition.interface @contract.interface @members.public
(enum_declaration name: (_) @name body: (_)? @body) @definition.enum @contract.enum
(enum_member_declaration name: (_) @name value: (_)? @body) @definition.variant
(delegate_declaration name: (_) @name) @definition.type @contract.type_alias

(constructor_declaration (constructor_initializer) @body)
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name body: (_)? @body) @definition.method
(destructor_declaration name: (_) @name body: (_)? @body) @definition.method
(operator_declaration operator: _ @name body: (_)? @body) @definition.method
(conversion_operator_declaration type: (_) @name body: (_)? @body) @definition.method
(indexer_declaration "this" @name accessors: (_)? @body value: (_)? @body) @definition.method
(local_function_statement name: (_) @name body: (_)? @body) @definition.function

(property_declaration name: (_) @name accessors: (_) @body) @definition.field
(property_declaration name: (_) @name value: (arrow_expression_clause) @body) @definition.field
(event_declaration name: (_) @name accessors: (_)? @body) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name "="? @body))) @definition.field
(field_declaration
  (modifier "const")
  (variable_declaration (variable_declarator name: (_) @name "="? @body))) @definition.constant
(field_declaration
  (modifier "static") . (modifier "readonly")
  (variable_declaration (variable_declarator name: (_) @name "="? @body))) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (_) @name "="? @body))) @definition.field
(global_statement (local_declaration_statement
  (variable_declaration (variable_declarator name: (identifier) @name "="? @body)))) @definition.variable

; Classes mapped to tables, then abstract ones.
(class_declaration
  (attribute_list (attribute name: [(identifier) @_attribute (qualified_name name: (identifier) @_attribute)]))
  (#any-of? @_attribute "Table" "Entity" "BsonCollection" "Owned" "PrimaryKey")) @contract.model
(class_declaration (modifier "abstract")) @contract.abstract_class
