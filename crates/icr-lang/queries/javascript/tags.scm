; Definitions of JavaScript, also read for TypeScript.

(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function

(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method

(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body))) @definition.class
(lexical_declaration kind: "const" (variable_declarator
  name: (identifier) @name
  value: (_)? @body)) @definition.constant
(lexical_declaration kind: "let" (variable_declarator
  name: (identifier) @name
  value: (_)? @body)) @definition.variable

(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body))) @definition.class
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: (_)? @body)) @definition.variable

; Names that are taken of a value, where others can import them.
(export_statement declaration: (lexical_declaration (variable_declarator name: (object_pattern
  (shorthand_property_identifier_pattern) @name @definition.constant @export))))
(export_statement declaration: (lexical_declaration (variable_declarator name: (object_pattern
  (pair_pattern value: (identifier) @name @definition.constant @export)))))
(export_statement declaration: (lexical_declaration (variable_declarator name: (object_pattern
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name @definition.constant @export)))))
(export_statement declaration: (lexical_declaration (variable_declarator name: (object_pattern
  (rest_pattern (identifier) @name @definition.constant @export)))))
(export_statement declaration: (lexical_declaration (variable_declarator name: (array_pattern
  (identifier) @name @definition.constant @export))))

; Schemas that are values: zod's `z.object`, yup's `yup.object`, mongoose's `new Schema`.
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (call_expression function: (member_expression
    object: (identifier) @_library
    property: (property_identifier) @_builder)))
  (#any-of? @_library "z" "zod" "yup" "Joi" "joi" "v")
  (#any-of? @_builder "object" "strictObject" "looseObject")) @contract.schema
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (new_expression constructor: [
    (identifier) @_builder
    (member_expression property: (property_identifier) @_builder)]))
  (#eq? @_builder "Schema")) @contract.schema

; Functions given to a name: `exports.open = function () {}`, `Shape.prototype.area = () => 0`.
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @receiver property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)
    (generator_function !name body: (_) @body)]) @definition.function
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(function_expression name: (_) body: (_) @body) (generator_function name: (_) body: (_) @body)]
  (#not-eq? @name "exports")) @definition.function

; Values given to a name of the module: `exports.methods = list()`. A name, or another file, is no value of its own.
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)
  right: [
    (call_expression function: [(member_expression) (call_expression) (parenthesized_expression)])
    (assignment_expression) (parenthesized_expression) (new_expression) (member_expression) (object) (array)
    (string) (template_string) (number) (true) (false) (null) (regex)
    (binary_expression) (unary_expression) (ternary_expression) (await_expression)] @body
  (#eq? @_exports "exports")) @definition.variable
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)
  right: (call_expression function: (identifier) @_called) @body
  (#eq? @_exports "exports") (#not-eq? @_called "require")) @definition.variable
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)
  right: (call_expression
    function: (identifier) @_called
    arguments: (arguments . (string (string_fragment) @_path))) @body
  (#eq? @_exports "exports") (#eq? @_called "require") (#not-match? @_path "^[.]")) @definition.variable
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name)
  right: [
    (call_expression function: [(member_expression) (call_expression) (parenthesized_expression)])
    (assignment_expression) (parenthesized_expression) (new_expression) (member_expression) (object) (array)
    (string) (template_string) (number) (true) (false) (null) (regex)
    (binary_expression) (unary_expression) (ternary_expression) (await_expression)] @body
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.variable
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name)
  right: (call_expression function: (identifier) @_called) @body
  (#eq? @_module "module") (#eq? @_exports "exports") (#not-eq? @_called "require")) @definition.variable
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name)
  right: (call_expression
    function: (identifier) @_called
    arguments: (arguments . (string (string_fragment) @_path))) @body
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_called "require") (#not-match? @_path "^[.]")) @definition.variable

; What a module is, by its own name: `module.exports = function open() {}`.
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(function_expression name: (_) @name body: (_) @body) (generator_function name: (_) @name body: (_) @body)]
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.function
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (class name: (_) @name body: (_) @body)
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.class
(pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method

; Names exported apart from their definition.
(export_statement (export_clause (export_specifier name: (identifier) @export)) !source)
(export_statement value: (identifier) @export)
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @export (object (shorthand_property_identifier) @export) (object (pair value: (identifier) @export))]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_exports)
  right: (identifier) @export
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @export)
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @export)
  (#eq? @_module "module") (#eq? @_exports "exports"))

; Names under which others take them.
(export_statement (export_clause (export_specifier name: (identifier) @export alias: _ @export.as)) !source)
(export_statement "default" declaration: (_ name: (_) @export.default))
(export_statement "default" value: (identifier) @export.default)
; It has one, whatever it is called.
(export_statement "default" @export.default)
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (identifier) @export.module
    (function_expression name: (_) @export.module)
    (generator_function name: (_) @export.module)
    (class name: (_) @export.module)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @export.module)
  right: [(function_expression !name) (arrow_function) (generator_function !name)]
  (#eq? @_module "module") (#eq? @export.module "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object (pair key: (property_identifier) @export.as value: (identifier) @export))
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @export.as)
  right: (identifier) @export
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @export.as)
  right: (identifier) @export
  (#eq? @_module "module") (#eq? @_exports "exports"))
