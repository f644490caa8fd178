; Where Haskell is cut.

(comment) @comment
(haddock) @comment

(function) @scope
(bind) @scope
(lambda) @scope

(haskell) @split
(declarations) @split
(class_declarations) @split
(instance_declarations) @split
(data_constructors) @split
(fields) @split
(local_binds) @split
(do) @split
(match) @split
(alternatives) @split
(imports) @split
(exports) @split
(list) @split
