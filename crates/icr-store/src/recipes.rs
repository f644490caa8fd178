//! Recipes: with which rules the facts and the postings of a blob were made.

use icr_model::{Recipe, RecipeBuilder};
use rusqlite::OptionalExtension;

use crate::ledger::{LedgerWrite, now};
use crate::{Error, Ledger};

/// Number of a [`Recipes`] row; valid in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecipeNo(pub u32);

/// The recipes of one language, for facts and for postings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipes {
    /// Language, as in the language table.
    pub language: String,
    /// Recipe of the facts.
    pub facts: Recipe,
    /// Recipe of the postings.
    pub postings: Recipe,
}

impl Recipes {
    /// One digest of both layers.
    pub fn digest(&self) -> Recipe {
        RecipeBuilder::default()
            .with("language", self.language.as_bytes())
            .with("facts", &self.facts.to_bytes())
            .with("postings", &self.postings.to_bytes())
            .build()
    }
}

impl Ledger {
    /// The number of `recipes`; `None` if no blob was ever made with them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn recipe_no(&self, recipes: &Recipes) -> Result<Option<RecipeNo>, Error> {
        let mut statement =
            self.prepare("SELECT recipe_no FROM recipes WHERE language = ?1 AND facts = ?2 AND postings = ?3")?;
        statement
            .query_row((&recipes.language, recipes.facts.to_bytes(), recipes.postings.to_bytes()), |row| row.get(0))
            .optional()
            .map(|number| number.map(RecipeNo))
            .map_err(self.failed("looking up a recipe"))
    }

    /// Languages by recipe number.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn languages(&self) -> Result<Vec<(RecipeNo, String)>, Error> {
        let mut statement = self.prepare("SELECT recipe_no, language FROM recipes ORDER BY recipe_no")?;
        let rows = statement.query_map([], |row| Ok((RecipeNo(row.get(0)?), row.get(1)?)));
        rows.and_then(Iterator::collect).map_err(self.failed("reading the recipes"))
    }
}

impl LedgerWrite<'_> {
    /// The number of `recipes`; a new one if they are new. Marks them as in use.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn recipe(&self, recipes: &Recipes) -> Result<RecipeNo, Error> {
        let sql = "INSERT INTO recipes (language, facts, postings, used_at) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO UPDATE SET used_at = excluded.used_at RETURNING recipe_no";
        let key = (&recipes.language, recipes.facts.to_bytes(), recipes.postings.to_bytes(), now());
        let number = self.transaction.query_row(sql, key, |row| row.get(0));
        number.map(RecipeNo).map_err(self.failed("recording a recipe"))
    }
}
