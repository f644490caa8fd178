; Definitions of TypeScript, besides those of JavaScript.

(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class @contract.abstract_class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface @contract.interface @members.inherit
(type_alias_declaration name: (_) @name value: (object_type) @body) @definition.type @contract.type_alias
(type_alias_declaration name: (_) @name) @definition.type @contract.type_alias
(enum_declaration name: (_) @name body: (_) @body) @definition.enum @contract.enum

(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(property_signature name: (_) @name) @definition.field
(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: (_) @name value: (_)? @body) @definition.field
(enum_assignment name: (_) @name value: (_) @body) @definition.variant
(enum_body name: (_) @name @definition.variant)

(internal_module name: (_) @name body: (_) @body) @definition.module
(module name: (identifier) @name body: (_) @body) @definition.module

; Classes mapped to tables by a decorator, on the class or before `export`.
(class_declaration
  decorator: (decorator [(identifier) @_decorator (call_expression function: (identifier) @_decorator)])
  (#any-of? @_decorator "Entity" "Table" "ViewEntity" "Schema")) @contract.model
(export_statement
  decorator: (decorator [(identifier) @_decorator (call_expression function: (identifier) @_decorator)])
  (#any-of? @_decorator "Entity" "Table" "ViewEntity" "Schema")) @contract.model

(export_statement "=" (identifier) @export.module)
