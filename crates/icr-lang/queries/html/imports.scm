; Files that HTML loads from beside it; not addresses, and no links that a reader may follow.

((script_element
  (start_tag
    (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @import.specifier)))
  @import @import.include
  (#match? @_attribute "^(?i:src)$")
  (#not-match? @import.specifier "^[\"']?([A-Za-z][A-Za-z0-9+.-]*:|//|[{<])"))
((element
  [(start_tag
    (tag_name) @_tag
    (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @import.specifier))
   (self_closing_tag
    (tag_name) @_tag
    (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @import.specifier))])
  @import @import.include
  (#match? @_tag "^(?i:link)$")
  (#match? @_attribute "^(?i:href)$")
  (#not-match? @import.specifier "^[\"']?([A-Za-z][A-Za-z0-9+.-]*:|//|[{<])"))
