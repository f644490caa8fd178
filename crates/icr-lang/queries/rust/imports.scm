; Imports of Rust: trees of paths, child modules in other files, and crates.

(use_declaration) @import
(use_declaration (visibility_modifier) @import.reexport)
(use_declaration argument: (scoped_identifier path: (_) @import.specifier name: (_) @import.name))
(use_declaration argument: (identifier) @import.name)
(use_declaration argument: (scoped_identifier !path) @import.specifier)

(scoped_use_list path: (_) @import.scope)

(use_list (scoped_identifier path: (_) @import.specifier name: (_) @import.name))
(use_list [(identifier) (self) (crate) (super)] @import.name)

(use_as_clause path: (scoped_identifier path: (_) @import.specifier name: (_) @import.name) alias: (_) @import.alias)
(use_as_clause path: [(identifier) (self) (crate) (super)] @import.name alias: (_) @import.alias)
(use_as_clause path: (scoped_identifier !path) @import.specifier alias: (_) @import.namespace)

(use_wildcard [(identifier) (scoped_identifier) (self) (crate) (super)] @import.specifier) @import.wildcard
; `use a::{*}` holds no path of its own.
(use_wildcard . "*") @import.wildcard

(extern_crate_declaration name: (_) @import.name alias: (_)? @import.alias) @import
(extern_crate_declaration (visibility_modifier) @import.reexport)

(mod_item name: (_) @import.specifier !body) @import @import.module

; Where the file of the next module is, when its name does not say it: a statement of its own, right before the module's.
(attribute_item (attribute (identifier) @_path value: (string_literal (string_content) @import.specifier))
  (#eq? @_path "path")
  (#match? @import.specifier "[.]rs$")) @import @import.module
(attribute_item (attribute (identifier) @_condition arguments: (token_tree
    (identifier) @_path . (string_literal (string_content) @import.specifier)))
  (#eq? @_condition "cfg_attr")
  (#eq? @_path "path")
  (#match? @import.specifier "[.]rs$")) @import @import.module

; `automod::dir!("src/parts")` declares every file of a directory as a child module: the specifier is `automod::dir::src/parts`.
(macro_invocation macro: (scoped_identifier) @import.scope
  (#eq? @import.scope "automod::dir"))
(macro_invocation macro: (scoped_identifier) @_macro (token_tree (string_literal (string_content) @import.specifier))
  (#eq? @_macro "automod::dir")) @import @import.module
