; What HTML gives a name: elements with an id, and sections by their headings.

(element
  (start_tag (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @name)) . (_)? @body
  (#eq? @_attribute "id")) @definition.key
(element
  (self_closing_tag (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @name))
  (#eq? @_attribute "id")) @definition.key
(script_element
  (start_tag (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @name))
  . (raw_text)? @body
  (#eq? @_attribute "id")) @definition.key
(style_element
  (start_tag (attribute (attribute_name) @_attribute [(attribute_value) (quoted_attribute_value)] @name))
  . (raw_text)? @body
  (#eq? @_attribute "id")) @definition.key

(element
  (start_tag (tag_name) @_tag) . [(text) @name (element (start_tag) . (text) @name)]
  (#match? @_tag "^[hH][1-6]$")) @definition.section
