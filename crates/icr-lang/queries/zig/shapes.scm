; What signatures of Zig promise.

(string) @verbatim
(multiline_string) @verbatim
(character) @verbatim

(parameters (parameter "comptime"? @parameter.type name: (_) @parameter.name type: (_) @parameter.type) @parameter)
(parameters (parameter "...") @parameter @parameter.variadic)
(parameters . (parameter name: (identifier) @_self) @parameter @parameter.receiver.of_method (#eq? @_self "self"))

(function_declaration name: (_) @name (parameters) @parameters type: (_) @returns)
(function_declaration ["export" "extern" "inline" "noinline"] @modifier name: (_) @name)
(function_declaration name: (_) @name (calling_convention) @modifier)

(variable_declaration . (identifier) @name type: (_)? @type)
(variable_declaration "const" . (identifier) @name "=" . (_) @value)
(variable_declaration "var" @modifier . (identifier) @name)
(variable_declaration . (identifier) @name (struct_declaration ["extern" "packed"] @modifier))
(variable_declaration . (identifier) @name (union_declaration ["extern" "packed"] @modifier))
(variable_declaration . (identifier) @name (union_declaration "(" . (identifier) @base . ")"))
(variable_declaration . (identifier) @name (enum_declaration "(" . (_) @base))
(variable_declaration (error_set_declaration (identifier) @name))
(container_field name: (identifier) @name type: (_)? @type)
(container_field name: (identifier) @name "=" . (_) @value)
