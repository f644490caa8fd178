; Where TypeScript is cut, besides the places of JavaScript.

(accessibility_modifier) @visibility
(ambient_declaration) @wrapper

(interface_body) @split
(object_type) @split
(enum_body) @split
