; Imports of Elixir: modules by their full names.

(call
  target: (identifier) @_import
  (arguments . [(alias) (dot right: (alias))] @import.specifier)
  (#any-of? @_import "alias" "import" "require" "use")) @import
(call
  target: (identifier) @_import
  (arguments
    . (alias) @import.specifier
    (keywords (pair key: (keyword) @_as value: (alias) @import.namespace)))
  (#any-of? @_import "alias" "require") (#eq? @_as "as: "))
(call
  target: (identifier) @_import
  (arguments
    . (alias) @import.specifier
    (keywords (pair key: (keyword) @_only value: (list (keywords (pair key: (keyword) @import.name))))))
  (#eq? @_import "import") (#eq? @_only "only: "))

; `alias A.{B, C}`
(call
  target: (identifier) @_import
  (arguments . (dot right: (tuple)))
  (#any-of? @_import "alias" "import" "require" "use")) @import
(dot left: (_) @import.scope right: (tuple))
(tuple (alias) @import.specifier)

(call
  target: (identifier) @_define
  (arguments . (alias) @provides.inside)
  (#any-of? @_define "defmodule" "defprotocol"))
