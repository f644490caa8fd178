; Makefiles that make includes. What a variable holds is known only when it runs.

(include_directive filenames: (list [(word) (concatenation)] @import.specifier)) @import @import.include
