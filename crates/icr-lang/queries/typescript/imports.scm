; Imports of TypeScript, besides those of JavaScript.

(import_statement "type" @import.type_only)
(export_statement "type" @import.type_only source: (string) @import.specifier)
(import_statement
  (import_require_clause (identifier) @import.namespace source: (string) @import.specifier)) @import

(module name: (string (string_fragment) @provides))
