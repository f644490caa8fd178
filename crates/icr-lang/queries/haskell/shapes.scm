; What signatures of Haskell promise. A function type is parameters, each with the rest as its result.

(literal (string)) @verbatim

(function parameter: (_) @parameter @parameter.type)
(function result: (function) @parameters.more)
(function result: [(apply) (list) (literal) (name) (parens) (qualified) (star) (tuple) (unit) (variable)] @returns) @parameters.of

(signature name: [(variable) @name (prefix_id (_) @name)] type: (function) @parameters)
(signature name: [(variable) @name (prefix_id (_) @name)] type: [(apply) (list) (literal) (name) (parens) (qualified) (star) (tuple) (unit) (variable)] @type)
(signature name: [(variable) @name (prefix_id (_) @name)] type: (forall type: (function) @parameters))
(signature
  name: [(variable) @name (prefix_id (_) @name)]
  type: (context context: (_) @type_parameter type: (function) @parameters))
(signature
  name: [(variable) @name (prefix_id (_) @name)]
  type: (context context: (_) @type_parameter type: [(apply) (list) (literal) (name) (parens) (qualified) (star) (tuple) (unit) (variable)] @type))
(signature
  name: [(variable) @name (prefix_id (_) @name)]
  type: (forall type: (context context: (_) @type_parameter type: (function) @parameters)))
(signature names: (binding_list name: (variable) @name) type: (_) @type)
(function name: [(variable) @name (prefix_id (_) @name)] patterns: (_) @parameters)
(patterns (_) @parameter @parameter.name)
(bind name: [(variable) @name (prefix_id (_) @name)])

(data_type name: (_) @name)
(data_type name: (_) @name patterns: (_ (_) @type_parameter))
(data_type name: (_) @name deriving: (_ classes: [(name) @base (qualified) @base (tuple (_) @base) (parens (_) @base)]))
(newtype name: (_) @name)
(newtype name: (_) @name patterns: (_ (_) @type_parameter))
(newtype name: (_) @name deriving: (_ classes: [(name) @base (qualified) @base (tuple (_) @base) (parens (_) @base)]))
(data_constructor constructor: [
  (record name: (_) @name)
  (prefix name: (_) @name)])
(data_constructor constructor: (prefix name: (_) @name field: (_) @type))
(data_constructor constructor: (infix left_operand: (_) @type operator: (_) @name right_operand: (_) @type))
(newtype_constructor name: (_) @name)
(gadt_constructor name: (_) @name type: (_) @type)
(field name: (field_name (variable) @name) type: (_) @type)

(type_synonym name: (_) @name type: (_) @type)
(type_synonym name: (_) @name patterns: (_ (_) @type_parameter))
(type_family name: (_) @name)
(data_family name: (_) @name)
(class name: (_) @name)
(class context: (context context: (_) @base) name: (_) @name)
(class name: (_) @name patterns: (_ (_) @type_parameter))
(instance name: (_) @base patterns: (_) @name.within)
