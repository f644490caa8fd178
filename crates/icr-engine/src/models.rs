//! Which models embed: the built-in one for every chunk, and optionally a second one, chosen by the user.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use icr_compute::BuiltInSpaces;
use icr_embed::remote::{RemoteEmbedder, RemoteOptions};
use icr_embed::{Descriptor, Embedder, OnnxEmbedder, StaticEmbedder, find_imported_model, imported_models};
use icr_model::{Gap, Recipe};
use icr_vector::{Space, VectorEncoding};

/// Which models compute vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Backend {
    /// The built-in model.
    #[default]
    Static,
    /// The built-in model, and a transformer on this machine as the second model.
    Onnx,
    /// The built-in model, and a model on another machine as the second model.
    Remote,
    /// None: words alone.
    None,
}

impl Backend {
    /// As it is typed and written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Onnx => "onnx",
            Self::Remote => "remote",
            Self::None => "none",
        }
    }
}

/// Which models to use, and with which limits.
#[derive(Debug, Clone)]
pub struct EmbeddingOptions {
    /// Where vectors come from.
    pub backend: Backend,
    /// Name of an imported model, or its directory.
    pub model: String,
    /// Directory of imported models.
    pub models: PathBuf,
    /// The ONNX Runtime library; `None` for the one beside the models, or else the system's.
    pub runtime: Option<PathBuf>,
    /// The other machine; needed for [`Backend::Remote`].
    pub remote: Option<RemoteOptions>,
    /// Time that one sync may spend on embedding with the second model.
    pub fill_budget: Duration,
    /// Most chunks in one store that may have vectors of the second model, over all views.
    pub most_vectors: u64,
    /// Number of first candidates that the second model rescores.
    pub rescored: usize,
    /// Options of the search for nearest vectors.
    pub index: icr_vector::Options,
}

impl EmbeddingOptions {
    /// The built-in table alone, with imported models below `home`.
    pub fn new(home: &std::path::Path) -> Self {
        Self {
            backend: Backend::Static,
            model: "all-MiniLM-L6-v2".to_owned(),
            models: home.join("models"),
            runtime: None,
            remote: None,
            fill_budget: Duration::from_secs(60),
            most_vectors: 250_000,
            rescored: 50,
            index: icr_vector::Options::default(),
        }
    }
}

/// The models of an engine; the second model is loaded on first use.
pub(crate) struct Models {
    options: EmbeddingOptions,
    tier: OnceLock<Result<Arc<dyn Embedder>, String>>,
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Models").field("backend", &self.options.backend).finish_non_exhaustive()
    }
}

/// The second model, loaded.
pub(crate) struct Tier {
    pub(crate) model: Arc<dyn Embedder>,
    pub(crate) space: Space,
}

impl Models {
    pub(crate) fn new(options: EmbeddingOptions) -> Self {
        Self { options, tier: OnceLock::new() }
    }

    pub(crate) fn options(&self) -> &EmbeddingOptions {
        &self.options
    }

    /// The built-in model, which embeds every chunk; `None` when vectors are switched off.
    pub(crate) fn built_in_model(&self) -> Option<&'static StaticEmbedder> {
        (self.options.backend != Backend::None).then(StaticEmbedder::built_in)
    }

    /// The vector spaces of [`Models::built_in_model`].
    pub(crate) fn built_in_spaces(&self) -> Option<BuiltInSpaces> {
        self.built_in_model().map(BuiltInSpaces::of)
    }

    /// The second model: `None` when none is configured, and the gap for the answer when it cannot run.
    pub(crate) fn tier(&self) -> Result<Option<Tier>, Gap> {
        if !self.has_tier() {
            return Ok(None);
        }
        match self.tier.get_or_init(|| self.load().map_err(|error| error.to_string())) {
            Ok(model) => {
                let descriptor = model.descriptor();
                let (recipe, dims) = (descriptor.space(), descriptor.dims);
                let space = Space { recipe, dims, form: VectorEncoding::ScaledAndHalf, by_content: true };
                Ok(Some(Tier { model: Arc::clone(model), space }))
            }
            Err(reason) => Err(Gap::NoModel { model: self.options.model.clone(), reason: reason.clone() }),
        }
    }

    /// Whether a second model is configured, even if it cannot run.
    pub(crate) fn has_tier(&self) -> bool {
        matches!(self.options.backend, Backend::Onnx | Backend::Remote)
    }

    /// The configured models, as far as their files exist. Loads none of them.
    pub(crate) fn in_use(&self) -> Vec<Descriptor> {
        let built_in = self.built_in_model().map(|model| model.descriptor().clone());
        let tier = match (self.options.backend, &self.options.remote) {
            (Backend::Onnx, _) => {
                find_imported_model(&self.options.models, &self.options.model).ok().map(|model| model.descriptor)
            }
            (Backend::Remote, Some(remote)) => {
                RemoteEmbedder::new(remote.clone()).ok().map(|model| model.descriptor().clone())
            }
            _ => None,
        };
        built_in.into_iter().chain(tier).collect()
    }

    /// The models that this machine has, by vector space.
    pub(crate) fn by_space(&self) -> BTreeMap<Recipe, Descriptor> {
        let imported = imported_models(&self.options.models).unwrap_or_default();
        let imported = imported.into_iter().flatten().map(|model| model.descriptor);
        let built_in = StaticEmbedder::built_in().descriptor().clone();
        let known = imported.chain([built_in]).chain(self.in_use());
        known.map(|descriptor| (descriptor.space(), descriptor)).collect()
    }

    fn load(&self) -> Result<Arc<dyn Embedder>, icr_embed::Error> {
        match (self.options.backend, &self.options.remote) {
            (Backend::Remote, Some(remote)) => Ok(Arc::new(RemoteEmbedder::new(remote.clone())?)),
            (Backend::Remote, None) => Err(icr_embed::Error::Answer {
                name: self.options.model.clone(),
                reason: "has no address; `network.api_base_url` says where it is".to_owned(),
            }),
            _ => {
                let found = find_imported_model(&self.options.models, &self.options.model)?;
                Ok(Arc::new(OnnxEmbedder::open(&found.directory, self.options.runtime.as_deref())?))
            }
        }
    }
}
