; Where Protocol Buffers are cut.

(comment) @comment
(string) @token

(source_file) @split
(message_body) @split
(enum_body) @split
(service) @split
(oneof) @split
(rpc) @split
(block_lit) @split
