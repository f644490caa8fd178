; Roles of words in make: what a target depends on is run before it.

(prerequisites (word) @reference.call)
(variable_reference (word) @reference.other)
(ifdef_directive variable: (word) @reference.other)
