; Keys of YAML. Of one with members or a list these are the body.

((block_mapping_pair
  key: (flow_node [(plain_scalar) (single_quote_scalar) (double_quote_scalar)] @name)) @definition.key
  (#not-eq? @name "<<"))
(block_mapping_pair
  key: (flow_node)
  value: [
    (block_node [(block_mapping) (block_sequence)])
    (flow_node [(flow_mapping) (flow_sequence)])] @body)
(flow_pair key: (flow_node [(plain_scalar) (single_quote_scalar) (double_quote_scalar)] @name)) @definition.key
(flow_pair key: (flow_node) value: (flow_node [(flow_mapping) (flow_sequence)]) @body)
