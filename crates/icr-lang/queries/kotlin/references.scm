; Roles of identifiers in Kotlin.

(identifier) @reference.other

(call_expression (identifier) @reference.call)
(user_type (identifier) @reference.type)
(package_header (qualified_identifier (identifier) @reference.none))
(file_annotation (user_type (identifier) @reference.none))
(type_parameter (identifier) @reference.none)

(parameter (identifier) @local)
(variable_declaration (identifier) @local)
(catch_block (identifier) @local)

; What is declared, and of what.
(parameter) @declares
(class_parameter) @declares
(variable_declaration) @declares
(user_type) @type
(nullable_type) @type
(delegation_specifiers) @bases
(type_arguments) @aside

; What a property is: the grammar has no field for it. Of a value that is taken apart, no part has the type of the whole.
(multi_variable_declaration) @value
(call_expression) @value
(navigation_expression) @value
(unary_expression) @value
