; Where Markdown is cut. Text is one token up to the next blank line: the grammar has nodes for signs, none for words.

(inline) @token
(code_fence_content) @token
(indented_code_block) @token
(info_string) @token
(html_block) @token
(link_reference_definition) @token
(pipe_table_header) @token
(pipe_table_row) @token

; Of underlined headings the grammar knows no section.
(setext_heading) @heading

(document) @split
(section) @split
(list) @split
(list_item) @split
(block_quote) @split
(pipe_table) @split
