; Imports of C++ besides inclusions. What a `using` names is a module; of a namespace it takes all.

(using_declaration "namespace" [(identifier) (qualified_identifier)] @import.specifier @import.wildcard) @import
((using_declaration [(identifier) (qualified_identifier)] @import.specifier) @_statement
  (#not-match? @_statement "^using\\s+namespace\\s")) @import
(namespace_alias_definition name: (_) @import.namespace [(namespace_identifier) (nested_namespace_specifier)] @import.specifier .) @import

(namespace_definition name: (_) @provides.inside)
