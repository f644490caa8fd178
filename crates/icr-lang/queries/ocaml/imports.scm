; Imports of OCaml: modules whose names are opened, taken over, or called otherwise.

(open_module module: (module_path) @import.specifier) @import @import.wildcard
(open_module_signature module: (_) @import.specifier) @import @import.wildcard

(include_module module: (module_path) @import.specifier) @import @import.wildcard @import.reexport
(include_module module: (module_application functor: (module_path) @import.specifier)) @import @import.wildcard @import.reexport
(include_module_type
  module_type: [
    (module_type_path (_) @import.specifier (module_type_name) @import.name)
    (module_type_constraint module_type: (module_type_path (_) @import.specifier (module_type_name) @import.name))
    (module_type_of (module_path) @import.specifier)]) @import @import.reexport
(module_binding (module_name) @import.namespace body: (module_path) @import.specifier) @import
