; What definitions of Protocol Buffers promise. Of a field its number is told as its value: it is what is sent.

(string) @verbatim.quotes
(map_field ["<" ">"] @tight)
(enum_field "-" @tight)

(message (message_name (identifier) @name))
(field ["optional" "repeated" "required"]? @modifier (type) @type (identifier) @name (field_number) @value)
(field (identifier) @name (field_options (field_option) @modifier))
(map_field "map" @type "<" @type (key_type) @type "," @type (type) @type ">" @type (identifier) @name (field_number) @value)
(map_field (identifier) @name (field_options (field_option) @modifier))
(oneof (identifier) @name)
(oneof_field (type) @type (identifier) @name (field_number) @value)
(oneof_field (identifier) @name (field_options (field_option) @modifier))
(enum (enum_name (identifier) @name))
(enum_field . (identifier) @name "-"? @value (int_lit) @value)
(service (service_name (identifier) @name))
(rpc
  (rpc_name (identifier) @name)
  . "(" . "stream"? @parameter.type . (message_or_enum_type) @parameter @parameter.type) @parameters
(rpc (rpc_name (identifier) @name) "returns" . "(" . "stream"? @returns . (message_or_enum_type) @returns)
