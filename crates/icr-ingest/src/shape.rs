//! What shapes a view besides its tree.

use icr_git::Policy;
use icr_lang::ChunkLimits;
use icr_model::{Recipe, RecipeBuilder};
use icr_store::Recipes;

/// The membership rules and the recipes of all languages: with a tree, they determine a view.
#[derive(Debug, Clone)]
pub struct Shape {
    policy: Policy,
    limits: ChunkLimits,
    recipes: Vec<Recipes>,
    digest: Recipe,
}

impl Shape {
    /// The shape of views under `policy`, with chunks of `limits`.
    pub fn new(policy: Policy, limits: ChunkLimits) -> Self {
        let postings = icr_lexical::recipe();
        let recipes: Vec<Recipes> = icr_lang::languages()
            .chain([icr_lang::TEXT])
            .map(|language| Recipes {
                language: language.to_owned(),
                facts: icr_lang::recipe(language, &limits),
                postings,
            })
            .collect();
        let membership = RecipeBuilder::default().with("policy", &policy.digest().to_bytes());
        let digest =
            recipes.iter().fold(membership, |all, recipes| all.with(&recipes.language, &recipes.digest().to_bytes()));
        Self { policy, limits, recipes, digest: digest.build() }
    }

    /// Which paths are members.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Sizes of chunks.
    pub fn limits(&self) -> ChunkLimits {
        self.limits
    }

    /// How blobs of `language` are made.
    ///
    /// # Panics
    ///
    /// When `language` is not in the language table.
    pub fn recipes(&self, language: &str) -> &Recipes {
        let row = self.recipes.iter().find(|recipes| recipes.language == language);
        row.expect("languages come from the language table")
    }

    /// How blobs of each language are made, in the order of the table.
    pub fn all_recipes(&self) -> &[Recipes] {
        &self.recipes
    }

    /// Digest of all of it.
    pub fn digest(&self) -> Recipe {
        self.digest
    }
}
