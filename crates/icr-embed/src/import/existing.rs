//! A directory that has a finished graph instead of weights.

use std::path::{Path, PathBuf};

use prost::Message as _;

use super::config::BertShape;
use super::messages::{EXTERNAL, Length, Model, Value, data_type};
use crate::Error;
use crate::onnx::card::GraphNames;

/// Places of a graph, as sentence-transformers and its converters write it. The first that exists is used.
const PLACES: [&str; 2] = ["onnx/model.onnx", "model.onnx"];

/// Name that exporters give to an output with one vector for each text.
const POOLED: &str = "sentence_embedding";

/// A graph that another program exported.
#[derive(Debug)]
pub(super) struct ExistingGraph {
    pub(super) contents: Vec<u8>,
    pub(super) names: GraphNames,
}

/// Reads the graph of `directory` and checks that it takes word pieces and gives vectors of the configured length.
///
/// # Errors
///
/// [`Error::Model`] if there is no graph, if it is cut short or has its weights in other files, or if it has other
/// inputs or outputs.
pub(super) fn read(directory: &Path, shape: &BertShape) -> Result<ExistingGraph, Error> {
    let path = find(directory)?;
    let contents = std::fs::read(&path).map_err(|error| Error::model(&path, format!("cannot be read: {error}")))?;
    let model = Model::decode(contents.as_slice())
        .map_err(|error| Error::model(&path, format!("is no whole ONNX file of {} bytes: {error}", contents.len())))?;
    let names = names_of(&model, shape).map_err(|reason| Error::model(&path, reason))?;
    Ok(ExistingGraph { contents, names })
}

fn find(directory: &Path) -> Result<PathBuf, Error> {
    let places = PLACES.map(|place| directory.join(place));
    let found = places.iter().find(|path| path.is_file());
    found.cloned().ok_or_else(|| {
        let reason = format!("has no {}, and no {}", super::WEIGHTS_FILE, PLACES.join(" or "));
        Error::model(directory, format!("{reason}; one of them holds the weights"))
    })
}

fn names_of(model: &Model, shape: &BertShape) -> Result<GraphNames, String> {
    let graph = model.graph.as_ref().ok_or("has no graph")?;
    if let Some(tensor) = graph.initializer.iter().find(|tensor| tensor.data_location == Some(EXTERNAL)) {
        let name = tensor.name.as_deref().unwrap_or_default();
        return Err(format!("keeps `{name}` in another file; a graph with its weights inside is supported"));
    }
    let constants: Vec<&str> = graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref()).collect();
    // Old files list constants among the inputs.
    let inputs: Vec<&Value> = graph.input.iter().filter(|input| !constants.contains(&name_of(input))).collect();
    for input in &inputs {
        let name = name_of(input);
        if !["input_ids", "attention_mask", "token_type_ids"].contains(&name) {
            return Err(format!("has an input `{name}`; input_ids, attention_mask and token_type_ids are supported"));
        }
        if element_of(input) != Some(data_type::INT64) {
            return Err(format!("its input `{name}` does not take 64-bit integers"));
        }
    }
    let has = |name: &str| inputs.iter().any(|input| name_of(input) == name);
    if let Some(absent) = ["input_ids", "attention_mask"].into_iter().find(|name| !has(name)) {
        return Err(format!("has no input `{absent}`"));
    }
    let (output, is_pooled) = output_of(&graph.output, shape)?;
    Ok(GraphNames {
        ids: "input_ids".to_owned(),
        mask: "attention_mask".to_owned(),
        token_types: has("token_type_ids").then(|| "token_type_ids".to_owned()),
        output,
        is_pooled,
    })
}

/// The output named [`POOLED`], otherwise the first one with a vector for each token.
fn output_of(outputs: &[Value], shape: &BertShape) -> Result<(String, bool), String> {
    let named = outputs.iter().find(|output| name_of(output) == POOLED);
    let Some(output) = named.or_else(|| outputs.iter().find(|output| lengths_of(output).len() == 3)) else {
        let found: Vec<&str> = outputs.iter().map(name_of).collect();
        return Err(format!("has the outputs {found:?}; one should be `{POOLED}`, or have a vector a token"));
    };
    let name = name_of(output).to_owned();
    let lengths = lengths_of(output);
    if element_of(output) != Some(data_type::FLOAT) {
        return Err(format!("its output `{name}` does not give 32-bit floats"));
    }
    if let Some(Some(found)) = lengths.last().filter(|last| last.is_some_and(|last| last != shape.hidden as i64)) {
        let right = shape.hidden;
        return Err(format!("its output `{name}` has vectors of {found} numbers; by config.json they have {right}"));
    }
    match lengths.len() {
        2 => Ok((name, true)),
        3 => Ok((name, false)),
        dimensions => Err(format!("its output `{name}` has {dimensions} dimensions; it should have 2 or 3")),
    }
}

