; Where YAML is cut. Members of lists have no names, so keys inside say nothing.

(comment) @comment
(double_quote_scalar) @token
(single_quote_scalar) @token
(plain_scalar) @token
(block_scalar) @token

(stream) @split
(document) @split
(block_node) @split
(block_mapping) @split @scope.data
(flow_mapping) @split @scope.data
(block_sequence) @split @scope
(flow_sequence) @split @scope
