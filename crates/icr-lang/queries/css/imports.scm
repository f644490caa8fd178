; Imports of CSS: files beside this one, not addresses.

((import_statement [
  (string_value) @import.specifier
  (call_expression (arguments [(string_value) (plain_value)] @import.specifier))]) @import @import.include
  (#not-match? @import.specifier "^[\"']?([A-Za-z][A-Za-z0-9+.-]*:|//)"))
