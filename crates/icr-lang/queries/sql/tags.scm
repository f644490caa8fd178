; Definitions of SQL.

(create_table (object_reference name: (_) @name) (column_definitions)? @body) @definition.struct @contract.schema
(column_definition name: (_) @name) @definition.field
(alter_table (object_reference name: (_) @name) (add_column) @body) @definition.implementation

(create_view (object_reference name: (_) @name) (create_query) @body) @definition.struct @contract.schema
(create_materialized_view (object_reference name: (_) @name) (create_query) @body) @definition.struct @contract.schema
(create_type (object_reference name: (_) @name) (enum_elements) @body) @definition.enum @contract.enum
(create_type (object_reference name: (_) @name) (column_definitions)? @body) @definition.struct @contract.schema

(create_function (keyword_function) . (object_reference name: (_) @name) (function_body)? @body) @definition.function
(create_trigger (keyword_trigger) . (object_reference name: (_) @name)) @definition.function
(create_index column: (identifier) @name) @definition.key
(create_sequence (object_reference name: (_) @name)) @definition.variable
(create_schema (identifier) @name) @definition.module
