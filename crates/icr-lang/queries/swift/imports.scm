; Imports of Swift: modules, and what is named inside one.

(import_declaration (identifier) @import.specifier) @import
(import_declaration
  (modifiers (attribute (user_type (type_identifier) @_attribute)))
  (#eq? @_attribute "_exported")) @import.reexport
(import_declaration (modifiers (visibility_modifier "public"))) @import.reexport
