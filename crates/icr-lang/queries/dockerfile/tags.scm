; Stages and variables of container files. A stage without a name is known by its image.

(from_instruction as: (image_alias) @name) @definition.section
(from_instruction (image_spec name: (image_name) @name) !as) @definition.section
(arg_pair name: (_) @name) @definition.variable
(env_pair name: (_) @name) @definition.variable
