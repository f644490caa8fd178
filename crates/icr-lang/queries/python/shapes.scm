; What signatures of Python promise.

(string) @verbatim.quotes
(keyword_argument "=" @tight)
(default_parameter "=" @tight)
(slice ":" @tight)
(assignment right: (parenthesized_expression ["(" ")"] @left_out))
(default_parameter value: (parenthesized_expression ["(" ")"] @left_out))
(typed_default_parameter value: (parenthesized_expression ["(" ")"] @left_out))
(type (parenthesized_expression ["(" ")"] @left_out))
(tuple . "(" . (_) . "," @kept . ")")

(function_definition name: (_) @name parameters: (_) @parameters return_type: (_)? @returns)
(function_definition "async" @modifier name: (_) @name)
(function_definition name: (_) @name type_parameters: (type_parameter (_) @type_parameter))

(class_definition name: (_) @name)
(class_definition
  name: (_) @name
  superclasses: (argument_list [
    (attribute) (await) (binary_operator) (boolean_operator) (call) (conditional_expression) (identifier)
    (list_splat) (parenthesized_expression) (subscript)] @base))
(class_definition name: (_) @name superclasses: (argument_list (keyword_argument) @modifier))
(class_definition name: (_) @name type_parameters: (type_parameter (_) @type_parameter))

; Decorators that change how it is used.
(decorated_definition
  (decorator [
    (identifier) @modifier
    (attribute attribute: (identifier) @modifier)
    (call function: [(identifier) @modifier (attribute attribute: (identifier) @modifier)])])
  definition: [(function_definition name: (_) @name) (class_definition name: (_) @name)]
  (#any-of? @modifier
    "abstractmethod" "asynccontextmanager" "cached_property" "classmethod" "contextmanager" "dataclass" "deleter" "final"
    "overload" "property" "setter" "staticmethod"))

; The object at hand, by the names that it has.
(parameters
  . [(identifier) @parameter.name (typed_parameter . (identifier) @parameter.name)] @parameter @parameter.receiver.of_method
  (#match? @parameter.name "^(_*self|_*cls|klass|mcls|mcs|metacls|this)$"))

(parameters (identifier) @parameter.name @parameter)
(parameters (typed_parameter . (identifier) @parameter.name type: (_) @parameter.type) @parameter)
(parameters (default_parameter name: (_) @parameter.name value: (_) @parameter.default) @parameter)
(parameters
  (typed_default_parameter name: (_) @parameter.name type: (_) @parameter.type value: (_) @parameter.default) @parameter)
(parameters (tuple_pattern) @parameter.name @parameter)

(parameters
  [(list_splat_pattern (_) @parameter.name)
   (typed_parameter . (list_splat_pattern (_) @parameter.name) type: (_) @parameter.type)]
  @parameter @parameter.variadic @parameters.keyword_behind)
(parameters
  [(dictionary_splat_pattern (_) @parameter.name)
   (typed_parameter . (dictionary_splat_pattern (_) @parameter.name) type: (_) @parameter.type)]
  @parameter @parameter.keyword_variadic)
(parameters (keyword_separator) @parameters.keyword_behind)
(parameters (positional_separator) @parameters.positional_before)

; Values of the file and of classes.
(expression_statement (assignment left: (identifier) @name))
(expression_statement (assignment left: (identifier) @name type: (_) @type) (#not-eq? @type "TypeAlias"))
(expression_statement
  (assignment left: (identifier) @name type: (type (identifier) @_type) right: (_) @type)
  (#eq? @_type "TypeAlias"))
(expression_statement (assignment left: (identifier) @name right: (_) @value))
(type_alias_statement left: (type (identifier) @name) right: (_) @type)
(type_alias_statement
  left: (type (generic_type . (identifier) @name (type_parameter (_) @type_parameter)))
  right: (_) @type)
