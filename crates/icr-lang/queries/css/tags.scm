; Rules of CSS by each of their selectors, and what has a name of its own.

(rule_set (selectors (_) @name) (block) @body) @definition.key
(declaration (property_name) @name (#match? @name "^--")) @definition.variable
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.key
