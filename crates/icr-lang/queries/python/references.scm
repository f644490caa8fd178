; Roles of identifiers in Python.

(identifier) @reference.other

(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.member))
(decorator (identifier) @reference.call)
(decorator (attribute attribute: (identifier) @reference.member))
(attribute attribute: (identifier) @reference.member)
(assignment left: (attribute attribute: (identifier) @reference.field))
(assignment left: (pattern_list (attribute attribute: (identifier) @reference.field)))

(type (identifier) @reference.type)
(type (attribute attribute: (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(type (subscript subscript: (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(generic_type (identifier) @reference.type)
(member_type (identifier) @reference.type)
(class_definition superclasses: (argument_list (identifier) @reference.type))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @reference.type)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @reference.type)))
(except_clause value: (identifier) @reference.type)
(except_clause value: (as_pattern (identifier) @reference.type))

(keyword_argument name: (identifier) @reference.none)
(keyword_argument value: (identifier) @reference.other)

(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_parameter (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local)
(assignment left: (pattern_list (identifier) @local))
(assignment left: (tuple_pattern (identifier) @local))
(for_statement left: (identifier) @local)
(for_statement left: (pattern_list (identifier) @local))
(for_statement left: (tuple_pattern (identifier) @local))
(for_in_clause left: (identifier) @local)
(for_in_clause left: (pattern_list (identifier) @local))
(for_in_clause left: (tuple_pattern (identifier) @local))
(named_expression name: (identifier) @local)
(as_pattern_target (identifier) @local)

; Code that may not run. Every block counts, because most of them may not.
(block) @branch
(except_clause) @branch

; What is declared, and of what.
(assignment) @declares
(typed_parameter) @declares
(default_parameter) @declares
(typed_default_parameter) @declares
(named_expression) @declares
(as_pattern) @declares
(return_statement) @returns
