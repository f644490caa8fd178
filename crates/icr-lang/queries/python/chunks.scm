; Where Python is cut.

(comment) @comment
(decorator) @annotation
(decorated_definition) @wrapper

(function_definition) @scope
(lambda) @scope

(module) @split
(block) @split
(list) @split
(dictionary) @split
(tuple) @split
(set) @split
(argument_list) @split
