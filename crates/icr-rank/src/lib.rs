//! Ranks candidates by the evidence for each. Pure: the same candidates get the same order, in whatever order they are
//! given.
//!
//! Files are ranked first, then the chunks inside each file: a reader wants the right file, with its best lines. Each
//! kind of evidence is a [`Channel`] with a value in `0.0..=1.0` and a weight. A file's score is the weighted mean of
//! these values, lowered for files that are seldom the answer. The first files are then reranked ([`rerank`]).

mod channel;
mod evidence;
mod file_kind;
mod fuse;
mod intent;
mod passage;
mod prompt;
mod query;
mod rerank;
mod rerank_estimate;
mod strength;
mod telling_name;
mod test_path;
mod versions;
mod words;

pub use channel::{Basis, Channel, Emphasis, Fusion, Weights};
pub use evidence::{ChunkEvidence, DefinitionEvidence, FileEvidence, NameMatch, chunk_text};
pub use file_kind::{FileKind, Penalty, is_written_by_program};
pub use fuse::{ChannelContribution, QueryEvidence, RankedChunk, RankedFile, leading, rank, rank_among};
pub use intent::Intent;
pub use passage::{Passage, headline, passages};
pub use prompt::{PromptEvidence, is_name, question_of_prompt, without_urls};
pub use query::{QueryShape, content_terms, is_stop_word};
pub use rerank::{
    QuestionKind, RERANK_FEATURES, RERANK_FEATURES_TOTAL, RERANKED, RerankFeature, RerankFeatures, RerankFile,
    RerankQuestion, WordVectors, rerank, rerank_features,
};
pub use rerank_estimate::expect_of_unread;
pub use strength::{AnswerEvidence, Strength, StrengthBasis};
pub use telling_name::telling_name;
pub use test_path::is_test_path;
