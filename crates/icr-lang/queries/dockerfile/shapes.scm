; Texts of Dockerfiles that are read as they are written.

(double_quoted_string) @verbatim
(single_quoted_string) @verbatim
(shell_command) @verbatim
