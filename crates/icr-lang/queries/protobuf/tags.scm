; Definitions of Protocol Buffers.

(message (message_name (identifier) @name) (message_body) @body) @definition.struct @contract.schema
(group (message_name (identifier) @name) (message_body) @body) @definition.field
(field (identifier) @name) @definition.field
(map_field (identifier) @name) @definition.field
(oneof (identifier) @name "{" @body) @definition.field
(oneof_field (identifier) @name) @definition.field

(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum @contract.enum
(enum_field . (identifier) @name) @definition.variant

(service (service_name (identifier) @name) "{" @body) @definition.interface @contract.interface
(rpc (rpc_name (identifier) @name) "{"? @body) @definition.method

(extend (full_ident) @name (message_body) @body) @definition.implementation
