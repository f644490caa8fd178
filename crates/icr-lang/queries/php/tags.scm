; Definitions of PHP. Names of properties are without their `$`.

(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface @contract.interface
(trait_declaration name: (_) @name body: (_) @body) @definition.trait @contract.trait
(enum_declaration name: (_) @name body: (_) @body) @definition.enum @contract.enum
(enum_case name: (_) @name value: (_)? @body) @definition.variant

(function_definition name: (_) @name body: (_) @body) @definition.function
(method_declaration name: (_) @name body: (_)? @body) @definition.method

(property_declaration (property_element name: (variable_name (name) @name) default_value: (_)? @body)) @definition.field
(property_promotion_parameter name: [(variable_name (name) @name) (by_ref (variable_name (name) @name))]) @definition.field
(const_declaration (const_element . (name) @name "=" @body)) @definition.constant
((function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])))
  (#eq? @_function "define")) @definition.constant

; Classes mapped to tables, then abstract ones.
(class_declaration
  attributes: (attribute_list (attribute_group (attribute [
    (name) @_attribute
    (qualified_name (name) @_attribute)])))
  (#any-of? @_attribute "Entity" "Table" "Document" "MappedSuperclass" "Embeddable")) @contract.model
(class_declaration
  (base_clause [(name) @_base (qualified_name (name) @_base)])
  (#any-of? @_base "Model" "Eloquent" "Pivot")) @contract.model
(class_declaration (abstract_modifier)) @contract.abstract_class
