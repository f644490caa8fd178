//! BERT as an ONNX graph: from word pieces to a sentence's vector of length 1.

use super::graph::{GraphBuilder, float, float_value, integer, integer_value, integers};
use super::messages::{Length, Model};
use super::quantise::{by_column, by_row};
use super::weights::{Bert, EncoderLayer, Linear, Norm};
use super::{Pooling, Precision};

/// The inputs, both of shape `[batch, sequence]`: word piece ids, and the mask, which is 1 for each piece.
pub(crate) const INPUTS: [&str; 2] = ["input_ids", "attention_mask"];

/// The output, of shape `[batch, hidden]`.
pub(crate) const OUTPUT: &str = "sentence_embedding";

/// Added to the attention scores of masked tokens, as in BERT's training.
const MASKED: f32 = -10_000.0;

/// Lower bound of the length that vectors are divided by.
const TINY: f32 = 1e-12;

/// Writes `bert` as a graph whose output is the pooled vector, scaled to length 1.
///
/// The first row of token types is added into the position table. The three input matrices of attention become one. The
/// factor 1/√d of attention is folded into the queries. With [`Precision::Int8`], matrices and the word table are
/// stored as bytes and activations are quantised at run time; norms, biases and positions stay floats.
pub(super) fn write(bert: &Bert, pooling: Pooling, precision: Precision) -> Model {
    let [ids, mask] = INPUTS;
    let mut writer = BertGraphWriter { graph: GraphBuilder::default(), bert, precision };
    let float_mask = writer.graph.apply("Cast", &[mask], vec![integer("to", 1)]);
    let bias = writer.attention_bias(&float_mask);
    let mut states = writer.embeddings(ids);
    for layer in &bert.layers {
        states = writer.layer(layer, &states, &bias);
    }
    let pooled = match pooling {
        Pooling::First => writer.first(&states),
        _ => writer.mean(&states, &float_mask),
    };
    writer.unit_length(&pooled);
    let rows_and_tokens = [Length::Named("batch".to_owned()), Length::Named("sequence".to_owned())];
    let inputs = INPUTS.map(|name| integer_value(name, &rows_and_tokens)).to_vec();
    let vector = [Length::Named("batch".to_owned()), Length::Fixed(bert.shape.hidden as i64)];
    writer.graph.finish(inputs, float_value(OUTPUT, &vector))
}

struct BertGraphWriter<'bert> {
    graph: GraphBuilder,
    bert: &'bert Bert,
    precision: Precision,
}

