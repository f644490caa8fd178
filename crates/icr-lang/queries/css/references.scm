; Names that CSS takes from elsewhere: `var(--name)`. Other words are of the language.

(call_expression (arguments (plain_value) @reference.other))
