; Where Elixir is cut.

(comment) @comment
(identifier) @visibility
(unary_operator) @wrapper

(source) @split
(do_block) @split
(body) @split
(list) @split
(map_content) @split
