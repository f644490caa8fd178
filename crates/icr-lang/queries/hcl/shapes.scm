; Texts of HCL that are read as they are written.

(string_lit) @verbatim
(quoted_template) @verbatim
(heredoc_template) @verbatim
