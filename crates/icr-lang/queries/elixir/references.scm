; Roles of identifiers in Elixir. A name without arguments is a variable, so only calls, captures and attributes count.

(identifier) @reference.none
(alias) @reference.type

(call target: (identifier) @reference.call)
(call target: (dot right: (identifier) @reference.member))
(unary_operator operand: (identifier) @reference.other)
(unary_operator operand: (binary_operator left: (identifier) @reference.call))
(binary_operator right: (identifier) @reference.call)
(unary_operator operand: (call (arguments (binary_operator left: (call target: (identifier) @reference.none)))))
