; Roles of identifiers in Protocol Buffers. All parts of a qualified name are types: a chain cannot tell the last.

(message_or_enum_type (identifier) @reference.type)
(extend (full_ident (identifier) @reference.type))
(full_ident (identifier) @reference.other)
(package (full_ident (identifier) @reference.none))
