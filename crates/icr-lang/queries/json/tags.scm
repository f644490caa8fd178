; Keys of JSON. Of one with members these are the body.

(pair key: (string) @name value: [(object) (array)] @body) @definition.key
(pair key: (string) @name) @definition.key
