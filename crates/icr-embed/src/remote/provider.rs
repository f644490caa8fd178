//! The known services and their interfaces.

use serde_json::{Value, json};

use super::answer::{self, NumberedVector};

/// A kind of service that gives vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// `POST /embeddings` as OpenAI defined it. Many servers offer it too, also local ones.
    OpenAiCompatible,
    /// Voyage AI. Its requests say whether a text is a question or a passage.
    Voyage,
}

/// Whether a text is a question or a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRole {
    Question,
    Passage,
}

/// One request.
pub(super) struct EmbeddingRequest<'a> {
    pub(super) model: &'a str,
    pub(super) texts: &'a [String],
    pub(super) side: TextRole,
    /// Length of the vectors, if the service is asked to shorten them.
    pub(super) dims: Option<u16>,
}

/// Everything that differs between services.
pub(super) struct ProviderRow {
    /// Name in the configuration.
    pub(super) name: &'static str,
    provider: Provider,
    /// Default address, if the service has one.
    address: Option<&'static str>,
    /// Environment variable that usually holds the key.
    key_variable: &'static str,
    /// Path behind the configured address.
    pub(super) path: &'static str,
    /// Most texts in one request.
    pub(super) texts_max: usize,
    /// Most model tokens in one request, over all of its texts.
    pub(super) model_tokens_max: usize,
    /// Makes the body of a request.
    pub(super) body: fn(&EmbeddingRequest<'_>) -> Value,
    /// Reads the vectors from an answer, each with the number of its text.
    pub(super) read: fn(&Value) -> Result<Vec<NumberedVector<'_>>, String>,
}

const ROWS: &[ProviderRow] = &[
    // tidy: sorted
    // Limits are those of its API reference, page "Create embeddings": 2,048 inputs, 300,000 tokens.
    ProviderRow {
        name: "openai",
        provider: Provider::OpenAiCompatible,
        address: Some("https://api.openai.com/v1"),
        key_variable: "OPENAI_API_KEY",
        path: "/embeddings",
        texts_max: 2_048,
        model_tokens_max: 300_000,
        body: open_ai_body,
        read: answer::numbered_rows,
    },
    // Limits are those of its documentation, page "Text embeddings": 1,000 inputs; 120,000 tokens for `voyage-code-3` and the
    // large models, more for others.
    ProviderRow {
        name: "voyage",
        provider: Provider::Voyage,
        address: Some("https://api.voyageai.com/v1"),
        key_variable: "VOYAGE_API_KEY",
        path: "/embeddings",
        texts_max: 1_000,
        model_tokens_max: 120_000,
        body: voyage_body,
        read: answer::numbered_rows,
    },
    // tidy: end
];

impl Provider {
    /// The provider that the configuration calls `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.provider)
    }

    /// The names of all providers, sorted.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }

    /// Name in the configuration.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Default address, if the service has one.
    pub fn address(self) -> Option<&'static str> {
        self.row().address
    }

    /// Environment variable that usually holds the key. This crate does not read it.
    pub fn key_variable(self) -> &'static str {
        self.row().key_variable
    }

    pub(super) fn row(self) -> &'static ProviderRow {
        ROWS.iter().find(|row| row.provider == self).expect("a row because each provider has one")
    }
}

fn open_ai_body(asked: &EmbeddingRequest<'_>) -> Value {
    let mut body = json!({ "model": asked.model, "input": asked.texts });
    if let Some(dims) = asked.dims {
        body["dimensions"] = dims.into();
    }
    body
}

fn voyage_body(asked: &EmbeddingRequest<'_>) -> Value {
    let input_type = match asked.side {
        TextRole::Question => "query",
        TextRole::Passage => "document",
    };
    let mut body = json!({ "model": asked.model, "input": asked.texts, "input_type": input_type });
    if let Some(dims) = asked.dims {
        body["output_dimension"] = dims.into();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(provider: Provider, side: TextRole, dims: Option<u16>, expected: &str) {
        let texts = ["a".to_owned(), "b".to_owned()];
        let body = (provider.row().body)(&EmbeddingRequest { model: "m", texts: &texts, side, dims });
        assert_eq!(body.to_string(), expected);
    }

    #[test]
    fn each_service_is_asked_in_its_own_words() {
        check(Provider::OpenAiCompatible, TextRole::Question, None, r#"{"model":"m","input":["a","b"]}"#);
        check(
            Provider::OpenAiCompatible,
            TextRole::Passage,
            Some(256),
            r#"{"model":"m","input":["a","b"],"dimensions":256}"#,
        );
        check(Provider::Voyage, TextRole::Question, None, r#"{"model":"m","input":["a","b"],"input_type":"query"}"#);
        check(
            Provider::Voyage,
            TextRole::Passage,
            Some(512),
            r#"{"model":"m","input":["a","b"],"input_type":"document","output_dimension":512}"#,
        );
    }

    #[test]
    fn names_lead_to_providers_and_back() {
        for provider in [Provider::OpenAiCompatible, Provider::Voyage] {
            assert_eq!(Provider::of_name(provider.name()), Some(provider));
        }
        assert_eq!(Provider::names().collect::<Vec<_>>(), ["openai", "voyage"]);
        assert_eq!(Provider::of_name("word2vec"), None);
    }
}
