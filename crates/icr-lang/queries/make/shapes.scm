; Texts of Make that are read as they are written.

(shell_text) @verbatim
