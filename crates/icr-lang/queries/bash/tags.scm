; Definitions of shell scripts.

(function_definition name: (_) @name body: (_) @body) @definition.function
(variable_assignment name: (variable_name) @name "=" @body) @definition.variable

; What the environment of started programs gets, and functions by `export -f`.
(declaration_command "export" (variable_assignment name: (variable_name) @export))
(declaration_command "export" [(variable_name) (word)] @export)
