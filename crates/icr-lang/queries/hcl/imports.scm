; Modules of HCL that lie beside this one.

((block
  . (identifier) @_block
  (body (attribute
    (identifier) @_attribute
    (expression (literal_value (string_lit (template_literal) @import.specifier))))))
  @import
  (#eq? @_block "module")
  (#eq? @_attribute "source")
  (#match? @import.specifier "^\\.\\.?/"))
