; Blocks of HCL by their last label, under the label before it: `resource "aws_instance" "web"` is `aws_instance.web`.

((block . (identifier) @_block . (string_lit (template_literal) @name) . (block_start) @body)
  (#any-of? @_block "variable" "output")) @definition.variable
((block . (identifier) @_block . (string_lit (template_literal) @name) . (block_start) @body)
  (#eq? @_block "module")) @definition.module
(block . (identifier) . (string_lit (template_literal) @name) . (block_start) @body) @definition.key
(block
  . (identifier)
  . (string_lit (template_literal) @receiver)
  . (string_lit (template_literal) @name)
  . (block_start) @body) @definition.key

((block . (identifier) @_block (body (attribute (identifier) @name) @definition.constant))
  (#eq? @_block "locals"))
(config_file (body (attribute (identifier) @name) @definition.key))
