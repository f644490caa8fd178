; Imports of C#. A `using` takes all names of a namespace or of a class.

(using_directive !name [
  (identifier) @import.specifier @import.wildcard
  (qualified_name) @import.specifier @import.wildcard
  (alias_qualified_name) @import.specifier @import.wildcard
  (generic_name) @import.specifier @import.wildcard]) @import
(using_directive name: (_) @import.namespace [
  (identifier) @import.specifier
  (qualified_name) @import.specifier
  (alias_qualified_name) @import.specifier
  (generic_name) @import.specifier] .) @import
(extern_alias_directive name: (_) @import.specifier) @import

(namespace_declaration name: (_) @provides.inside)
(file_scoped_namespace_declaration name: (_) @provides)

; Types outside of all namespaces, which code in every namespace sees.
(compilation_unit [
  (class_declaration name: (_) @provides.global)
  (struct_declaration name: (_) @provides.global)
  (interface_declaration name: (_) @provides.global)
  (enum_declaration name: (_) @provides.global)
  (record_declaration name: (_) @provides.global)
  (delegate_declaration name: (_) @provides.global)])
