; What signatures of R promise.

(string) @verbatim.quotes

(parameters (parameter name: (identifier) @parameter.name default: (_)? @parameter.default) @parameter)
; Arguments of what stands behind the dots are named.
(parameters (parameter name: (dots)) @parameter @parameter.variadic @parameters.keyword_behind)

(binary_operator
  lhs: [
    (identifier) @name
    (string content: (_) @name)
    (extract_operator rhs: [(identifier) (string)] @name)]
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition parameters: (_) @parameters))
(binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"] rhs: (_) @value)
(binary_operator operator: ["->" "->>"] rhs: (identifier) @name)
(binary_operator
  lhs: (identifier) @name
  operator: ["<-" "=" "<<-"]
  rhs: (call
    function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
    arguments: (arguments (argument name: (identifier) @_key value: (_) @base)))
  (#any-of? @_class "R6Class" "setClass" "setRefClass" "new_class")
  (#any-of? @_key "contains" "inherit" "parent"))
(call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments . (argument value: (string content: (_) @name)))
  (#any-of? @_class "setClass" "setClassUnion" "setRefClass"))
(call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments
    . (argument value: (string content: (_) @name))
    (argument name: (identifier) @_key value: (_) @base))
  (#any-of? @_class "setClass" "setRefClass") (#eq? @_key "contains"))
(call
  function: [(identifier) @_method (namespace_operator rhs: (identifier) @_method)]
  arguments: (arguments
    . (argument value: (string content: (_) @name))
    (argument value: (function_definition parameters: (_) @parameters)))
  (#any-of? @_method "setGeneric" "setMethod"))
(call
  function: (identifier) @_list
  arguments: (arguments (argument name: (identifier) @name value: (function_definition parameters: (_) @parameters)))
  (#eq? @_list "list"))
