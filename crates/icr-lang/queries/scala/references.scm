; Roles of identifiers in Scala.

(identifier) @reference.other
(type_identifier) @reference.type

(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (identifier) @reference.member))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function function: (field_expression field: (identifier) @reference.member)))
(generic_function function: (identifier) @reference.call)
(generic_function function: (field_expression field: (identifier) @reference.member))
(infix_expression operator: (identifier) @reference.call)
(field_expression field: (identifier) @reference.member)
(stable_type_identifier (identifier) @reference.member)
(package_clause name: (package_identifier (identifier) @reference.none))
(type_parameters name: (identifier) @reference.none)
(class_parameter name: (identifier) @reference.none)
(interpolated_string_expression interpolator: (identifier) @reference.none)

(parameter name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(binding name: (identifier) @local)
(val_definition pattern: (identifier) @local)
(val_definition pattern: (tuple_pattern (identifier) @local))
(var_definition pattern: (identifier) @local)
(enumerator (tuple_pattern (identifier) @local))
(typed_pattern pattern: (identifier) @local)
(case_class_pattern pattern: (identifier) @local)
(capture_pattern name: (identifier) @local)
