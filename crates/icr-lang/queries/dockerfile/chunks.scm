; Where container files are cut.

(comment) @comment
(shell_command) @token
(heredoc_block) @token
(json_string_array) @token

(arg_instruction) @wrapper.single
(env_instruction) @wrapper.single

; The grammar knows no stage.
(from_instruction) @heading

(source_file) @split
