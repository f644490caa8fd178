; Imports of Dart. What stands behind `if` is imported on some platforms.

(library_import (import_specification uri: [(configurable_uri . (uri) @import.specifier) (uri) @import.specifier])) @import
(library_import (import_specification
  uri: [(configurable_uri . (uri) @import.specifier) (uri) @import.specifier]
  alias: (_) @import.namespace))
(library_import (import_specification
  uri: [(configurable_uri . (uri) @import.specifier) (uri) @import.specifier]
  (combinator "show" (identifier) @import.name)))
(library_import (import_specification uri: (configurable_uri (configuration_uri (uri) @import.specifier))))

(library_export uri: [(configurable_uri . (uri) @import.specifier) (uri) @import.specifier]) @import @import.reexport
(library_export
  uri: [(configurable_uri . (uri) @import.specifier) (uri) @import.specifier]
  (combinator "show" (identifier) @import.name))
(library_export uri: (configurable_uri (configuration_uri (uri) @import.specifier)))

(part_directive uri: (_) @import.specifier) @import @import.module
(part_of_directive [(uri) (dotted_identifier_list)] @import.specifier) @import

(library_name (dotted_identifier_list) @provides)
