; Where makefiles are cut.

(comment) @comment

(makefile) @split
(recipe) @split
(conditional) @split
(else_directive) @split
(elsif_directive) @split
