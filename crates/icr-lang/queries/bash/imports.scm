; Files that a shell script reads, as written: a path with expansions names what only the running script knows.

(command
  name: (command_name (word) @_source)
  .
  argument: [(word) (raw_string) (string) (concatenation) (simple_expansion) (expansion)] @import.specifier
  (#any-of? @_source "source" ".")) @import @import.include
