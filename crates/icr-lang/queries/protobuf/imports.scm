; Imports of Protocol Buffers.

(import path: (string) @import.specifier) @import
(import "public" @import.reexport)

(package (full_ident) @provides)
