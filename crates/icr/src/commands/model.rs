//! `icr model`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use icr_embed::fetch::{self, FetchOptions, Platform, Product, PublishedFile};
use icr_embed::remote::Address;
use icr_embed::{
    Descriptor, Embedder, ImportCheck, ImportOptions, ImportReport, Precision, StaticEmbedder, find_imported_model,
    import_model, imported_models, runtime_version,
};
use icr_engine::{Backend, EmbeddingOptions, Error, Provenance, VectorSpace};
use serde::Serialize;
use serde_json::{Value, json};

use super::config::set_in_user_file;
use crate::arguments::Global;
use crate::context::{self, Context};
use crate::output::{Output, Style, bytes_text};
use crate::problem::{self, Usage};
use crate::progress::ByteBar;

/// Name of the model that `icr model fetch` gets.
const FETCHED: &str = "all-MiniLM-L6-v2";

/// Choose, import and fetch the models that find by meaning
#[derive(Debug, Args)]
pub(crate) struct Model {
    #[command(subcommand)]
    action: ModelAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum ModelAction {
    /// List the models on this machine, and show which one is in use
    List,
    /// Show what can run, and how much of the view each model has embedded
    Status,
    /// Take a sentence-transformers directory into the models of icr
    ///
    /// The directory has a configuration, a tokenizer, and either weights as safetensors or a finished ONNX graph.
    Import {
        /// The directory
        directory: PathBuf,
        /// What to call the model [default: the name of the directory]
        #[arg(long)]
        name: Option<String>,
        /// Keep weights as 32-bit floats: four times the size, half the speed
        #[arg(long)]
        fp32: bool,
        /// ONNX Runtime library to check the model with [default: the configured, fetched or system library]
        #[arg(long, value_name = "LIBRARY")]
        runtime: Option<PathBuf>,
    },
    /// Download all-MiniLM-L6-v2 and ONNX Runtime, and import the model
    ///
    /// No other command opens a network connection unless you configured a remote model. Downloads are checked against
    /// the digests that their publishers state, so a mirror is as safe.
    Fetch {
        /// Download the files from here, such as `https://mirror.example/files`, instead of from their publishers
        #[arg(long, value_name = "URL")]
        mirror: Option<String>,
    },
    /// Use an imported model in addition to the built-in one
    Use {
        /// Name of the model, or of its directory
        name: String,
    },
    /// Use only the built-in model
    Static,
    /// Use no model: search by words only
    None,
}

/// A model on this machine.
#[derive(Debug, Serialize)]
struct LocalModelRow {
    name: String,
    /// Id of the vector space, also the name of the directory.
    space: String,
    dims: u16,
    /// Most word pieces that the model reads of a text; `None` if it reads all of a text.
    window: Option<u32>,
    /// Number format of the weights.
    precision: String,
    bytes: u64,
    /// Directory of the model; `None` for the built-in model.
    directory: Option<PathBuf>,
    in_use: bool,
}

impl Model {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match &self.action {
            ModelAction::List => list(global, output),
            ModelAction::Status => status(global, output),
            ModelAction::Import { directory, name, fp32, runtime } => {
                let options = options(global)?;
                let import = ImportOptions {
                    name: name.clone(),
                    precision: if *fp32 { Precision::Fp32 } else { Precision::Int8 },
                    runtime: runtime.clone().or_else(|| options.runtime.clone()),
                    ..ImportOptions::default()
                };
                let report = import_model(directory, &options.models, &import).map_err(Error::from)?;
                say_imported(&report, json!({}), output)
            }
            ModelAction::Fetch { mirror } => fetch_and_import(global, mirror.as_deref(), output),
            ModelAction::Use { name } => use_model(global, name, output),
            ModelAction::Static => {
                choose(global, &[("embedding.backend", "static")], "the built-in model alone is in use", output)
            }
            ModelAction::None => {
                choose(global, &[("embedding.backend", "none")], "no model is in use: words alone find", output)
            }
        }
    }
}

/// The embedding options for the repository here, or without a repository if there is none.
fn options(global: &Global) -> anyhow::Result<EmbeddingOptions> {
    let home = context::home()?;
    context::embedding(global, &context::configuration_around(global, &home)?, &home)
}