impl BertGraphWriter<'_> {
    /// The attention mask, `[batch, 1, 1, sequence]`: 0 for tokens that may be attended to, a large negative number for
    /// others.
    fn attention_bias(&mut self, float_mask: &str) -> String {
        let graph = &mut self.graph;
        let axes = graph.integers(&[1, 2]);
        let wide = graph.apply("Unsqueeze", &[float_mask, &axes], vec![]);
        let one = graph.float(1.0);
        let hidden = graph.apply("Sub", &[&one, &wide], vec![]);
        let masked = graph.float(MASKED);
        graph.apply("Mul", &[&hidden, &masked], vec![])
    }

    fn embeddings(&mut self, ids: &str) -> String {
        let bert = self.bert;
        let width = bert.shape.hidden;
        let words = self.words(ids);
        let token_type = &bert.token_types[..width];
        let folded: Vec<f32> =
            bert.positions.chunks_exact(width).flat_map(|row| row.iter().zip(token_type).map(|(a, b)| a + b)).collect();
        let graph = &mut self.graph;
        let table = graph.floats(&[bert.shape.positions, width], &folded);
        let shape = graph.apply("Shape", &[ids], vec![integer("start", 1), integer("end", 2)]);
        let (start, axis) = (graph.integers(&[0]), graph.integers(&[0]));
        let positions = graph.apply("Slice", &[&table, &start, &shape, &axis], vec![]);
        let sum = graph.apply("Add", &[&words, &positions], vec![]);
        self.norm(&sum, &bert.embedding_norm)
    }

    fn words(&mut self, ids: &str) -> String {
        let shape = &self.bert.shape;
        let graph = &mut self.graph;
        if self.precision == Precision::Fp32 {
            let table = graph.floats(&[shape.vocabulary, shape.hidden], &self.bert.words);
            return graph.apply("Gather", &[&table, ids], vec![]);
        }
        let rows = by_row(&self.bert.words, shape.hidden);
        let table = graph.bytes(&[shape.vocabulary, shape.hidden], &rows.values);
        let scales = graph.floats(&[shape.vocabulary, 1], &rows.scales);
        let bytes = graph.apply("Gather", &[&table, ids], vec![]);
        let floats = graph.apply("Cast", &[&bytes], vec![integer("to", 1)]);
        let scale = graph.apply("Gather", &[&scales, ids], vec![]);
        graph.apply("Mul", &[&floats, &scale], vec![])
    }

    fn layer(&mut self, layer: &EncoderLayer, states: &str, bias: &str) -> String {
        let attended = self.attention(layer, states, bias);
        let projected = self.linear(&transposed(&[&layer.attention_output]), &attended);
        let sum = self.graph.apply("Add", &[&projected, states], vec![]);
        let middle = self.norm(&sum, &layer.attention_norm);
        let wide = self.linear(&transposed(&[&layer.intermediate]), &middle);
        let active = self.gelu(&wide);
        let narrow = self.linear(&transposed(&[&layer.output]), &active);
        let sum = self.graph.apply("Add", &[&narrow, &middle], vec![]);
        self.norm(&sum, &layer.output_norm)
    }

    fn attention(&mut self, layer: &EncoderLayer, states: &str, bias: &str) -> String {
        let shape = &self.bert.shape;
        let (hidden, heads, of_head) = (shape.hidden as i64, shape.heads as i64, (shape.hidden / shape.heads) as i64);
        let factor = 1.0 / (of_head as f32).sqrt();
        let scaled = Linear {
            weight: layer.query.weight.iter().map(|weight| weight * factor).collect(),
            bias: layer.query.bias.iter().map(|bias| bias * factor).collect(),
        };
        let all = self.linear(&transposed(&[&scaled, &layer.key, &layer.value]), states);
        let graph = &mut self.graph;
        let lengths = graph.integers(&[hidden, hidden, hidden]);
        let [query, key, value] = graph.apply_many("Split", &[&all, &lengths], vec![integer("axis", -1)]);
        // In a reshape, 0 keeps a dimension: here batch and sequence.
        let by_head = graph.integers(&[0, 0, heads, of_head]);
        let mut head_first = |part: &str, order: &[i64]| {
            let apart = graph.apply("Reshape", &[part, &by_head], vec![]);
            graph.apply("Transpose", &[&apart], vec![integers("perm", order)])
        };
        let query = head_first(&query, &[0, 2, 1, 3]);
        let key = head_first(&key, &[0, 2, 3, 1]);
        let value = head_first(&value, &[0, 2, 1, 3]);
        let scores = graph.apply("MatMul", &[&query, &key], vec![]);
        let scores = graph.apply("Add", &[&scores, bias], vec![]);
        let weights = graph.apply("Softmax", &[&scores], vec![integer("axis", -1)]);
        let mixed = graph.apply("MatMul", &[&weights, &value], vec![]);
        let mixed = graph.apply("Transpose", &[&mixed], vec![integers("perm", &[0, 2, 1, 3])]);
        let together = graph.integers(&[0, 0, hidden]);
        graph.apply("Reshape", &[&mixed, &together], vec![])
    }

    /// `input × weight + bias`. For byte weights in the operator sequence that runtimes recognise and fuse.
    fn linear(&mut self, matrix: &Columns, input: &str) -> String {
        let Columns { weight, bias } = matrix;
        let (columns, rows) = (bias.len(), weight.len() / bias.len());
        let graph = &mut self.graph;
        let product = if self.precision == Precision::Fp32 {
            let weight = graph.floats(&[rows, columns], weight);
            graph.apply("MatMul", &[input, &weight], vec![])
        } else {
            let quantised = by_column(weight, columns);
            let weight = graph.bytes(&[rows, columns], &quantised.values);
            let weight_zero = graph.bytes(&[columns], &vec![0; columns]);
            let weight_scale = graph.floats(&[columns], &quantised.scales);
            let [bytes, scale, zero] = graph.apply_many("DynamicQuantizeLinear", &[input], vec![]);
            let product = graph.apply("MatMulInteger", &[&bytes, &weight, &zero, &weight_zero], vec![]);
            let product = graph.apply("Cast", &[&product], vec![integer("to", 1)]);
            let scales = graph.apply("Mul", &[&scale, &weight_scale], vec![]);
            graph.apply("Mul", &[&product, &scales], vec![])
        };
        let bias = graph.floats(&[columns], bias);
        graph.apply("Add", &[&product, &bias], vec![])
    }

    fn norm(&mut self, input: &str, norm: &Norm) -> String {
        let graph = &mut self.graph;
        let weight = graph.floats(&[norm.weight.len()], &norm.weight);
        let bias = graph.floats(&[norm.bias.len()], &norm.bias);
        let attributes = vec![integer("axis", -1), float("epsilon", self.bert.shape.epsilon)];
        graph.apply("LayerNormalization", &[input, &weight, &bias], attributes)
    }

    /// `x × (1 + erf(x / √2)) / 2`, the form that runtimes know and fuse.
    fn gelu(&mut self, input: &str) -> String {
        let graph = &mut self.graph;
        let root = graph.float(std::f32::consts::SQRT_2);
        let divided = graph.apply("Div", &[input, &root], vec![]);
        let erf = graph.apply("Erf", &[&divided], vec![]);
        let one = graph.float(1.0);
        let raised = graph.apply("Add", &[&erf, &one], vec![]);
        let product = graph.apply("Mul", &[input, &raised], vec![]);
        let half = graph.float(0.5);
        graph.apply("Mul", &[&product, &half], vec![])
    }

    fn first(&mut self, states: &str) -> String {
        let at = self.graph.constant_integer(0);
        self.graph.apply("Gather", &[states, &at], vec![integer("axis", 1)])
    }

    fn mean(&mut self, states: &str, float_mask: &str) -> String {
        let graph = &mut self.graph;
        let last = graph.integers(&[-1]);
        let wide = graph.apply("Unsqueeze", &[float_mask, &last], vec![]);
        let kept = graph.apply("Mul", &[states, &wide], vec![]);
        let sequence = graph.integers(&[1]);
        let sum = graph.apply("ReduceSum", &[&kept, &sequence], vec![integer("keepdims", 0)]);
        let count = graph.apply("ReduceSum", &[&wide, &sequence], vec![integer("keepdims", 0)]);
        let tiny = graph.float(TINY);
        let count = graph.apply("Max", &[&count, &tiny], vec![]);
        graph.apply("Div", &[&sum, &count], vec![])
    }

    fn unit_length(&mut self, vector: &str) -> String {
        let graph = &mut self.graph;
        let length = graph.apply("ReduceL2", &[vector], vec![integers("axes", &[-1]), integer("keepdims", 1)]);
        let tiny = graph.float(TINY);
        let length = graph.apply("Max", &[&length, &tiny], vec![]);
        graph.apply("Div", &[vector, &length], vec![])
    }
}

