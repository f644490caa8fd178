; Texts of Bash that are read as they are written. Functions promise nothing that their text says.

(string) @verbatim
(heredoc_body) @verbatim
