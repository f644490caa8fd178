; Roles of names in GraphQL.

(named_type (name) @reference.type)
(directive (name) @reference.call)
(fragment_spread (fragment_name (name) @reference.other))
(enum_value (name) @reference.other)
(field (name) @reference.member)
