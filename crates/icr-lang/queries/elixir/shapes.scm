; What signatures of Elixir promise.

(string) @verbatim
(charlist) @verbatim
(sigil) @verbatim
(anonymous_function) @verbatim

(arguments [
  (access_call) (alias) (atom) (bitstring) (boolean) (call) (char) (charlist) (float) (identifier) (integer) (keywords)
  (list) (map) (nil) (sigil) (string) (tuple) (unary_operator)] @parameter @parameter.name)
(arguments
  (binary_operator operator: _ @_operator) @parameter @parameter.name
  (#not-any-of? @_operator "\\\\" "::"))
(arguments (binary_operator left: (_) @parameter.name operator: "\\\\" right: (_) @parameter.default) @parameter)
(arguments (binary_operator left: (_) @parameter.name operator: "::" right: (_) @parameter.type) @parameter)

(call
  target: (identifier) @_define
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name (arguments) @parameters)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name (arguments) @parameters) operator: "when")])
  (#any-of? @_define
    "def" "defp" "defn" "defnp" "defdelegate" "defguard" "defguardp" "defmacro" "defmacrop"))
; What a specification says of the function right behind it.
(do_block
  (unary_operator operator: "@" operand: (call
    target: (identifier) @_spec
    (arguments (binary_operator operator: "::" right: (_) @returns))))
  . (call
    target: (identifier) @_define
    (arguments . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (identifier) @name operator: "when")
      (binary_operator left: (call target: (identifier) @name) operator: "when")]))
  (#eq? @_spec "spec") (#match? @_define "^def"))
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback
    (arguments . [
      (binary_operator left: (call target: (identifier) @name (arguments) @parameters) operator: "::" right: (_) @returns)
      (binary_operator left: (binary_operator
        left: (call target: (identifier) @name (arguments) @parameters) operator: "::" right: (_) @returns))]))
  (#any-of? @_callback "callback" "macrocallback"))

(call
  target: (identifier) @_type
  (arguments . (binary_operator left: [
    (identifier) @name
    (call target: (identifier) @name (arguments (_) @type_parameter))] operator: "::" right: (_) @type))
  (#any-of? @_type "type" "typep" "opaque"))
(call
  target: (identifier) @_struct
  (arguments [
    (keywords (pair key: (keyword) @name value: (_) @value))
    (list (keywords (pair key: (keyword) @name value: (_) @value)))
    (list (atom) @name)])
  (#any-of? @_struct "defstruct" "defexception"))
(unary_operator operator: "@" operand: (call target: (identifier) @name (arguments (_) @value)))

(call
  target: (identifier) @_define
  (arguments . (alias) @base (keywords (pair value: [(alias) @name (list . (alias) @name)])))
  (#eq? @_define "defimpl"))
(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (do_block (unary_operator operator: "@" operand: (call target: (identifier) @_behaviour (arguments (alias) @base))))
  (#eq? @_define "defmodule") (#eq? @_behaviour "behaviour"))
(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (do_block (call target: (identifier) @_use (arguments . (alias) @base)))
  (#eq? @_define "defmodule") (#eq? @_use "use"))
(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (#any-of? @_define "defimpl" "defprotocol"))
