//! A directory that has a finished graph instead of weights.

use std::path::{Path, PathBuf};

use prost::Message as _;

use super::config::{BertShape, wrong};
use super::messages::{EXTERNAL, Length, Model, Value, data_type};
use crate::Error;
use crate::onnx::card::GraphNames;

/// Where a graph may lie, the first that is there is taken: as sentence-transformers and its converters write it.
const PLACES: [&str; 2] = ["onnx/model.onnx", "model.onnx"];

/// What an output with one vector a text is called, by those who export it.
const POOLED: &str = "sentence_embedding";

/// A graph that was made elsewhere.
#[derive(Debug)]
pub(super) struct ExistingGraph {
    pub(super) contents: Vec<u8>,
    pub(super) names: GraphNames,
}

/// Reads the graph of `directory` and checks that it takes word pieces and gives vectors of the configured length.
///
/// # Errors
///
/// [`Error::Model`] when there is none, it is cut short, its weights lie in other files, or its inputs or outputs are others.
pub(super) fn read(directory: &Path, shape: &BertShape) -> Result<ExistingGraph, Error> {
    let path = find(directory)?;
    let contents = std::fs::read(&path).map_err(|error| wrong(&path, format!("cannot be read: {error}")))?;
    let model = Model::decode(contents.as_slice())
        .map_err(|error| wrong(&path, format!("is no whole ONNX file of {} bytes: {error}", contents.len())))?;
    let names = names_of(&model, shape).map_err(|reason| wrong(&path, reason))?;
    Ok(ExistingGraph { contents, names })
}

fn find(directory: &Path) -> Result<PathBuf, Error> {
    let places = PLACES.map(|place| directory.join(place));
    let found = places.iter().find(|path| path.is_file());
    found.cloned().ok_or_else(|| {
        let reason = format!("has no {}, and no {}", super::WEIGHTS_FILE, PLACES.join(" or "));
        wrong(directory, format!("{reason}; one of them holds the weights"))
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

/// The output that is called after what it is, else the first with a vector a token.
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

/// The lengths of a value's dimensions; `None` for one that each run may have its own.
fn lengths_of(value: &Value) -> Vec<Option<i64>> {
    let tensor = value.r#type.as_ref().and_then(|kind| kind.tensor_type.as_ref());
    let shape = tensor.and_then(|tensor| tensor.shape.as_ref());
    let length = |length: &Option<Length>| match length {
        Some(Length::Fixed(length)) => Some(*length),
        _ => None,
    };
    shape.map_or_else(Vec::new, |shape| shape.dim.iter().map(|dim| length(&dim.length)).collect())
}
