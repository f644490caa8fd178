//! Everything that determines a view, except its tree.

use icr_git::Policy;
use icr_lang::ChunkLimits;
use icr_model::{ContentKind, Recipe, RecipeBuilder};
use icr_store::Recipes;

/// The membership rules and the recipes of all languages; together with a tree they determine a view.
#[derive(Debug, Clone)]
pub struct Shape {
    policy: Policy,
    limits: ChunkLimits,
    /// Recipes of blobs that are read, in the order of the language table.
    recipes: Vec<Recipes>,
    /// Recipes of blobs above the size limit, in the same order.
    oversize: Vec<Recipes>,
    digest: Recipe,
}

impl Shape {
    /// The shape of views under `policy`, with chunks of `limits`.
    pub fn new(policy: Policy, limits: ChunkLimits) -> Self {
        let postings = RecipeBuilder::default()
            .with("postings", &icr_lexical::recipe().to_bytes())
            .with("documents", env!("ICR_DOCUMENTS_CODE").as_bytes())
            .build();
        let recipes: Vec<Recipes> = icr_lang::languages()
            .chain([icr_lang::TEXT])
            .map(|language| Recipes {
                language: language.to_owned(),
                facts: icr_lang::recipe(language, &limits),
                postings,
            })
            .collect();
        // Which blobs are too large is a rule of the view: rows for two limits can both be in the ledger.
        let unread = RecipeBuilder::default().with("content", b"above the size limit").build();
        let oversize = recipes.iter().map(|recipes| Recipes { facts: unread, ..recipes.clone() }).collect();
        let membership = RecipeBuilder::default().with("policy", &policy.digest().to_bytes());
        let digest =
            recipes.iter().fold(membership, |all, recipes| all.with(&recipes.language, &recipes.digest().to_bytes()));
        Self { policy, limits, recipes, oversize, digest: digest.build() }
    }

    /// The policy that decides which paths are members.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Sizes of chunks.
    pub fn limits(&self) -> ChunkLimits {
        self.limits
    }

    /// The recipes for a blob of `language` with this kind of content.
    ///
    /// # Panics
    ///
    /// When `language` is not in the language table.
    pub fn recipes(&self, language: &str, content: ContentKind) -> &Recipes {
        let recipes = if content == ContentKind::Oversize { &self.oversize } else { &self.recipes };
        let row = recipes.iter().find(|recipes| recipes.language == language);
        row.expect("languages come from the language table")
    }

    /// The recipes of all languages: those of blobs that are read, then those of blobs above the size limit.
    pub fn all_recipes(&self) -> impl Iterator<Item = &Recipes> {
        self.recipes.iter().chain(&self.oversize)
    }

    /// Digest of policy, chunk sizes and recipes.
    pub fn digest(&self) -> Recipe {
        self.digest
    }
}
