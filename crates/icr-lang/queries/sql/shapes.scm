; What definitions of SQL promise.

(function_arguments (function_argument . (identifier) @parameter.name . (_) @parameter.type) @parameter)
(function_arguments (function_argument (keyword_default) . (_) @parameter.default) @parameter)

(create_function
  (keyword_function) . (object_reference name: (_) @name) (function_arguments) @parameters)
(create_function (keyword_function) . (object_reference name: (_) @name) (keyword_returns) . (_) @returns)
(create_trigger (keyword_trigger) . (object_reference name: (_) @name))
(column_definition name: (_) @name type: (_) @type)
(column_definition
  name: (_) @name [(keyword_key) (keyword_not) (keyword_null) (keyword_primary) (keyword_unique)] @type)
(column_definition name: (_) @name (keyword_default) . (_) @value)
(create_table (object_reference name: (_) @name))
(create_view (object_reference name: (_) @name))
(create_materialized_view (object_reference name: (_) @name))
(create_type (object_reference name: (_) @name) (enum_elements)? @type)
(alter_table (object_reference name: (_) @name))
