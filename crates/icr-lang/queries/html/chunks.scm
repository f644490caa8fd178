; Where HTML is cut.

(comment) @comment
(doctype) @token
(quoted_attribute_value) @token

; The grammar knows no section.
(element) @heading

(document) @split
(element) @split
