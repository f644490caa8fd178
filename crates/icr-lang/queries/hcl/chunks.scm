; Where HCL is cut.

(comment) @comment

(body) @split @scope.data
(object) @split
(tuple) @split
