; Definitions of Python.

(function_definition name: (_) @name body: (_) @body) @definition.function
(function_definition body: (block . (expression_statement (string) @doc)))

(class_definition name: (_) @name body: (_) @body) @definition.class
(class_definition body: (block . (expression_statement (string) @doc)))

(module . (comment)* . (expression_statement (string) @comment))

; Contracts by base class.
(class_definition
  superclasses: (argument_list [
    (identifier) @_base
    (attribute attribute: (identifier) @_base)
    (subscript value: (identifier) @_base)
    (subscript value: (attribute attribute: (identifier) @_base))])
  (#eq? @_base "Protocol")) @contract.protocol
(class_definition
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  (#any-of? @_base "Enum" "IntEnum" "StrEnum" "Flag" "IntFlag")) @contract.enum
(class_definition
  superclasses: (argument_list [
    (identifier) @_base
    (attribute attribute: (identifier) @_base)
    (subscript value: (identifier) @_base)])
  (#any-of? @_base "TypedDict" "NamedTuple")) @contract.dataclass
(class_definition
  superclasses: (argument_list [
    (identifier) @_base
    (attribute attribute: (identifier) @_base)
    (subscript value: (identifier) @_base)])
  (#any-of? @_base "BaseModel" "BaseSettings" "GenericModel" "RootModel" "Schema" "Serializer" "ModelSerializer" "Struct")) @contract.schema
(class_definition
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  (#any-of? @_base "DeclarativeBase" "SQLModel" "Model" "Document" "EmbeddedDocument")
  (#not-any-of? @_base "Module")) @contract.model
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @_table)))
  (#eq? @_table "__tablename__")) @contract.model
(class_definition
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  (#eq? @_base "ABC")) @contract.abstract_class
(class_definition
  superclasses: (argument_list (keyword_argument
    name: (identifier) @_key
    value: [(identifier) @_meta (attribute attribute: (identifier) @_meta)]))
  (#eq? @_key "metaclass") (#eq? @_meta "ABCMeta")) @contract.abstract_class
; Members that a subclass has to define.
(class_definition
  body: (block (decorated_definition (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])))
  (#any-of? @_decorator "abstractmethod" "abstractclassmethod" "abstractproperty" "abstractstaticmethod")) @contract.abstract_class
(class_definition
  body: (block (function_definition body: (block
    . (expression_statement (string))?
    . (raise_statement [(identifier) @_error (call function: (identifier) @_error)]))))
  (#eq? @_error "NotImplementedError")) @contract.abstract_class

; `@dataclass`, `@dataclasses.dataclass(frozen=True)`, `@attr.s`, `@define`.
(decorated_definition
  (decorator [
    (identifier) @_decorator
    (attribute attribute: (identifier) @_decorator)
    (call function: [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])])
  (#any-of? @_decorator "dataclass" "attrs" "define" "frozen" "attrib")) @contract.dataclass

; Values of the file and of classes.
(expression_statement (assignment
  left: (identifier) @name type: (type (identifier) @_type) right: (_) @body)
  (#eq? @_type "TypeAlias")) @definition.type @contract.type_alias
; `Handler = Callable[[Request], Response]`, `Value = str | None`: a name of a type, and a type.
(module (expression_statement (assignment
  left: (identifier) @name !type
  right: (subscript value: [(identifier) @_type (attribute attribute: (identifier) @_type)]) @body)
  (#match? @name "^_*[A-Z][A-Z0-9]*[a-z][A-Za-z0-9]*$")
  (#match? @_type "^([A-Z][a-z][A-Za-z0-9]*|dict|frozenset|list|set|tuple|type)$")) @definition.type @contract.type_alias)
(module (expression_statement (assignment
  left: (identifier) @name !type
  right: [(binary_operator operator: "|") (parenthesized_expression (binary_operator operator: "|"))] @body)
  (#match? @name "^_*[A-Z][A-Z0-9]*[a-z][A-Za-z0-9]*$")) @definition.type @contract.type_alias)
(expression_statement (assignment
  left: (identifier) @name
  right: (call function: [(identifier) @_new (attribute attribute: (identifier) @_new)]) @body)
  (#eq? @_new "NewType")) @definition.type @contract.type_alias
(expression_statement (assignment
  left: (identifier) @name
  right: (call function: [(identifier) @_new (attribute attribute: (identifier) @_new)]) @body)
  (#any-of? @_new "NamedTuple" "TypedDict" "make_dataclass" "namedtuple")) @definition.class @contract.dataclass
(expression_statement (assignment
  left: (identifier) @name right: (_)? @body)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$")) @definition.constant
(expression_statement (assignment left: (identifier) @name right: (_)? @body)) @definition.variable
(expression_statement (assignment left: (pattern_list (identifier) @name))) @definition.variable
(expression_statement (assignment left: (pattern_list) right: (_) @body))
(expression_statement (assignment left: (tuple_pattern (identifier) @name))) @definition.variable
(expression_statement (assignment left: (tuple_pattern) right: (_) @body))
(named_expression name: (identifier) @name @definition.variable)
(for_statement left: (identifier) @name @definition.variable)
(for_statement left: (pattern_list (identifier) @name @definition.variable))
(for_statement left: (tuple_pattern (identifier) @name @definition.variable))
(with_item value: (as_pattern alias: (as_pattern_target (identifier) @name @definition.variable)))

(type_alias_statement left: (type (identifier) @name)) @definition.type @contract.type_alias
(type_alias_statement left: (type (generic_type . (identifier) @name))) @definition.type @contract.type_alias
