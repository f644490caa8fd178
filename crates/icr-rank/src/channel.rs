//! Kinds of evidence, and how much each counts.

use crate::Intent;

/// A kind of evidence for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// BM25 of the texts, names and comments of its best chunks, together.
    Text,
    /// BM25 of the names defined in its best chunks, alone.
    Names,
    /// BM25 of the comments in its best chunks, alone.
    Comments,
    /// BM25 of its path.
    Path,
    /// Share of the words of the file name that the query has, times the rarity of these words.
    FileName,
    /// The query names it by its path.
    Mentioned,
    /// A definition whose name is an identifier of the query.
    Definition,
    /// Vector of the whole file and its path against the query's.
    Similarity,
    /// Vector of its nearest chunk against the query's.
    NearestChunk,
    /// As [`Channel::Similarity`], with the vectors of the transformer behind the built-in model, and without the path.
    ModelSimilarity,
    /// As [`Channel::NearestChunk`], with the vectors of the transformer behind the built-in model.
    ModelNearest,
    /// BM25 of the messages of past commits that touched it.
    History,
    /// How long ago it was changed.
    Recency,
    /// Length of the file. Of two files that match equally well, the longer one is usually the implementation.
    Length,
    /// Its best chunk defines something for other code to use or implement: an interface, a trait, a type or a schema.
    Contract,
    /// It is below a path that the user works on.
    Focus,
    /// The user pinned the file.
    Pinned,
}

/// The basis of a channel's evidence. It decides which factor of [`Emphasis`] applies to the channel's weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Words of the query, in texts, names and paths.
    Words,
    /// Vectors.
    Vectors,
    /// The time of the last change.
    Recency,
    /// Paths that the user works on.
    Focus,
    /// Files that the user pinned.
    Pins,
    /// Evidence that no setting weighs: past commits, length, contracts.
    Other,
}

/// Everything about a channel, except how its value is computed ([`crate::rank`]).
struct ChannelRow {
    channel: Channel,
    name: &'static str,
    basis: Basis,
    /// Whether values are already in `0.0..=1.0`; other values are divided by the largest one among the candidates.
    is_share: bool,
    /// Weight with vectors.
    hybrid: f64,
    /// Weight without vectors.
    lexical: f64,
    /// What the channel tells about a file, as shown to people.
    doc: &'static str,
}

/// In the order of [`Channel`].
///
/// Fitted by a listwise softmax to 622 public code-search queries on 31 repositories in 19 languages (each repository
/// once with its library alone and once whole), then rounded. NDCG@10 on repositories that were left out of the fit (8
/// folds): with vectors 0.88 on libraries and 0.85 on whole repositories, without vectors 0.86 and 0.83. The former
/// weights had 0.83 and 0.80. Changing any one weight by a quarter changes these values by at most 0.005.
///
/// The weight of history was chosen on 327 commit messages of 16 repositories. Each message is a query for the files of
/// its commit, and the commit itself is hidden: NDCG@10 is 0.78 without history and 0.80 with it; without vectors it is
/// 0.75 and 0.77. Recency and contracts change less than 0.003 at these weights; at the customary weight of 0.1, each
/// costs 0.005. A path that the query names adds 0.005 on 251 issue texts, 52 of which name one; weights from 0.05 to
/// 0.2 do equally well. Focus and pins are the user's choice.
static ROWS: [ChannelRow; Channel::COUNT] = {
    use Basis::{Focus as InFocus, Other, Pins, Recency as ByTime, Vectors, Words};
    use Channel::*;
    [
        scaled(Text, "text", Words, [0.12, 0.25], "how well the words of its best chunks match"),
        scaled(Names, "names", Words, [0.07, 0.095], "how well the names defined in its best chunks match"),
        scaled(Comments, "comments", Words, [0.065, 0.085], "how well the comments in its best chunks match"),
        scaled(Path, "path", Words, [0.0, 0.08], "how well its path matches"),
        scaled(
            FileName,
            "file name",
            Words,
            [0.075, 0.1],
            "how much of its name is in the query, and how much of the query is in its name",
        ),
        share(Mentioned, "mentioned", Words, [0.1, 0.1], "how surely the query names it by its path"),
        share(Definition, "definition", Words, [0.075, 0.075], "whether it defines an identifier of the query"),
        scaled(Similarity, "similarity", Vectors, [0.21, 0.0], "how near the whole file with its path is in meaning"),
        scaled(NearestChunk, "nearest chunk", Vectors, [0.065, 0.0], "how near its nearest chunk is in meaning"),
        scaled(
            ModelSimilarity,
            "model similarity",
            Vectors,
            [0.15, 0.0],
            "how near the whole file is in meaning, by the transformer",
        ),
        scaled(
            ModelNearest,
            "model nearest chunk",
            Vectors,
            [0.15, 0.0],
            "how near its nearest chunk is in meaning, by the transformer",
        ),
        scaled(History, "history", Other, [0.10, 0.135], "how well the messages of past commits that touched it match"),
        share(Recency, "recency", ByTime, [0.01, 0.01], "how recently it was changed"),
        scaled(Length, "length", Other, [0.10, 0.06], "how long it is; a longer file is likelier to hold the code"),
        share(
            Contract,
            "contract",
            Other,
            [0.01, 0.01],
            "whether its best chunk defines an interface, a trait, a type or a schema",
        ),
        share(Focus, "focus", InFocus, [0.05, 0.05], "whether it is below a path that `--focus` names"),
        share(Pinned, "pinned", Pins, [0.05, 0.05], "whether it is pinned"),
    ]
};

