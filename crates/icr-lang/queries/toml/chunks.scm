; Where TOML is cut. Members of lists have no names, so keys inside say nothing.

(comment) @comment
(string) @token
(quoted_key) @token

(document) @split @scope.data
(table) @split @scope.data @unclosed
(table_array_element) @split @scope @unclosed
(inline_table) @split @scope.data
(array) @split @scope
