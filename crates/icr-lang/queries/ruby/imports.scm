; Imports of Ruby: literal paths only. `require_relative` looks beside the file itself.

(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string . (string_content) @import.specifier .))
  (#eq? @_require "require")) @import
(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string . (string_content) @import.specifier .))
  (#any-of? @_require "require_relative" "load")) @import @import.include
(call
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) @import.name . (string . (string_content) @import.specifier .))
  (#eq? @_autoload "autoload")) @import