fn list(global: &Global, output: &mut Output) -> anyhow::Result<u8> {
    let options = options(global)?;
    let chosen = configured_model(&options);
    let built_in = StaticEmbedder::built_in();
    let table = built_in.table();
    let mut rows = vec![LocalModelRow {
        in_use: options.backend != Backend::None,
        // One byte per component, and a scale for each row.
        ..LocalModelRow::new(built_in.descriptor(), "int8", (table.rows_total() * (table.dims() + 4)) as u64)
    }];
    let mut broken = Vec::new();
    for model in imported_models(&options.models).map_err(Error::from)? {
        match model {
            Ok(model) => rows.push(LocalModelRow {
                in_use: chosen.as_ref().is_some_and(|chosen| chosen.is_ok_and_is(&model.directory)),
                directory: Some(model.directory),
                ..LocalModelRow::new(&model.descriptor, &model.precision, model.bytes_total)
            }),
            Err(error) => broken.push(error.to_string()),
        }
    }
    if output.is_json() {
        output.json(&json!({ "backend": options.backend.name(), "models": rows, "broken": broken }))?;
        return Ok(problem::OK);
    }
    for row in &rows {
        let mark = if row.in_use { '*' } else { ' ' };
        let name = output.styled(Style::Name, format_args!("{:<20}", row.name));
        let window = row.window.map_or("texts whole".to_owned(), |pieces| format!("{pieces} word pieces at once"));
        let bytes = bytes_text(row.bytes);
        output
            .line(format_args!("{mark} {name} {} components, reads {window}, {}, {bytes}", row.dims, row.precision))?;
        if let Some(directory) = &row.directory {
            output.line(output.styled(Style::Faint, format_args!("    {}", directory.display())))?;
        }
    }
    for reason in broken.into_iter().chain(chosen.and_then(ConfiguredModel::problem)) {
        output.line(format_args!("! {reason}"))?;
    }
    Ok(problem::OK)
}

impl LocalModelRow {
    fn new(descriptor: &Descriptor, precision: &str, bytes: u64) -> Self {
        Self {
            name: descriptor.name.clone(),
            space: descriptor.space().to_string(),
            dims: descriptor.dims,
            window: descriptor.window,
            precision: precision.to_owned(),
            bytes,
            directory: None,
            in_use: false,
        }
    }
}

/// Directory of the imported model that the configuration names, or why there is none.
struct ConfiguredModel(Result<PathBuf, String>);

fn configured_model(options: &EmbeddingOptions) -> Option<ConfiguredModel> {
    let found = || find_imported_model(&options.models, &options.model);
    (options.backend == Backend::Onnx)
        .then(|| ConfiguredModel(found().map(|model| model.directory).map_err(|error| error.to_string())))
}

impl ConfiguredModel {
    fn is_ok_and_is(&self, directory: &Path) -> bool {
        self.0.as_ref().is_ok_and(|chosen| chosen == directory)
    }

    fn problem(self) -> Option<String> {
        self.0.err()
    }
}

fn status(global: &Global, output: &mut Output) -> anyhow::Result<u8> {
    let options = options(global)?;
    let runtime = runtime_version(&options.models, options.runtime.as_deref()).map_err(|error| error.to_string());
    let model_problem = configured_model(&options).and_then(ConfiguredModel::problem);
    let here = context::locate(global).is_ok();
    let found = here.then(|| Context::open(global)?.ask(icr_engine::vector_spaces)).transpose()?;
    let is_tier = matches!(options.backend, Backend::Onnx | Backend::Remote);
    let (spaces, provenance) = found.unzip();
    let spaces: Option<Vec<VectorSpace>> = spaces;
    if output.is_json() {
        let mut answer = json!({
            "backend": options.backend.name(),
            "model": is_tier.then_some(&options.model),
            "model_problem": model_problem,
            "models_directory": options.models,
            "runtime": match &runtime {
                Ok(version) => json!({ "version": version }),
                Err(reason) => json!({ "problem": reason }),
            },
            "vectors": spaces,
        });
        if let (Value::Object(fields), Some(provenance)) = (&mut answer, &provenance) {
            fields.insert("provenance".to_owned(), serde_json::to_value::<&Provenance>(provenance)?);
        }
        output.json(&answer)?;
        return Ok(problem::OK);
    }
    let model = if is_tier {
        format!("{}: {}", options.backend.name(), options.model)
    } else {
        options.backend.name().to_owned()
    };
    let runtime = runtime.map_or_else(|reason| reason, |version| format!("ONNX Runtime {version}"));
    let rows = [("backend", model), ("runtime", runtime), ("models", options.models.display().to_string())];
    for (name, value) in rows {
        let name = output.styled(Style::Faint, format_args!("{name:<13}"));
        output.line(format_args!("{name} {value}"))?;
    }
    if let Some(reason) = model_problem {
        output.line(format_args!("! {reason}"))?;
    }
    for space in spaces.iter().flatten() {
        output.line(space_line(space, output))?;
    }
    Ok(problem::OK)
}

/// One line about how much of the view a model has embedded.
pub(super) fn space_line(space: &VectorSpace, output: &Output) -> String {
    let name = output.styled(Style::Name, format_args!("{:<13}", space.model.as_deref().unwrap_or("(gone)")));
    let (covered, total, bytes) = (space.chunks_covered, space.chunks_total, bytes_text(space.bytes));
    let trees = space.chunks_indexed.map(|chunks| format!(", {chunks} in trees")).unwrap_or_default();
    let use_text = if space.in_use { "" } else { ", not in use" };
    format!("{name} {covered} of {total} chunks have vectors, {} components, {bytes}{trees}{use_text}", space.dims)
}

