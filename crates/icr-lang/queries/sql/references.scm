; Roles of identifiers in SQL.

(identifier) @reference.other
(relation (object_reference name: (identifier) @reference.type))
(insert (object_reference name: (identifier) @reference.type))
(from (object_reference name: (identifier) @reference.type))
(column_definition (object_reference name: (identifier) @reference.type))
(constraint (object_reference name: (identifier) @reference.type))
(create_index (object_reference name: (identifier) @reference.type))
(create_trigger (object_reference name: (identifier) @reference.type))
(alter_table (object_reference name: (identifier) @reference.type))
(invocation (object_reference name: (identifier) @reference.call))
(field name: (identifier) @reference.member)
(column (identifier) @reference.member)

(relation alias: (identifier) @reference.none)
(term alias: (identifier) @reference.none)
(cte (identifier) @reference.none)
(function_argument (identifier) @reference.none)
(function_language (identifier) @reference.none)
(table_option value: (identifier) @reference.none)
