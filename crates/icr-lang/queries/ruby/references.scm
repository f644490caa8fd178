; Roles of identifiers in Ruby.

(identifier) @reference.other
(constant) @reference.other
(simple_symbol) @reference.member
; A variable of an object is none of its methods, whatever its name.
(instance_variable) @reference.none
(class_variable) @reference.none
(global_variable) @reference.other
(super) @reference.none

(call method: (identifier) @reference.call)
(call method: (constant) @reference.call)
(call receiver: (constant) @reference.type)
(call receiver: (scope_resolution name: (constant) @reference.type))
(superclass (constant) @reference.type)
(superclass (scope_resolution name: (constant) @reference.type))
(exceptions (constant) @reference.type)
(exceptions (scope_resolution name: (constant) @reference.type))
(when pattern: (pattern (constant) @reference.type))
(when pattern: (pattern (scope_resolution name: (constant) @reference.type)))
(scope_resolution scope: (constant) @reference.type)
(scope_resolution name: (constant) @reference.member)
(pair key: (simple_symbol) @reference.none)

(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(destructured_parameter (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(assignment left: (left_assignment_list (identifier) @local))
(left_assignment_list (destructured_left_assignment (identifier) @local))
(left_assignment_list (rest_assignment (identifier) @local))
(operator_assignment left: (identifier) @local)
(for pattern: (identifier) @local)
(exception_variable (identifier) @local)

; Code that may not run. Every block counts, because most of them may not.
(then) @branch
(else) @branch
(do) @branch
(if_modifier) @branch
(unless_modifier) @branch
(while_modifier) @branch
(until_modifier) @branch
(rescue) @branch
(in_clause) @branch

; What is declared, and of what.
(assignment) @declares
