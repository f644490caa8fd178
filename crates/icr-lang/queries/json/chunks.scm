; Where JSON is cut. Members of lists have no names, so keys inside say nothing.

(comment) @comment
(string) @token

(object) @split @scope.data
(array) @split @scope
