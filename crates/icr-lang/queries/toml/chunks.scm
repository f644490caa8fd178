; Where TOML is cut.

(comment) @comment
(string) @token
(quoted_key) @token

(document) @split @scope.data
(table) @split @scope.data @unclosed
(table_array_element) @split @scope.data @unclosed
(inline_table) @split @scope.data
(array) @split @scope
