//! The messages of an ONNX file that BERT needs, by their field numbers in `onnx.proto` (ONNX 1.12, IR version 8).
//!
//! Fields that are not listed are skipped when a file is read.

use prost::{Message, Oneof};

/// `TensorProto.DataType`: element type of a tensor.
pub(super) mod data_type {
    pub(in crate::import) const FLOAT: i32 = 1;
    pub(in crate::import) const INT8: i32 = 3;
    pub(in crate::import) const INT64: i32 = 7;
}

/// `AttributeProto.AttributeType`: type of an attribute.
pub(super) mod attribute_type {
    pub(in crate::import) const FLOAT: i32 = 1;
    pub(in crate::import) const INT: i32 = 2;
    pub(in crate::import) const INTS: i32 = 7;
}

/// `TensorProto.DataLocation.EXTERNAL`: the values stand in another file.
pub(super) const EXTERNAL: i32 = 1;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Model {
    #[prost(int64, optional, tag = "1")]
    pub(super) ir_version: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(super) producer_name: Option<String>,
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<OnnxGraph>,
    #[prost(message, repeated, tag = "8")]
    pub(super) opset_import: Vec<OperatorSet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OperatorSet {
    #[prost(string, optional, tag = "1")]
    pub(super) domain: Option<String>,
    #[prost(int64, optional, tag = "2")]
    pub(super) version: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxGraph {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<OnnxNode>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(super) input: Vec<Value>,
    #[prost(message, repeated, tag = "12")]
    pub(super) output: Vec<Value>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxNode {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) output: Vec<String>,
    #[prost(string, optional, tag = "3")]
    pub(super) name: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub(super) op_type: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub(super) attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(string, optional, tag = "1")]
    pub(super) name: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub(super) f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub(super) i: Option<i64>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(super) ints: Vec<i64>,
    #[prost(int32, optional, tag = "20")]
    pub(super) r#type: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Tensor {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, optional, tag = "2")]
    pub(super) data_type: Option<i32>,
    #[prost(string, optional, tag = "8")]
    pub(super) name: Option<String>,
    /// Values in row-major order, little-endian.
    #[prost(bytes = "vec", optional, tag = "9")]
    pub(super) raw_data: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "14")]
    pub(super) data_location: Option<i32>,
}

/// An input or output of a graph.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Value {
    #[prost(string, optional, tag = "1")]
    pub(super) name: Option<String>,
    #[prost(message, optional, tag = "2")]
    pub(super) r#type: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Type {
    #[prost(message, optional, tag = "1")]
    pub(super) tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorType {
    #[prost(int32, optional, tag = "1")]
    pub(super) elem_type: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(super) dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Dimension {
    #[prost(oneof = "Length", tags = "1, 2")]
    pub(super) length: Option<Length>,
}

/// Length of one dimension.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Length {
    #[prost(int64, tag = "1")]
    Fixed(i64),
    /// Name of a dimension whose length may differ from run to run.
    #[prost(string, tag = "2")]
    Named(String),
}
