; Definitions of Haskell. A signature and the equations behind it are one definition.

(signature
  name: [(variable) @name (prefix_id (_) @name)]
  type: [(name) (apply) (list) (tuple) (unit) (qualified) (variable)]) @definition.variable
(signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function
(signature names: (binding_list name: (variable) @name)) @definition.variable
(function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.function @continued
(function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body) @definition.function @continued
(bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.variable @continued

(data_type
  name: (_) @name
  constructors: (data_constructors . constructor: (data_constructor constructor: (record)) .) @body)
  @definition.struct @contract.struct
(data_type name: (_) @name constructors: (_)? @body) @definition.enum @contract.enum
(newtype name: (_) @name constructor: (_)? @body) @definition.struct @contract.struct
(data_constructor constructor: [
  (record name: (_) @name)
  (prefix name: (_) @name)
  (infix operator: (_) @name)]) @definition.variant
(newtype_constructor name: (_) @name) @definition.variant
(gadt_constructor name: (_) @name) @definition.variant
(field name: (field_name (variable) @name)) @definition.field

(type_synonym name: (_) @name) @definition.type @contract.type_alias
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name "where"? @body) @definition.trait @contract.trait @members.inherit

; An instance is named by the type that it is of.
(instance
  patterns: (type_patterns . [
    (name) @name
    (qualified id: (name) @name)
    (parens type: (apply constructor: (name) @name))
    (parens type: (apply constructor: (apply constructor: (name) @name)))
    (parens type: (name) @name)])
  "where"? @body) @definition.implementation
(instance
  name: [(name) @name (qualified id: (name) @name)]
  patterns: (type_patterns . [(list) (tuple) (unit) (variable)])
  "where"? @body) @definition.implementation

(export variable: (variable) @export)
(export type: (name) @export)
