; Targets, variables and macros of make.

((rule (targets (word) @name) (recipe)? @body) @definition.function
  (#not-match? @name "^\\.[A-Z_]+$|%"))
; `target: ## What it does.`
((rule (comment) @doc) (#match? @doc "^##"))

((variable_assignment name: (word) @name operator: _ @_operator) @definition.variable
  (#not-eq? @_operator "+="))
(define_directive name: (word) @name value: (_)? @body) @definition.macro
