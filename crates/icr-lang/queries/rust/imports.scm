; Imports of Rust: trees of paths, child modules in other files, and crates.

(use_declaration) @import
(use_declaration (visibility_modifier) @import.reexport)
(use_declaration argument: (scoped_identifier path: (_) @import.specifier name: (_) @import.name))
(use_declaration argument: (identifier) @import.name)

(scoped_use_list path: (_) @import.scope)

(use_list (scoped_identifier path: (_) @import.specifier name: (_) @import.name))
(use_list [(identifier) (self) (crate) (super)] @import.name)

(use_as_clause path: (scoped_identifier path: (_) @import.specifier name: (_) @import.name) alias: (_) @import.alias)
(use_as_clause path: [(identifier) (self) (crate) (super)] @import.name alias: (_) @import.alias)

(use_wildcard [(identifier) (scoped_identifier) (self) (crate) (super)] @import.specifier) @import.wildcard
; `use a::{*}` holds no path of its own.
(use_wildcard . "*") @import.wildcard

(extern_crate_declaration name: (_) @import.name alias: (_)? @import.alias) @import

(mod_item name: (_) @import.specifier !body) @import @import.module
