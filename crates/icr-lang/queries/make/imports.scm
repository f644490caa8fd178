; Makefiles that make includes. Names put together from variables are known only when it runs.

(include_directive filenames: (list (word) @import.specifier)) @import @import.include
