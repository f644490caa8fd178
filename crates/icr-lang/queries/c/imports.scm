; Inclusions of C.

(preproc_include path: (string_literal) @import.specifier) @import @import.include
(preproc_include path: (system_lib_string) @import.specifier) @import @import.system
