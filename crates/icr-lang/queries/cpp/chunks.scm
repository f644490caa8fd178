; Where C++ is cut, besides what it shares with C.

(template_declaration) @wrapper
(attribute_declaration) @annotation
(access_specifier) @section

; Inside a function it is a variable, also where it reads like a function: `Guard guard(mutex);`.
(declaration) @outside

(lambda_expression) @scope
(try_statement) @split
