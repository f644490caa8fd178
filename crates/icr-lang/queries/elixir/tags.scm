; Definitions of Elixir, all of which are written as calls.

(call
  target: (identifier) @_define
  (arguments . (alias) @name) (do_block) @body
  (#eq? @_define "defmodule")) @definition.module
(call
  target: (identifier) @_define
  (arguments . (alias) @name) (do_block) @body
  (#eq? @_define "defprotocol")) @definition.interface @contract.protocol
(call
  target: (identifier) @_define
  (arguments . (_) (keywords (pair key: (keyword) @_for value: [(alias) @name (list . (alias) @name)]))) (do_block)? @body
  (#eq? @_define "defimpl") (#eq? @_for "for: ")) @definition.implementation
(call
  target: (identifier) @_define
  (arguments . (alias) @name .) (do_block) @body
  (#eq? @_define "defimpl")) @definition.implementation

; What a module is to others, by what stands in it: a table's row, a behaviour, a struct.
(call
  target: (identifier) @_define
  (do_block (call target: (identifier) @_use (arguments . (alias) @_base)))
  (#eq? @_define "defmodule") (#eq? @_use "use") (#any-of? @_base "Ecto.Schema" "Ash.Resource")) @contract.model
(call
  target: (identifier) @_define
  (do_block (unary_operator operator: "@" operand: (call target: (identifier) @_callback)))
  (#eq? @_define "defmodule") (#any-of? @_callback "callback" "macrocallback")) @contract.interface
(call
  target: (identifier) @_define
  (do_block (call target: (identifier) @_struct))
  (#eq? @_define "defmodule") (#eq? @_struct "defstruct")) @contract.struct
(call
  target: (identifier) @_define
  (do_block . (unary_operator operator: "@" operand: (call target: (identifier) @_doc (arguments . [(string) (sigil)] @doc))))
  (#any-of? @_define "defmodule" "defprotocol") (#eq? @_doc "moduledoc"))

(call
  target: (identifier) @_define
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name) operator: "when")])
  (do_block)? @body
  (#any-of? @_define "def" "defp" "defn" "defnp" "defdelegate" "defguard" "defguardp")) @definition.function
(call
  target: (identifier) @_define
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name) operator: "when")])
  (do_block)? @body
  (#any-of? @_define "defmacro" "defmacrop")) @definition.macro
(call
  target: (identifier) @_define
  (arguments (keywords (pair key: (keyword) @_do) @body))
  (#match? @_define "^def") (#eq? @_do "do: "))

(call
  target: (identifier) @_struct
  (arguments [
    (keywords (pair key: (keyword) @name) @definition.field)
    (list (keywords (pair key: (keyword) @name) @definition.field))
    (list (atom) @name @definition.field)])
  (#any-of? @_struct "defstruct" "defexception"))

; Attributes: types, callbacks, values, and what belongs to the function that follows.
(call
  target: (identifier) @_type
  (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::" right: (_)))
  (#any-of? @_type "type" "typep" "opaque")) @definition.type @contract.type_alias
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback
    (arguments . [
      (binary_operator left: (call target: (identifier) @name) operator: "::")
      (binary_operator left: (binary_operator left: (call target: (identifier) @name) operator: "::") operator: "when")]))
  (#any-of? @_callback "callback" "macrocallback")) @definition.function
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments . [(string) (sigil)]))
  (#any-of? @_doc "doc" "typedoc")) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute
    "deprecated" "dialyzer" "doc" "impl" "since" "spec" "tag" "typedoc")) @annotation
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments) @body)
  (#not-any-of? @name
    "after_compile" "after_verify" "before_compile" "behaviour" "callback" "compile" "deprecated" "derive" "describetag"
    "dialyzer" "doc" "enforce_keys" "external_resource" "impl" "macrocallback" "moduledoc" "moduletag" "on_definition"
    "on_load" "opaque" "optional_callbacks" "since" "spec" "tag" "type" "typedoc" "typep" "vsn")) @definition.constant

(call
  target: (identifier) @reference.none
  (#any-of? @reference.none
    "alias" "case" "cond" "def" "defdelegate" "defexception" "defguard" "defguardp" "defimpl" "defmacro" "defmacrop"
    "defmodule" "defp" "defprotocol" "defstruct" "for" "if" "import" "quote" "receive" "require" "try" "unless" "unquote"
    "use" "with"))
(unary_operator operator: "@" operand: (call target: (identifier) @reference.none))
; A variable that is compared, negated, or stands behind any operator but a pipe.
(unary_operator operator: _ @_operator operand: (identifier) @reference.none (#not-any-of? @_operator "@" "&"))
(binary_operator operator: _ @_operator right: (identifier) @reference.none (#not-eq? @_operator "|>"))
; A key of a map: only modules are named with a capital.
(dot left: (identifier) @_left right: (identifier) @reference.none (#not-eq? @_left "__MODULE__"))
(dot left: [(access_call) (call) (dot) (map) (unary_operator)] right: (identifier) @reference.none)
