//! Description of a model: everything that shapes its vectors.

use icr_model::{Recipe, RecipeBuilder};

/// Everything that shapes the vectors of a model: two models with equal descriptors give equal vectors for equal texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// Name that users know the model by, such as `static` or `all-MiniLM-L6-v2`.
    pub name: String,
    /// Digest (hexadecimal) of the weights, the vocabulary and the code that runs them; for a remote model the address
    /// that answers.
    pub revision: String,
    /// Length of a vector, 64 to 4096.
    pub dims: u16,
    /// Model tokens that the model reads at once; `None` for a model that reads a text of any length.
    pub window: Option<u32>,
    /// How the token vectors are combined into the vector of a text.
    pub pooling: Pooling,
    /// Text put before a question.
    pub query_prefix: String,
    /// Text put before a passage, which is a text to be searched.
    pub passage_prefix: String,
}

/// How the token vectors are combined into the vector of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Mean of the token vectors.
    Mean,
    /// The vector of the first token.
    First,
    /// Sum of the token vectors, each weighted by the square root of the token's count.
    RootCount,
    /// Unknown: a remote service does it.
    Remote,
}

impl Descriptor {
    /// The name of the vector space. Only vectors of the same space are comparable.
    pub fn space(&self) -> Recipe {
        let pooling = match self.pooling {
            Pooling::Mean => "mean",
            Pooling::First => "first",
            Pooling::RootCount => "root-count",
            Pooling::Remote => "remote",
        };
        RecipeBuilder::default()
            .with("name", self.name.as_bytes())
            .with("revision", self.revision.as_bytes())
            .with("dims", &self.dims.to_be_bytes())
            .with("window", &self.window.unwrap_or_default().to_be_bytes())
            .with("pooling", pooling.as_bytes())
            .with("query prefix", self.query_prefix.as_bytes())
            .with("passage prefix", self.passage_prefix.as_bytes())
            .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_part_is_another_space() {
        let model = || Descriptor {
            name: "m".to_owned(),
            revision: "1".to_owned(),
            dims: 256,
            window: None,
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            passage_prefix: String::new(),
        };
        let others = [
            Descriptor { name: "n".to_owned(), ..model() },
            Descriptor { revision: "2".to_owned(), ..model() },
            Descriptor { dims: 384, ..model() },
            Descriptor { window: Some(256), ..model() },
            Descriptor { pooling: Pooling::First, ..model() },
            Descriptor { query_prefix: "query: ".to_owned(), ..model() },
            Descriptor { passage_prefix: "query: ".to_owned(), ..model() },
        ];
        for other in others {
            assert_ne!(other.space(), model().space(), "{other:?}");
        }
        assert_eq!(model().space(), model().space());
    }
}
