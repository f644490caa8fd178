; What signatures of Ruby promise.

(string) @verbatim
(heredoc_body) @verbatim
(regex) @verbatim

(method name: (_) @name parameters: (_)? @parameters)
(singleton_method object: (_) @modifier.on name: (_) @name parameters: (_)? @parameters)
(alias name: (_) @name)
((call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  block: (_ parameters: (_)? @parameters))
  (#any-of? @_define "define_method" "define_singleton_method" "scope"))

(method_parameters [(destructured_parameter) (identifier)] @parameter @parameter.name @parameter.positional_only)
(method_parameters (optional_parameter
  name: (_) @parameter.name value: (_) @parameter.default) @parameter @parameter.positional_only)
(method_parameters (splat_parameter name: (_)? @parameter.name) @parameter @parameter.variadic)
(method_parameters (keyword_parameter
  name: (_) @parameter.name value: (_)? @parameter.default) @parameter @parameter.keyword_only)
(method_parameters (hash_splat_parameter name: (_)? @parameter.name) @parameter @parameter.keyword_variadic)
(method_parameters (block_parameter name: (_)? @parameter.name) @parameter @parameter.keyword_only @parameter.optional)
(method_parameters (forward_parameter) @parameter @parameter.variadic)
(block_parameters [(destructured_parameter) (identifier)] @parameter @parameter.name @parameter.positional_only)
(block_parameters (optional_parameter
  name: (_) @parameter.name value: (_) @parameter.default) @parameter @parameter.positional_only)
(block_parameters (splat_parameter name: (_)? @parameter.name) @parameter @parameter.variadic)
(block_parameters (keyword_parameter
  name: (_) @parameter.name value: (_)? @parameter.default) @parameter @parameter.keyword_only)
(block_parameters (hash_splat_parameter name: (_)? @parameter.name) @parameter @parameter.keyword_variadic)
(block_parameters (block_parameter name: (_)? @parameter.name) @parameter @parameter.keyword_only @parameter.optional)
(block_parameters (forward_parameter) @parameter @parameter.variadic)

(class name: (_) @name.within superclass: (superclass (_) @base)?)
(class
  name: (_) @name.within
  body: (_ (call !receiver method: (identifier) @_mixin arguments: (argument_list [(constant) (scope_resolution)] @base)))
  (#any-of? @_mixin "extend" "include" "prepend"))
(module
  name: (_) @name.within
  body: (_ (call !receiver method: (identifier) @_mixin arguments: (argument_list [(constant) (scope_resolution)] @base)))
  (#any-of? @_mixin "extend" "include" "prepend"))
(assignment left: [(class_variable) (constant) (global_variable)] @name right: (_) @value)
(assignment left: (left_assignment_list (constant) @name))
(assignment
  left: (constant)
  right: (call
    receiver: (constant) @_library
    method: (identifier) @_builder
    arguments: (argument_list (simple_symbol) @name))
  (#any-of? @_library "Struct" "Data") (#any-of? @_builder "new" "define"))
; Which of reading and writing there is.
(call
  !receiver
  method: (identifier) @modifier
  arguments: (argument_list (simple_symbol) @name)
  (#match? @modifier "^(attr|mattr|cattr|class_attribute$|thread_mattr)(_reader|_writer|_accessor)?$"))