/// A row of a channel whose values are divided by the largest one among the candidates.
const fn scaled(
    channel: Channel,
    name: &'static str,
    basis: Basis,
    [hybrid, lexical]: [f64; 2],
    doc: &'static str,
) -> ChannelRow {
    ChannelRow { channel, name, basis, is_share: false, hybrid, lexical, doc }
}

/// A row of a channel whose values are already in `0.0..=1.0`.
const fn share(channel: Channel, name: &'static str, basis: Basis, weights: [f64; 2], doc: &'static str) -> ChannelRow {
    ChannelRow { is_share: true, ..scaled(channel, name, basis, weights, doc) }
}

impl Channel {
    /// Number of channels.
    pub const COUNT: usize = 17;

    pub(crate) fn at(index: usize) -> Self {
        ROWS[index].channel
    }

    /// All channels, in the order of the type.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        ROWS.iter().map(|row| row.channel)
    }

    /// Name of the channel in explanations of scores.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].name
    }

    /// The channel that has `name` in an explanation.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|channel| channel.name() == name)
    }

    /// What the channel tells about a file, in a few words.
    pub fn doc(self) -> &'static str {
        ROWS[self as usize].doc
    }

    /// The basis of the channel's evidence.
    pub fn basis(self) -> Basis {
        ROWS[self as usize].basis
    }

    /// Whether the values are already in `0.0..=1.0`; other values are divided by the largest value among the
    /// candidates.
    pub(crate) fn is_share(self) -> bool {
        ROWS[self as usize].is_share
    }
}

/// How the values of different channels become comparable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fusion {
    /// Each value is divided by the largest one of its channel, so it counts by how much the best file is better.
    #[default]
    Weighted,
    /// By rank only, 61 / (60 + rank): reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009, whose constant is
    /// 60). A value that is already in `0.0..=1.0`, such as being pinned, stays as it is.
    ReciprocalRank,
}

/// Factors on the weights of channels, by the basis of their evidence. Not negative; 1 changes nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emphasis {
    /// Factor on words: text, names, comments and paths.
    pub words: f64,
    /// Factor on vectors.
    pub vectors: f64,
    /// Factor on a recent change.
    pub recency: f64,
    /// Factor on paths that the user works on.
    pub focus: f64,
    /// Factor on pinned files.
    pub pinned: f64,
}

impl Default for Emphasis {
    fn default() -> Self {
        Self { words: 1.0, vectors: 1.0, recency: 1.0, focus: 1.0, pinned: 1.0 }
    }
}

impl Emphasis {
    fn of(&self, channel: Channel) -> f64 {
        match channel.basis() {
            Basis::Words => self.words,
            Basis::Vectors => self.vectors,
            Basis::Recency => self.recency,
            Basis::Focus => self.focus,
            Basis::Pins => self.pinned,
            Basis::Other => 1.0,
        }
    }
}

/// The weight of each channel, not negative, and how values of channels are made comparable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    of: [f64; Channel::COUNT],
    fusion: Fusion,
}

impl Weights {
    /// For candidates with vectors.
    pub fn hybrid() -> Self {
        Self { of: std::array::from_fn(|at| ROWS[at].hybrid), fusion: Fusion::default() }
    }

    /// For candidates without vectors.
    pub fn lexical() -> Self {
        Self { of: std::array::from_fn(|at| ROWS[at].lexical), fusion: Fusion::default() }
    }

    /// The weights for search by meaning only: the vector channels of [`Weights::hybrid`], focus and pins.
    pub fn semantic() -> Self {
        Self::hybrid().map(|channel, weight| match channel.basis() {
            Basis::Vectors | Basis::Focus | Basis::Pins => weight,
            Basis::Words | Basis::Recency | Basis::Other => 0.0,
        })
    }

    /// The weight of `channel`.
    pub fn of(&self, channel: Channel) -> f64 {
        self.of[channel as usize]
    }

    /// These weights with another one for `channel`. What is negative or not a number counts as 0.
    #[must_use]
    pub fn with(mut self, channel: Channel, weight: f64) -> Self {
        self.of[channel as usize] = weight.max(0.0);
        self
    }

    /// These weights, each times the factor of `intent` for its channel.
    #[must_use]
    pub fn for_intent(self, intent: Intent) -> Self {
        self.map(|channel, weight| weight * intent.multiplier(channel))
    }

    /// These weights, each times the factor for its basis. A negative factor or NaN counts as 0.
    #[must_use]
    pub fn with_emphasis(self, emphasis: &Emphasis) -> Self {
        self.map(|channel, weight| weight * emphasis.of(channel).max(0.0))
    }

    /// These weights with another way to make values of channels comparable.
    #[must_use]
    pub fn with_fusion(self, fusion: Fusion) -> Self {
        Self { fusion, ..self }
    }

    pub(crate) fn fusion(&self) -> Fusion {
        self.fusion
    }

    fn map(mut self, change: impl Fn(Channel, f64) -> f64) -> Self {
        for channel in Channel::all() {
            self.of[channel as usize] = change(channel, self.of(channel));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_type_and_names_are_unique() {
        for (at, channel) in Channel::all().enumerate() {
            assert_eq!((channel as usize, Channel::from_name(channel.name())), (at, Some(channel)));
        }
        assert_eq!(Channel::from_name("penalty: test"), None);
    }
}
