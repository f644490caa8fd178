; Roles of identifiers in R. Whatever stands left of an operator in a function is taken for a local name: most are
; assigned there, and the tree of an assignment is that of a sum.

(identifier) @reference.other

(call function: (identifier) @reference.call)
(call function: (namespace_operator rhs: (identifier) @reference.member))
(call function: (extract_operator rhs: (identifier) @reference.member))
(namespace_operator lhs: (identifier) @reference.member)
(namespace_operator rhs: (identifier) @reference.member)
(extract_operator rhs: (identifier) @reference.member)
(argument name: (identifier) @reference.none)

(parameter name: (identifier) @local)
(for_statement variable: (identifier) @local)
(binary_operator lhs: (identifier) @local)
