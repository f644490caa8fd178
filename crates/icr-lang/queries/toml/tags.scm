; Keys of TOML. A table is the key that its heading names, dots and all.

(table [(bare_key) (quoted_key) (dotted_key)] @name . "]" . (_)? @body) @definition.key
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name . "]]" . (_)? @body) @definition.key

(pair . [(bare_key) (quoted_key) (dotted_key)] @name [(inline_table) (array)] @body) @definition.key
(pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(pair (comment) @body)
