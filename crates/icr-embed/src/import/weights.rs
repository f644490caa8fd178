//! Reads the weights of a BERT from a safetensors file and checks them against the configuration.

use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::config::BertShape;
use crate::Error;

/// The trained weights of a BERT, as 32-bit floats.
#[derive(Debug)]
pub(super) struct Bert {
    pub(super) shape: BertShape,
    /// `vocabulary` × `hidden`.
    pub(super) words: Vec<f32>,
    /// `positions` × `hidden`.
    pub(super) positions: Vec<f32>,
    /// `token_types` × `hidden`. Only the first row is used, since a text is one segment.
    pub(super) token_types: Vec<f32>,
    pub(super) embedding_norm: Norm,
    pub(super) layers: Vec<EncoderLayer>,
}

/// One encoder layer.
#[derive(Debug)]
pub(super) struct EncoderLayer {
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) attention_output: Linear,
    pub(super) attention_norm: Norm,
    pub(super) intermediate: Linear,
    pub(super) output: Linear,
    pub(super) output_norm: Norm,
}

/// `weight × input + bias`; the weight is row-major, a row an output.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Linear {
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    pub(super) fn inputs(&self) -> usize {
        self.weight.len() / self.bias.len().max(1)
    }
}

/// A layer normalisation.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// End of the word table's tensor name. The text before it is the prefix of all tensor names in the file.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// Reads a BERT of `shape` from the safetensors file at `path`.
///
/// # Errors
///
/// [`Error::Model`] naming the file when it cannot be read, is cut short, lacks a tensor, or holds one of another shape,
/// of a type other than F32, F16 and BF16, or with a value that is not finite.
pub(super) fn read(path: &Path, shape: &BertShape) -> Result<Bert, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::model(path, format!("cannot be read: {error}")))?;
    parse(&bytes, path, shape)
}

fn parse(bytes: &[u8], path: &Path, shape: &BertShape) -> Result<Bert, Error> {
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| {
        Error::model(path, format!("is no whole safetensors file of {} bytes: {error}", bytes.len()))
    })?;
    let Some(prefix) = tensors.names().iter().find_map(|name| name.strip_suffix(WORDS).map(str::to_owned)) else {
        let first = tensors.names().first().map_or("none", |name| name).to_owned();
        return Err(Error::model(path, format!("has no tensor `{WORDS}`, as a BERT has; its first is `{first}`")));
    };
    let reader = WeightReader { tensors, prefix, path };
    let BertShape { hidden, intermediate, vocabulary, positions, token_types, .. } = *shape;
    Ok(Bert {
        shape: shape.clone(),
        words: reader.floats(WORDS, &[vocabulary, hidden])?,
        positions: reader.floats("embeddings.position_embeddings.weight", &[positions, hidden])?,
        token_types: reader.floats("embeddings.token_type_embeddings.weight", &[token_types, hidden])?,
        embedding_norm: reader.norm("embeddings.LayerNorm", hidden)?,
        layers: (0..shape.layers).map(|at| reader.layer(at, hidden, intermediate)).collect::<Result<_, _>>()?,
    })
}

struct WeightReader<'bytes> {
    tensors: SafeTensors<'bytes>,
    prefix: String,
    path: &'bytes Path,
}

impl WeightReader<'_> {
    fn layer(&self, at: usize, hidden: usize, intermediate: usize) -> Result<EncoderLayer, Error> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        Ok(EncoderLayer {
            query: self.linear(&name("attention.self.query"), hidden, hidden)?,
            key: self.linear(&name("attention.self.key"), hidden, hidden)?,
            value: self.linear(&name("attention.self.value"), hidden, hidden)?,
            attention_output: self.linear(&name("attention.output.dense"), hidden, hidden)?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"), hidden)?,
            intermediate: self.linear(&name("intermediate.dense"), intermediate, hidden)?,
            output: self.linear(&name("output.dense"), hidden, intermediate)?,
            output_norm: self.norm(&name("output.LayerNorm"), hidden)?,
        })
    }

    fn linear(&self, name: &str, outputs: usize, inputs: usize) -> Result<Linear, Error> {
        Ok(Linear {
            weight: self.floats(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: self.floats(&format!("{name}.bias"), &[outputs])?,
        })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, Error> {
        Ok(Norm {
            weight: self.floats(&format!("{name}.weight"), &[width])?,
            bias: self.floats(&format!("{name}.bias"), &[width])?,
        })
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let name = format!("{}{name}", self.prefix);
        let Ok(tensor) = self.tensors.tensor(&name) else {
            return Err(Error::model(
                self.path,
                format!("has no tensor `{name}`, which should have the shape {shape:?}"),
            ));
        };
        if tensor.shape() != shape {
            let found = tensor.shape();
            let right = format!("`{name}` has the shape {found:?}; by config.json it should have {shape:?}");
            return Err(Error::model(self.path, right));
        }
        let Some(values) = to_floats(&tensor) else {
            let found = tensor.dtype();
            return Err(Error::model(self.path, format!("`{name}` holds {found:?}; it should hold F32, F16 or BF16")));
        };
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let found = values[at];
            return Err(Error::model(
                self.path,
                format!("`{name}` holds {found} at {at}; every weight should be finite"),
            ));
        }
        Ok(values)
    }
}

