; Where GraphQL is cut.

(comment) @comment
(description) @annotation

(definition) @wrapper
(type_system_definition) @wrapper
(type_system_extension) @wrapper
(type_definition) @wrapper
(type_extension) @wrapper
(executable_definition) @wrapper

; Arguments are no fields.
(arguments_definition) @scope

(document) @split
(fields_definition) @split
(input_fields_definition) @split
(enum_values_definition) @split
(selection_set) @split
