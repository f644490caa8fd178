; Imports of Kotlin. Whatever a path names is a module: classes, functions and properties are imported alike.

(import (qualified_identifier) @import.specifier) @import
(import (qualified_identifier) @import.specifier (identifier) @import.namespace)
(import (qualified_identifier) @import.specifier "*" @import.wildcard)

(package_header (qualified_identifier) @provides)
