; Inclusions of C.

(preproc_include path: (string_literal) @import.specifier) @import @import.include
(preproc_include path: (system_lib_string) @import.specifier) @import @import.system

; Among the members of a type or the variants of an enumeration an inclusion is a directive like any other.
((preproc_call directive: (preproc_directive) @_directive argument: (preproc_arg) @import.specifier) @import @import.include
  (#match? @_directive "^#[ \t]*include$") (#match? @import.specifier "^\"[^\"]*\"$"))
((preproc_call directive: (preproc_directive) @_directive argument: (preproc_arg) @import.specifier) @import @import.system
  (#match? @_directive "^#[ \t]*include$") (#match? @import.specifier "^<[^>]*>$"))
