//! Writes a graph of ONNX operators, one call an operator.

use super::messages::{
    Attribute, Dimension, Length, Model, OnnxGraph, OnnxNode, OperatorSet, Shape, Tensor, TensorType, Type, Value,
    attribute_type, data_type,
};

/// Version of the operator set: the first that has `LayerNormalization`. Every runtime since 2022 reads it.
const OPSET: i64 = 17;

/// The IR version that came with [`OPSET`] (ONNX 1.12).
const IR_VERSION: i64 = 8;

/// A graph under construction. Values have names; an operator has the name of its result.
#[derive(Default)]
pub(super) struct GraphBuilder {
    nodes: Vec<OnnxNode>,
    constants: Vec<Tensor>,
    values_total: usize,
}

impl GraphBuilder {
    /// Adds an operator with one result and returns the result's name.
    pub(super) fn apply(&mut self, operator: &str, inputs: &[&str], attributes: Vec<Attribute>) -> String {
        let [result] = self.apply_many(operator, inputs, attributes);
        result
    }

    /// Adds an operator with `N` results and returns their names.
    pub(super) fn apply_many<const N: usize>(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: Vec<Attribute>,
    ) -> [String; N] {
        let results: [String; N] = std::array::from_fn(|_| self.fresh(operator));
        self.nodes.push(OnnxNode {
            input: inputs.iter().map(|input| (*input).to_owned()).collect(),
            output: results.to_vec(),
            name: results.first().cloned(),
            op_type: Some(operator.to_owned()),
            attribute: attributes,
        });
        results
    }

    /// A tensor of 32-bit floats; `values` has as many as the product of `dims`.
    pub(super) fn floats(&mut self, dims: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(dims, data_type::FLOAT, bytes)
    }

    /// A tensor of signed bytes.
    pub(super) fn bytes(&mut self, dims: &[usize], values: &[i8]) -> String {
        let bytes = values.iter().map(|value| value.cast_unsigned()).collect();
        self.constant(dims, data_type::INT8, bytes)
    }

    /// A list of integers: axes, lengths.
    pub(super) fn integers(&mut self, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(&[values.len()], data_type::INT64, bytes)
    }

    /// A single integer.
    pub(super) fn constant_integer(&mut self, value: i64) -> String {
        self.constant(&[], data_type::INT64, value.to_le_bytes().to_vec())
    }

    /// A single float.
    pub(super) fn float(&mut self, value: f32) -> String {
        self.floats(&[], &[value])
    }

    fn constant(&mut self, dims: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let name = self.fresh("constant");
        self.constants.push(Tensor {
            dims: dims.iter().map(|dim| *dim as i64).collect(),
            data_type: Some(data_type),
            name: Some(name.clone()),
            raw_data: Some(raw_data),
            data_location: None,
        });
        name
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.values_total += 1;
        format!("{stem}_{}", self.values_total)
    }

    /// The finished file. `inputs` and `output` are already the names of values; the last operator gives `output`.
    pub(super) fn finish(mut self, inputs: Vec<Value>, output: Value) -> Model {
        if let (Some(last), Some(name)) = (self.nodes.last_mut(), &output.name) {
            last.output = vec![name.clone()];
        }
        Model {
            ir_version: Some(IR_VERSION),
            producer_name: Some("icr".to_owned()),
            graph: Some(OnnxGraph {
                node: self.nodes,
                name: Some("sentence_embedding".to_owned()),
                initializer: self.constants,
                input: inputs,
                output: vec![output],
            }),
            opset_import: vec![OperatorSet { domain: Some(String::new()), version: Some(OPSET) }],
        }
    }
}

/// Describes an input or output of 64-bit integers.
pub(super) fn integer_value(name: &str, lengths: &[Length]) -> Value {
    value(name, data_type::INT64, lengths)
}

/// Describes an input or output of 32-bit floats.
pub(super) fn float_value(name: &str, lengths: &[Length]) -> Value {
    value(name, data_type::FLOAT, lengths)
}

fn value(name: &str, elem_type: i32, lengths: &[Length]) -> Value {
    let dim = lengths.iter().map(|length| Dimension { length: Some(length.clone()) }).collect();
    let tensor_type = TensorType { elem_type: Some(elem_type), shape: Some(Shape { dim }) };
    Value { name: Some(name.to_owned()), r#type: Some(Type { tensor_type: Some(tensor_type) }) }
}

/// An attribute of one integer.
pub(super) fn integer(name: &str, value: i64) -> Attribute {
    attribute(name, attribute_type::INT, |attribute| attribute.i = Some(value))
}

/// An attribute of several integers.
pub(super) fn integers(name: &str, values: &[i64]) -> Attribute {
    attribute(name, attribute_type::INTS, |attribute| attribute.ints = values.to_vec())
}

/// An attribute of one float.
pub(super) fn float(name: &str, value: f32) -> Attribute {
    attribute(name, attribute_type::FLOAT, |attribute| attribute.f = Some(value))
}

fn attribute(name: &str, kind: i32, set: impl FnOnce(&mut Attribute)) -> Attribute {
    let mut attribute = Attribute { name: Some(name.to_owned()), r#type: Some(kind), ..Attribute::default() };
    set(&mut attribute);
    attribute
}
