; Roles of identifiers in C.

(identifier) @reference.other
(field_identifier) @reference.member
(type_identifier) @reference.type

(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.member))

(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @local))
(parameter_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @local))
(declaration declarator: (identifier) @local)
(declaration declarator: (pointer_declarator declarator: (identifier) @local))
(declaration declarator: (array_declarator declarator: (identifier) @local))
(init_declarator declarator: (identifier) @local)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @local))
(init_declarator declarator: (array_declarator declarator: (identifier) @local))
(preproc_params (identifier) @local)
(attribute name: (identifier) @reference.none)

; The bodies of macros have no nodes.
(preproc_def value: (preproc_arg) @reference.words)
(preproc_function_def value: (preproc_arg) @reference.words)

; What is declared, and of what.
(parameter_declaration) @declares
(declaration) @declares
(init_declarator) @declares
