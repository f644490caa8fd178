; Roles of words in shell scripts: a command is a call, other words are text.

(variable_name) @reference.other
(special_variable_name) @reference.none

(command_name (word) @reference.call)
(declaration_command (variable_assignment name: (variable_name) @local))
(declaration_command (variable_name) @local)
(for_statement variable: (variable_name) @local)