fn name_of(value: &Value) -> &str {
    value.name.as_deref().unwrap_or_default()
}

fn element_of(value: &Value) -> Option<i32> {
    value.r#type.as_ref()?.tensor_type.as_ref()?.elem_type
}

/// The dimensions of a value; `None` for a dimension that may differ from run to run.
fn lengths_of(value: &Value) -> Vec<Option<i64>> {
    let tensor = value.r#type.as_ref().and_then(|kind| kind.tensor_type.as_ref());
    let shape = tensor.and_then(|tensor| tensor.shape.as_ref());
    let length = |length: &Option<Length>| match length {
        Some(Length::Fixed(length)) => Some(*length),
        _ => None,
    };
    shape.map_or_else(Vec::new, |shape| shape.dim.iter().map(|dim| length(&dim.length)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::graph::{GraphBuilder, float_value, integer, integer_value};
    use super::super::messages::Tensor;
    use super::*;
    use crate::import::{ImportCheck, ImportOptions, import_model};
    use crate::{Embedder, OnnxEmbedder};

    const HIDDEN: usize = 64;

    /// Word pieces of the vocabulary that the tests import.
    const PIECES: [&str; 6] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "read", "write"];

    fn shape() -> BertShape {
        BertShape {
            hidden: HIDDEN,
            layers: 1,
            heads: 1,
            intermediate: 1,
            vocabulary: PIECES.len(),
            positions: 32,
            token_types: 2,
            epsilon: 0.0,
        }
    }

    fn named_length(name: &str) -> Length {
        Length::Named(name.to_owned())
    }

    /// A graph that looks token vectors up in a table. A converter would name its output `last_hidden_state`.
    fn table_of_tokens() -> Model {
        let mut graph = GraphBuilder::default();
        let values: Vec<f32> = (0..PIECES.len() * HIDDEN).map(|at| (at as f32 * 0.7).sin()).collect();
        let table = graph.floats(&[PIECES.len(), HIDDEN], &values);
        let types = graph.floats(&[2, HIDDEN], &[0.0; 2 * HIDDEN]);
        let words = graph.apply("Gather", &[&table, "input_ids"], vec![]);
        let types = graph.apply("Gather", &[&types, "token_type_ids"], vec![]);
        let sum = graph.apply("Add", &[&words, &types], vec![]);
        let axes = graph.integers(&[2]);
        let mask = graph.apply("Cast", &["attention_mask"], vec![integer("to", 1)]);
        let mask = graph.apply("Unsqueeze", &[&mask, &axes], vec![]);
        graph.apply("Mul", &[&sum, &mask], vec![]);
        let tokens = [named_length("batch"), named_length("sequence")];
        let inputs =
            ["input_ids", "attention_mask", "token_type_ids"].map(|name| integer_value(name, &tokens)).to_vec();
        let [batch, sequence] = tokens;
        let lengths = [batch, sequence, Length::Fixed(HIDDEN as i64)];
        graph.finish(inputs, float_value("last_hidden_state", &lengths))
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut super::super::messages::OnnxGraph), expected: Result<(&str, bool), &str>) {
        let mut model = table_of_tokens();
        change(model.graph.as_mut().expect("it has a graph"));
        // As it would be read.
        let model = Model::decode(model.encode_to_vec().as_slice()).unwrap();
        let found = names_of(&model, &shape());
        let found = found.as_ref().map(|names| (names.output.as_str(), names.is_pooled)).map_err(String::as_str);
        assert_eq!(found, expected);
    }

    #[test]
    fn outputs_are_chosen_by_name_and_then_by_shape() {
        let pooled = || float_value(POOLED, &[named_length("batch"), Length::Fixed(HIDDEN as i64)]);
        check(|_| {}, Ok(("last_hidden_state", false)));
        check(|graph| graph.output.push(pooled()), Ok((POOLED, true)));
        check(
            |graph| graph.output = vec![float_value("logits", &[named_length("batch"), named_length("labels")])],
            Err("has the outputs [\"logits\"]; one should be `sentence_embedding`, or have a vector a token"),
        );
        check(
            |graph| graph.output = vec![float_value(POOLED, &[named_length("batch"), Length::Fixed(384)])],
            Err("its output `sentence_embedding` has vectors of 384 numbers; by config.json they have 64"),
        );
        check(
            |graph| graph.output = vec![integer_value(POOLED, &[named_length("batch"), Length::Fixed(64)])],
            Err("its output `sentence_embedding` does not give 32-bit floats"),
        );
        check(
            |graph| graph.output = vec![float_value(POOLED, &[])],
            Err("its output `sentence_embedding` has 0 dimensions; it should have 2 or 3"),
        );
    }

    #[test]
    fn inputs_are_those_of_bert() {
        check(
            |graph| graph.input[0].name = Some("pixel_values".to_owned()),
            Err("has an input `pixel_values`; input_ids, attention_mask and token_type_ids are supported"),
        );
        check(|graph| drop(graph.input.remove(1)), Err("has no input `attention_mask`"));
        check(
            |graph| graph.input[0] = float_value("input_ids", &[]),
            Err("its input `input_ids` does not take 64-bit integers"),
        );
        // Old files list constants among the inputs; a constant is not an input.
        check(
            |graph| {
                graph.input.push(float_value("weight", &[]));
                graph.initializer.push(Tensor { name: Some("weight".to_owned()), ..Tensor::default() });
            },
            Ok(("last_hidden_state", false)),
        );
        check(
            |graph| graph.initializer[0].data_location = Some(EXTERNAL),
            Err("keeps `constant_1` in another file; a graph with its weights inside is supported"),
        );
    }

    #[test]
    fn a_graph_with_a_vector_a_token_is_pooled_by_the_embedder() {
        let test = "a_graph_with_a_vector_a_token_is_pooled_by_the_embedder";
        let Some(runtime) = icr_fixture::path_from("ICR_TEST_RUNTIME", test) else { return };
        let runtime = Some(runtime);
        for (mode, pool) in [
            ("pooling_mode_mean_tokens", (|rows: &[&[f32]], at: usize| rows.iter().map(|row| row[at]).sum()) as Pool),
            ("pooling_mode_cls_token", |rows, at| rows[0][at]),
        ] {
            let source = tempfile::tempdir().unwrap();
            let models = tempfile::tempdir().unwrap();
            write_source(source.path(), mode);
            let options = ImportOptions { runtime: runtime.clone(), ..ImportOptions::default() };
            let report = import_model(source.path(), models.path(), &options).unwrap();
            assert_eq!(report.check, ImportCheck::Runs);
            let embedder = OnnxEmbedder::open(&report.directory, runtime.as_deref()).unwrap();
            let table: Vec<f32> = (0..PIECES.len() * HIDDEN).map(|at| (at as f32 * 0.7).sin()).collect();
            let rows: Vec<&[f32]> = [2, 5, 4, 3].iter().map(|id: &usize| &table[id * HIDDEN..][..HIDDEN]).collect();
            let sum: Vec<f32> = (0..HIDDEN).map(|at| pool(&rows, at)).collect();
            let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
            for (found, expected) in embedder.question("write read").unwrap().iter().zip(&sum) {
                assert!((found - expected / length).abs() < 1e-6, "{mode}");
            }
        }
    }

    type Pool = fn(&[&[f32]], usize) -> f32;

    fn write_source(directory: &Path, mode: &str) {
        let shape = shape();
        let config = serde_json::json!({
            "hidden_size": shape.hidden, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 1,
            "vocab_size": PIECES.len(), "max_position_embeddings": shape.positions,
        });
        let modules = serde_json::json!([{ "path": "", "type": "Transformer" }, { "path": "pool", "type": "Pooling" }]);
        let mut pooling = serde_json::Map::new();
        pooling.insert(mode.to_owned(), true.into());
        std::fs::create_dir(directory.join("pool")).unwrap();
        for (name, contents) in [
            ("config.json", config.to_string().into_bytes()),
            ("modules.json", modules.to_string().into_bytes()),
            ("pool/config.json", serde_json::Value::Object(pooling).to_string().into_bytes()),
            ("vocab.txt", PIECES.join("\n").into_bytes()),
            ("model.onnx", table_of_tokens().encode_to_vec()),
        ] {
            std::fs::write(directory.join(name), contents).unwrap();
        }
    }
}
