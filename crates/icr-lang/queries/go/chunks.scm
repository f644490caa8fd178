; Where Go is cut.

(comment) @comment
(type_declaration) @wrapper.single
(const_declaration) @wrapper.single
(var_declaration) @wrapper.single

(function_declaration) @scope
(method_declaration) @scope
(func_literal) @scope

(source_file) @split
(statement_list) @split
(const_declaration) @split
(var_declaration) @split
(var_spec_list) @split
(type_declaration) @split
(field_declaration_list) @split
(interface_type) @split
(literal_value) @split
(expression_switch_statement) @split
(type_switch_statement) @split
(select_statement) @split