/// Linear maps side by side. The weight is row-major, with one column for each output, as the graph multiplies.
struct Columns {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// Combines linear maps of the same input.
fn transposed(maps: &[&Linear]) -> Columns {
    let inputs = maps[0].inputs();
    let bias: Vec<f32> = maps.iter().flat_map(|map| map.bias.iter().copied()).collect();
    let mut weight = Vec::with_capacity(inputs * bias.len());
    for input in 0..inputs {
        for map in maps {
            weight.extend((0..map.outputs()).map(|output| map.weight[output * inputs + input]));
        }
    }
    Columns { weight, bias }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use prost::Message as _;

    use super::super::config::BertShape;
    use super::*;

    const HIDDEN: usize = 4;
    const WIDE: usize = 6;

    fn linear(outputs: usize, inputs: usize) -> Linear {
        Linear { weight: (0..outputs * inputs).map(|at| at as f32).collect(), bias: vec![0.5; outputs] }
    }

    fn norm() -> Norm {
        Norm { weight: vec![1.0; HIDDEN], bias: vec![0.0; HIDDEN] }
    }

    fn bert(layers: usize) -> Bert {
        let layer = || EncoderLayer {
            query: linear(HIDDEN, HIDDEN),
            key: linear(HIDDEN, HIDDEN),
            value: linear(HIDDEN, HIDDEN),
            attention_output: linear(HIDDEN, HIDDEN),
            attention_norm: norm(),
            intermediate: linear(WIDE, HIDDEN),
            output: linear(HIDDEN, WIDE),
            output_norm: norm(),
        };
        Bert {
            shape: BertShape {
                hidden: HIDDEN,
                layers,
                heads: 2,
                intermediate: WIDE,
                vocabulary: 3,
                positions: 5,
                token_types: 2,
                epsilon: 1e-12,
            },
            words: vec![0.25; 3 * HIDDEN],
            positions: vec![1.0; 5 * HIDDEN],
            token_types: vec![0.125; 2 * HIDDEN],
            embedding_norm: norm(),
            layers: (0..layers).map(|_| layer()).collect(),
        }
    }

    /// How often each operator occurs in the graph of `layers` layers, after encoding and decoding it.
    fn operators(layers: usize, precision: Precision) -> BTreeMap<String, usize> {
        let bytes = write(&bert(layers), Pooling::Mean, precision).encode_to_vec();
        let graph = Model::decode(bytes.as_slice()).unwrap().graph.unwrap();
        let mut counts = BTreeMap::new();
        for node in graph.node {
            *counts.entry(node.op_type.unwrap()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn a_layer_multiplies_by_four_matrices_and_the_keys_and_the_values() {
        let count =
            |layers, precision, operator: &str| operators(layers, precision).get(operator).copied().unwrap_or(0);
        for layers in [1, 3] {
            assert_eq!(count(layers, Precision::Fp32, "MatMul"), 6 * layers);
            assert_eq!(count(layers, Precision::Fp32, "MatMulInteger"), 0);
            assert_eq!(count(layers, Precision::Int8, "MatMul"), 2 * layers);
            assert_eq!(count(layers, Precision::Int8, "MatMulInteger"), 4 * layers);
            assert_eq!(count(layers, Precision::Int8, "DynamicQuantizeLinear"), 4 * layers);
            for precision in [Precision::Fp32, Precision::Int8] {
                assert_eq!(count(layers, precision, "LayerNormalization"), 2 * layers + 1);
                assert_eq!(count(layers, precision, "Erf"), layers);
            }
        }
    }

    #[test]
    fn every_value_is_made_once_before_it_is_used_and_the_output_last() {
        for (pooling, precision) in [(Pooling::Mean, Precision::Int8), (Pooling::First, Precision::Fp32)] {
            let graph = write(&bert(2), pooling, precision).graph.unwrap();
            let constants = graph.initializer.iter().filter_map(|tensor| tensor.name.clone());
            let mut known: Vec<String> = INPUTS.map(str::to_owned).into_iter().chain(constants).collect();
            for node in &graph.node {
                for input in &node.input {
                    assert!(known.contains(input), "{input} of {:?}", node.op_type);
                }
                for output in &node.output {
                    assert!(!known.contains(output), "{output} twice");
                    known.push(output.clone());
                }
            }
            assert_eq!(known.last().map(String::as_str), Some(OUTPUT));
        }
    }

    #[test]
    fn constants_have_as_many_bytes_as_their_shapes_say() {
        for precision in [Precision::Fp32, Precision::Int8] {
            for tensor in write(&bert(1), Pooling::Mean, precision).graph.unwrap().initializer {
                let values: i64 = tensor.dims.iter().product();
                let width = match tensor.data_type.unwrap() {
                    1 => 4,
                    3 => 1,
                    7 => 8,
                    other => panic!("{other}"),
                };
                assert_eq!(tensor.raw_data.unwrap().len() as i64, values * width, "{:?}", tensor.dims);
            }
        }
    }

    #[test]
    fn maps_are_put_side_by_side_a_column_an_output() {
        let left = Linear { weight: vec![1.0, 2.0, 3.0, 4.0], bias: vec![5.0, 6.0] };
        let right = Linear { weight: vec![7.0, 8.0], bias: vec![9.0] };
        let columns = transposed(&[&left, &right]);
        assert_eq!(columns.weight, [1.0, 3.0, 7.0, 2.0, 4.0, 8.0]);
        assert_eq!(columns.bias, [5.0, 6.0, 9.0]);
    }
}
