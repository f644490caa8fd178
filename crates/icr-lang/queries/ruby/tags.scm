; Definitions of Ruby. A bare `private` governs what follows it in the body.

(method name: (_) @name body: (_)? @body) @definition.function
(singleton_method name: (_) @name body: (_)? @body) @definition.function
(singleton_method object: (constant) @receiver)
(alias name: (_) @name) @definition.function

(class name: (constant) @name body: (_)? @body) @definition.class @members.sections.public
(class name: (scope_resolution scope: (_)? @receiver name: (_) @name) body: (_)? @body) @definition.class @members.sections.public
(module name: (constant) @name body: (_)? @body) @definition.module @members.sections.public
(module name: (scope_resolution scope: (_)? @receiver name: (_) @name) body: (_)? @body) @definition.module @members.sections.public

; Contracts by what the body declares: `self.abstract_class = true`, Sorbet's `abstract!` and `interface!`.
(class
  body: (body_statement (assignment left: (call receiver: (self) method: (identifier) @_flag) right: (true)))
  (#eq? @_flag "abstract_class")) @contract.abstract_class
(class
  body: (body_statement [(identifier) @_flag (call !receiver method: (identifier) @_flag)])
  (#eq? @_flag "abstract!")) @contract.abstract_class
(module
  body: (body_statement [(identifier) @_flag (call !receiver method: (identifier) @_flag)])
  (#any-of? @_flag "interface!" "abstract!")) @contract.interface

; Contracts by base class.
(class
  superclass: (superclass [(constant) @_base (scope_resolution name: (constant) @_base)])
  (#eq? @_base "ApplicationRecord")) @contract.model
(class
  superclass: (superclass (scope_resolution) @_base)
  (#any-of? @_base "ActiveRecord::Base" "::ActiveRecord::Base" "Sequel::Model")) @contract.model
(class
  superclass: (superclass (scope_resolution) @_base)
  (#any-of? @_base
    "Dry::Struct" "Dry::Validation::Contract" "ActiveModel::Serializer"
    "GraphQL::Schema::Object" "GraphQL::Schema::InputObject")) @contract.schema
(class
  superclass: (superclass (scope_resolution) @_base)
  (#any-of? @_base "T::Struct" "T::ImmutableStruct")) @contract.dataclass
(class
  superclass: (superclass (call receiver: (constant) @_library method: (identifier) @_builder))
  (#eq? @_library "Data") (#eq? @_builder "define")) @contract.dataclass
(class
  superclass: (superclass (call receiver: (constant) @_library method: (identifier) @_builder))
  (#eq? @_library "Struct") (#eq? @_builder "new")) @contract.struct
(class superclass: (superclass (scope_resolution) @_base) (#eq? @_base "T::Enum")) @contract.enum

; Classes that are values.
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_library method: (identifier) @_builder block: (_)? @body)
  (#eq? @_library "Struct") (#eq? @_builder "new")) @definition.class @contract.struct @members.sections.public
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_library method: (identifier) @_builder block: (_)? @body)
  (#eq? @_library "Data") (#eq? @_builder "define")) @definition.class @contract.dataclass @members.sections.public
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_library method: (identifier) @_builder block: (_)? @body)
  (#eq? @_library "Class") (#eq? @_builder "new")) @definition.class @members.sections.public
(assignment
  left: (constant)
  right: (call
    receiver: (constant) @_library
    method: (identifier) @_builder
    arguments: (argument_list (simple_symbol) @name @definition.field))
  (#any-of? @_library "Struct" "Data") (#any-of? @_builder "new" "define"))

(assignment left: (constant) @name right: (_) @body) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(assignment left: (left_assignment_list) right: (_) @body)
(assignment left: (global_variable) @name right: (_) @body) @definition.variable
(assignment left: (class_variable) @name right: (_) @body) @definition.field

; Members that calls define.
(call
  !receiver
  method: (identifier) @_attribute
  arguments: (argument_list (simple_symbol) @name @definition.field)
  (#match? @_attribute "^(attr|mattr|cattr|class_attribute$|thread_mattr)(_reader|_writer|_accessor)?$"))
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  block: (_)? @body
  (#any-of? @_define "define_method" "define_singleton_method" "alias_method" "scope" "task" "multitask")) @definition.function
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (pair key: [(simple_symbol) (hash_key_symbol)] @name))
  block: (_)? @body
  (#any-of? @_define "task" "multitask")) @definition.function
(call
  !receiver
  method: (identifier) @_namespace
  arguments: (argument_list . (simple_symbol) @name)
  block: (_) @body
  (#eq? @_namespace "namespace")) @definition.module
