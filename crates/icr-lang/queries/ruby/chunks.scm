; Where Ruby is cut.

(comment) @comment

; `private` alone or before a definition; it holds for methods of instances only.
(identifier) @section
(class) @public
(module) @public
(singleton_class) @public
(singleton_method) @public
(assignment) @public

(method) @scope
(singleton_method) @scope
(program) @scope.variables
(class) @scope.variables
(module) @scope.variables
(singleton_class) @scope.variables
(method) @scope.variables
(singleton_method) @scope.variables
(lambda) @scope
(block) @scope
(do_block) @scope

(program) @split
(body_statement) @split
(block_body) @split
(then) @split
(else) @split
(case) @split
(argument_list) @split
(array) @split
(hash) @split