fn fetch_and_import(global: &Global, mirror: Option<&str>, output: &mut Output) -> anyhow::Result<u8> {
    let options = options(global)?;
    let platform = Platform::current();
    let mut sources = PublishedFile::of(Product::Model, platform).map_err(Error::from)?;
    // A user who configured a runtime already has one.
    if options.runtime.is_none() {
        sources.extend(PublishedFile::of(Product::Runtime, platform).map_err(Error::from)?);
    }
    let mirror = mirror
        .map(Address::parse)
        .transpose()
        .map_err(|error| Usage { message: format!("`--mirror`: {error}"), hint: None })?;
    let bar = ByteBar::new(global.quiet, "fetching");
    let progress = |done, total| bar.show(done, total);
    let fetch = FetchOptions { mirror, ..FetchOptions::default() };
    let fetched = fetch::fetch(&sources, &options.models, &fetch, &progress);
    drop(bar);
    let fetched = fetched.map_err(Error::from)?;
    let source = fetched.model.as_deref().expect("the sources have a model because they were asked for it");
    let import = ImportOptions {
        name: Some(FETCHED.to_owned()),
        runtime: options.runtime.clone().or_else(|| fetched.runtime.clone()),
        ..ImportOptions::default()
    };
    let report = import_model(source, &options.models, &import).map_err(Error::from)?;
    let further = json!({ "fetched": fetched.fetched, "present": fetched.present, "runtime": fetched.runtime });
    say_imported(&report, further, output)
}

/// Reports what was imported and how to use it. `further` is added to the JSON.
fn say_imported(report: &ImportReport, further: Value, output: &mut Output) -> anyhow::Result<u8> {
    let ImportReport { directory, descriptor, precision, bytes_total, check } = report;
    if output.is_json() {
        let check = match check {
            ImportCheck::Agrees { lowest_cosine, mean_cosine } => {
                json!({ "state": "agrees", "lowest_cosine": lowest_cosine, "mean_cosine": mean_cosine })
            }
            ImportCheck::Runs => json!({ "state": "runs" }),
            ImportCheck::Waits { reason } => json!({ "state": "waits", "reason": reason }),
        };
        let row = LocalModelRow {
            directory: Some(directory.clone()),
            ..LocalModelRow::new(descriptor, precision, *bytes_total)
        };
        let mut answer = json!({ "model": row, "check": check });
        if let (Value::Object(answer), Value::Object(further)) = (&mut answer, further) {
            answer.extend(further);
        }
        output.json(&answer)?;
        return Ok(problem::OK);
    }
    let (name, bytes) = (&descriptor.name, bytes_text(*bytes_total));
    output.line(format_args!("`{name}` is imported: {} components, {precision}, {bytes}", descriptor.dims))?;
    output.line(match check {
        ImportCheck::Agrees { lowest_cosine, .. } => {
            format!("its vectors are those of its weights: the least cosine over some sentences is {lowest_cosine:.4}")
        }
        ImportCheck::Runs => "it runs".to_owned(),
        ImportCheck::Waits { reason } => format!("it is compared with its weights when it first runs: {reason}"),
    })?;
    output.line(format_args!("`icr model use {name}` lets it read behind the built-in model"))?;
    Ok(problem::OK)
}

fn use_model(global: &Global, name: &str, output: &mut Output) -> anyhow::Result<u8> {
    let options = options(global)?;
    find_imported_model(&options.models, name).map_err(Error::from)?;
    let runtime = runtime_version(&options.models, options.runtime.as_deref());
    let done = match runtime {
        Ok(_) => format!("`{name}` reads behind the built-in model now; `icr index` lets it begin"),
        // A model may be chosen before it is installed; until then the built-in model answers.
        Err(error) => format!("`{name}` is chosen and cannot run yet: {error}"),
    };
    choose(global, &[("embedding.backend", "onnx"), ("embedding.model_name", name)], &done, output)
}

/// Writes `settings` into the user's file, and tells the user if a higher layer overrides a value.
fn choose(global: &Global, settings: &[(&str, &str)], done: &str, output: &mut Output) -> anyhow::Result<u8> {
    let file = set_in_user_file(global, settings)?;
    let config = context::configuration_around(global, &context::home()?)?;
    let mut elsewhere = Vec::new();
    for (key, wanted) in settings {
        let setting = config.setting(key)?;
        if config.get_text(key) != *wanted {
            elsewhere.push(format!("`{key}` is {} all the same, by {}", setting.value, setting.place));
        }
    }
    if output.is_json() {
        let settings: serde_json::Map<String, Value> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        output.json(&json!({ "file": file, "set": settings, "overridden": elsewhere }))?;
    } else if !global.quiet {
        output.line(done)?;
        for reason in &elsewhere {
            output.line(format_args!("! {reason}"))?;
        }
    }
    Ok(problem::OK)
}
