; Where C is cut.

(comment) @comment
(storage_class_specifier) @visibility
(function_definition) @scope
(preproc_function_def) @scope

(translation_unit) @split
(compound_statement) @split
(declaration_list) @split
(field_declaration_list) @split
(enumerator_list) @split
(initializer_list) @split
(case_statement) @split
(preproc_if) @split
(preproc_ifdef) @split
(preproc_else) @split
