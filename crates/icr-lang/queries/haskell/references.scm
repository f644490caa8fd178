; Roles of identifiers in Haskell.

(variable) @reference.other
(constructor) @reference.other
(name) @reference.type
(module_id) @reference.other

(apply function: (variable) @reference.call)
(apply function: (constructor) @reference.call)
(apply function: (qualified id: (variable) @reference.call))
(apply function: (qualified id: (constructor) @reference.call))
(infix_id (variable) @reference.call)
(infix_id (qualified id: (variable) @reference.call))
(header module: (module (module_id) @reference.none))
(export variable: (variable) @reference.none)
(export type: (name) @reference.none)
(type_params bind: (variable) @reference.none)

(patterns (variable) @local)
(bind pattern: (variable) @local)
(bind name: (variable) @local)
(alternative pattern: (variable) @local)
(alternative pattern: (apply argument: (variable) @local))
(parens pattern: (variable) @local)
(parens pattern: (apply argument: (variable) @local))
(parens pattern: (apply function: (apply argument: (variable) @local)))
(bind pattern: (tuple element: (variable) @local))
(patterns (tuple element: (variable) @local))
