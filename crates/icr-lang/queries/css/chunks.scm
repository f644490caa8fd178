; Where CSS is cut.

(comment) @comment
(js_comment) @comment
(integer_value) @token
(float_value) @token
(color_value) @token
(string_value) @token

(stylesheet) @split
(block) @split
(keyframe_block_list) @split
