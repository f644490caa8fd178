; Roles of identifiers in PHP. Variables are told by `$` and never leave their function; only what they hold counts.

(name) @reference.other

(variable_name (name) @variable)
(scoped_property_access_expression name: (variable_name (name) @reference.member))

(function_call_expression function: [
  (name) @reference.call
  (qualified_name (name) @reference.call)
  (relative_name (name) @reference.call)])
(member_call_expression name: (name) @reference.member)
(nullsafe_member_call_expression name: (name) @reference.member)
(scoped_call_expression name: (name) @reference.member)
(object_creation_expression [
  (name) @reference.call
  (qualified_name (name) @reference.call)])

(named_type (name) @reference.type)
(named_type (qualified_name (name) @reference.type))
(scoped_call_expression scope: (name) @reference.type)
(scoped_call_expression scope: (qualified_name (name) @reference.type))
(scoped_property_access_expression scope: (name) @reference.type)
(base_clause (name) @reference.type)
(base_clause (qualified_name (name) @reference.type))
(class_interface_clause (name) @reference.type)
(class_interface_clause (qualified_name (name) @reference.type))
(use_declaration (name) @reference.type)
(use_declaration (qualified_name (name) @reference.type))
(attribute (name) @reference.type)
(attribute (qualified_name (name) @reference.type))

(member_access_expression name: (name) @reference.member)
(nullsafe_member_access_expression name: (name) @reference.member)
(class_constant_access_expression (name) @reference.member)

(namespace_name (name) @reference.none)
(argument name: (name) @reference.none)
(property_hook (name) @reference.none)
(named_label_statement (name) @reference.none)
(goto_statement (name) @reference.none)

(simple_parameter name: (variable_name (name) @variable.declared))
(variadic_parameter name: (variable_name (name) @variable.declared))
(assignment_expression left: (variable_name (name) @variable.declared))
(augmented_assignment_expression left: (variable_name (name) @variable.declared))
(reference_assignment_expression left: (variable_name (name) @variable.declared))
(list_literal (variable_name (name) @variable.declared))
(catch_clause name: (variable_name (name) @variable.declared))
(foreach_statement (variable_name (name) @variable.declared))
(foreach_statement (pair (variable_name (name) @variable.declared)))
(foreach_statement (by_ref (variable_name (name) @variable.declared)))
(foreach_statement (pair (by_ref (variable_name (name) @variable.declared))))
(global_declaration (variable_name (name) @variable.declared))
(static_variable_declaration name: (variable_name (name) @variable.declared))

; Code that may not run. Every block counts, because most of them may not.
(compound_statement) @branch
(colon_block) @branch
(case_statement) @branch
(default_statement) @branch
(catch_clause) @branch
(if_statement) @branch
(else_if_clause) @branch
(else_clause) @branch
(for_statement) @branch
(foreach_statement) @branch
(while_statement) @branch

; What is declared, and of what.
(simple_parameter) @declares
(assignment_expression) @declares
(reference_assignment_expression) @declares
(catch_clause) @declares
(static_variable_declaration) @declares
(base_clause) @bases
(class_interface_clause) @bases
