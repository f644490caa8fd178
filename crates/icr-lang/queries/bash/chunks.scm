; Where shell scripts are cut.

(comment) @comment
(declaration_command) @wrapper

(function_definition) @scope

(program) @split
(compound_statement) @split
(subshell) @split
(do_group) @split
(if_statement) @split
(else_clause) @split
(case_statement) @split
(case_item) @split
(array) @split
