; Imports of R: packages, files that are run, and modules of `box`.

(call
  function: (identifier) @_library
  arguments: (arguments . (argument !name value: [(identifier) @import.specifier (string content: (_) @import.specifier)]))
  (#any-of? @_library "library" "require")) @import
(call
  function: (identifier) @_namespace
  arguments: (arguments . (argument !name value: (string content: (_) @import.specifier)))
  (#any-of? @_namespace "attachNamespace" "loadNamespace" "requireNamespace")) @import
(call
  function: [(identifier) @_source (namespace_operator rhs: (identifier) @_source)]
  arguments: (arguments . (argument value: (string content: (_) @import.specifier)))
  (#any-of? @_source "source" "sys.source" "sourceCpp")) @import @import.include

(call
  function: (namespace_operator lhs: (identifier) @_box rhs: (identifier) @_use)
  (#eq? @_box "box") (#eq? @_use "use")) @import
(call
  function: (namespace_operator lhs: (identifier) @_box rhs: (identifier) @_use)
  arguments: (arguments (argument !name value: [(identifier) (binary_operator rhs: (identifier))] @import.specifier))
  (#eq? @_box "box") (#eq? @_use "use"))
(call
  function: (namespace_operator lhs: (identifier) @_box rhs: (identifier) @_use)
  arguments: (arguments (argument
    name: (identifier) @import.namespace
    value: [(identifier) (binary_operator rhs: (identifier))] @import.specifier))
  (#eq? @_box "box") (#eq? @_use "use"))
(call
  function: (namespace_operator lhs: (identifier) @_box rhs: (identifier) @_use)
  arguments: (arguments (argument value: [
    (subset
      function: (identifier) @import.specifier
      arguments: (arguments (argument value: (identifier) @import.name)))
    (binary_operator
      lhs: (_) @import.specifier
      rhs: (subset
        function: (identifier) @import.specifier
        arguments: (arguments (argument value: (identifier) @import.name))))]))
  (#eq? @_box "box") (#eq? @_use "use"))