fn to_floats(tensor: &TensorView<'_>) -> Option<Vec<f32>> {
    let halves = || tensor.data().as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
    match tensor.dtype() {
        Dtype::F32 => Some(tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()),
        Dtype::F16 => Some(halves().map(half_to_float).collect()),
        Dtype::BF16 => Some(halves().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect()),
        _ => None,
    }
}

/// The value of an IEEE 754 half-precision number, given as its 16 bits.
fn half_to_float(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f32::from(bits & 0x3ff);
    match (bits >> 10) & 0x1f {
        0 => sign * fraction * 2.0_f32.powi(-24),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        exponent => sign * (1.0 + fraction / 1024.0) * 2.0_f32.powi(i32::from(exponent) - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read_as_the_standard_says() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half_to_float(bits), expected, "{bits:#06x}");
        }
        assert!(half_to_float(0x7e00).is_nan());
    }

    /// A BERT without layers, with the tensor names and type of some exporters; each value takes `bytes` bytes.
    fn file(prefix: &str, dtype: Dtype, bytes: &[u8]) -> Vec<u8> {
        let tensors = [
            ("embeddings.word_embeddings.weight", vec![3, 2]),
            ("embeddings.position_embeddings.weight", vec![4, 2]),
            ("embeddings.token_type_embeddings.weight", vec![1, 2]),
            ("embeddings.LayerNorm.weight", vec![2]),
            ("embeddings.LayerNorm.bias", vec![2]),
        ];
        let contents: Vec<Vec<u8>> = tensors.iter().map(|(_, shape)| bytes.repeat(shape.iter().product())).collect();
        let views = tensors.iter().zip(&contents).map(|((name, shape), contents)| {
            (format!("{prefix}{name}"), TensorView::new(dtype, shape.clone(), contents).expect("whole values"))
        });
        safetensors::serialize(views, None).unwrap()
    }

    fn read_file(contents: &[u8]) -> Result<Bert, Error> {
        let shape = BertShape {
            hidden: 2,
            layers: 0,
            heads: 1,
            intermediate: 1,
            vocabulary: 3,
            positions: 4,
            token_types: 1,
            epsilon: 0.0,
        };
        parse(contents, Path::new("model.safetensors"), &shape)
    }

    #[test]
    fn all_float_types_and_names_with_anything_before_them_are_read() {
        for (prefix, dtype, bytes) in [
            ("", Dtype::F32, 1.5_f32.to_le_bytes().to_vec()),
            ("bert.", Dtype::F16, 0x3e00_u16.to_le_bytes().to_vec()),
            ("0.auto_model.", Dtype::BF16, 0x3fc0_u16.to_le_bytes().to_vec()),
        ] {
            let bert = read_file(&file(prefix, dtype, &bytes)).unwrap();
            assert_eq!((bert.words, bert.positions), (vec![1.5; 6], vec![1.5; 8]), "{dtype:?}");
        }
    }

    #[test]
    fn other_types_are_named() {
        let message = read_file(&file("", Dtype::I8, &[1])).unwrap_err().to_string();
        assert_eq!(
            message,
            "model.safetensors: `embeddings.word_embeddings.weight` holds I8; it should hold F32, F16 or BF16"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
            at in 0_usize..600,
            byte in proptest::num::u8::ANY,
        ) {
            let _ = read_file(&bytes);
            let mut damaged = file("", Dtype::F32, &1.0_f32.to_le_bytes());
            let at = at % damaged.len();
            damaged[at] = byte;
            let _ = read_file(&damaged);
        }
    }
}
