; Imports of Java. A class is a module; a static import takes a name from it.

(import_declaration) @import
((import_declaration [(identifier) (scoped_identifier)] @import.specifier) @_statement
  (#not-match? @_statement "^import\\s+static\\s|[*]"))
(import_declaration (_) @import.specifier (asterisk) @import.wildcard)
(import_declaration "static" (scoped_identifier scope: (_) @import.specifier name: (_) @import.name) . ";")

(package_declaration [(identifier) (scoped_identifier)] @provides)
(module_declaration name: (_) @provides)
