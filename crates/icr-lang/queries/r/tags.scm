; Definitions of R: assignments, and calls that define classes and generic functions.

(binary_operator
  lhs: [(identifier) @name (string content: (_) @name)]
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator
  lhs: (extract_operator lhs: (identifier) @receiver rhs: [(identifier) (string)] @name)
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator
  lhs: (identifier) @name
  operator: ["<-" "=" "<<-"]
  rhs: (call
    function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
    arguments: (_) @body)
  (#any-of? @_class "R6Class" "ggproto" "new_class" "setClass" "setRefClass")) @definition.class
(binary_operator
  lhs: (identifier) @name operator: ["<-" "=" "<<-"] @body
  (#match? @name "^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")) @definition.constant
(binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"] @body) @definition.variable
(binary_operator operator: ["->" "->>"] rhs: (identifier) @name) @definition.variable

(call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments . (argument value: (string content: (_) @name))) @body
  (#any-of? @_class "setClass" "setClassUnion" "setRefClass")) @definition.class
(call
  function: [(identifier) @_generic (namespace_operator rhs: (identifier) @_generic)]
  arguments: (arguments . (argument value: (string content: (_) @name)))
  (#eq? @_generic "setGeneric")) @definition.function
(call
  function: [(identifier) @_method (namespace_operator rhs: (identifier) @_method)]
  arguments: (arguments
    . (argument value: (string content: (_) @name))
    . (comma)
    . (argument value: (string content: (_) @receiver)))
  (#eq? @_method "setMethod")) @definition.method
(call
  function: [(identifier) @_method (namespace_operator rhs: (identifier) @_method)]
  arguments: (arguments (argument value: (function_definition body: (_) @body)))
  (#any-of? @_method "setGeneric" "setMethod"))

; Members of a class are named functions of a list.
(call
  function: (identifier) @_list
  arguments: (arguments
    (argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.method)
  (#eq? @_list "list"))
