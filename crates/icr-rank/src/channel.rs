//! Kinds of evidence, and how much each counts.

use crate::Intent;

/// A kind of evidence for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// BM25 of the texts, names and comments of its best chunks.
    Text,
    /// BM25 of the names defined in its best chunks, by itself.
    Names,
    /// BM25 of the comments in its best chunks, by itself.
    Comments,
    /// BM25 of its path.
    Path,
    /// How much of its name the query says, and how much of the query its name.
    FileName,
    /// The query names it by its path.
    Mentioned,
    /// A definition whose name is an identifier of the query.
    Definition,
    /// Vector of the whole file and its path against the query's.
    Similarity,
    /// Vector of its nearest chunk against the query's.
    NearestChunk,
    /// As [`Channel::Similarity`], by the vectors of the model behind the built-in one, without the path.
    ModelSimilarity,
    /// As [`Channel::NearestChunk`], by the vectors of the model behind the built-in one.
    ModelNearest,
    /// BM25 of the messages of past commits that touched it.
    History,
    /// How long ago it was changed.
    Recency,
    /// How long it is: of two files that say the same, the longer one is where the thing is done.
    Length,
    /// Its best chunk defines something that other code is written against.
    Contract,
    /// It lies where the asker works.
    Focus,
    /// It was asked to be kept in sight.
    Pinned,
}

/// What is to be known of a channel.
struct Row {
    channel: Channel,
    name: &'static str,
    /// Whether it needs vectors.
    of_vectors: bool,
    /// Weight with vectors.
    hybrid: f64,
    /// Weight without.
    lexical: f64,
}

/// In the order of [`Channel`].
///
/// Fitted by a listwise softmax to 622 public code-search queries on 31 repositories in 19 languages, each repository
/// once as its library alone and once whole, and rounded. NDCG@10 on repositories left out of the fit (8 folds): with
/// vectors 0.88 on libraries and 0.85 on whole repositories, without 0.86 and 0.83; the weights before had 0.83 and
/// 0.80. A quarter more or less of any one weight changes these by at most 0.005.
///
/// History was chosen on 327 commit messages of 16 repositories that ask for the files of their commits, the commits
/// themselves kept back: 0.78 without and 0.80 with it; without vectors 0.75 and 0.77. Recency and contracts change
/// nothing at these weights (below 0.003) and cost 0.005 each at the customary tenth. A path that is named adds 0.005 on
/// 251 issue texts, 52 of which name one; 0.05 to 0.2 do alike. Focus and pins are what the asker says.
static ROWS: [Row; Channel::COUNT] = {
    use Channel::*;
    [
        row(Text, "text", false, 0.12, 0.25),
        row(Names, "names", false, 0.07, 0.095),
        row(Comments, "comments", false, 0.065, 0.085),
        row(Path, "path", false, 0.0, 0.08),
        row(FileName, "file name", false, 0.075, 0.1),
        row(Mentioned, "mentioned", false, 0.1, 0.1),
        row(Definition, "definition", false, 0.075, 0.075),
        row(Similarity, "similarity", true, 0.21, 0.0),
        row(NearestChunk, "nearest chunk", true, 0.065, 0.0),
        row(ModelSimilarity, "model similarity", true, 0.15, 0.0),
        row(ModelNearest, "model nearest chunk", true, 0.15, 0.0),
        row(History, "history", false, 0.10, 0.135),
        row(Recency, "recency", false, 0.01, 0.01),
        row(Length, "length", false, 0.10, 0.06),
        row(Contract, "contract", false, 0.01, 0.01),
        row(Focus, "focus", false, 0.05, 0.05),
        row(Pinned, "pinned", false, 0.05, 0.05),
    ]
};

const fn row(channel: Channel, name: &'static str, of_vectors: bool, hybrid: f64, lexical: f64) -> Row {
    Row { channel, name, of_vectors, hybrid, lexical }
}

impl Channel {
    /// How many there are.
    pub const COUNT: usize = 17;

    pub(crate) fn at(index: usize) -> Self {
        ROWS[index].channel
    }

    /// All of them, in the order of the type.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        ROWS.iter().map(|row| row.channel)
    }

    /// The name shown to people.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].name
    }

    /// Whether the evidence is a vector's.
    pub fn is_of_vectors(self) -> bool {
        ROWS[self as usize].of_vectors
    }
}

/// How the values of a channel become comparable with those of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fusion {
    /// Each against the greatest there is: how much better the best is counts.
    #[default]
    Weighted,
    /// By place alone, 61 / (60 + place): reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009, whose constant is 60).
    /// What is a share by itself, such as being pinned, stays one.
    ReciprocalRank,
}

/// How much kinds of evidence count, as factors on the weights of their channels; not negative, 1 is as usual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emphasis {
    /// On all that words say: of text, names, comments and paths.
    pub words: f64,
    /// On all that vectors say.
    pub vectors: f64,
    /// On a recent change.
    pub recency: f64,
    /// On where the asker works.
    pub focus: f64,
    /// On what is pinned.
    pub pinned: f64,
}

impl Default for Emphasis {
    fn default() -> Self {
        Self { words: 1.0, vectors: 1.0, recency: 1.0, focus: 1.0, pinned: 1.0 }
    }
}

impl Emphasis {
    fn of(&self, channel: Channel) -> f64 {
        use Channel::*;
        match channel {
            Text | Names | Comments | Path | FileName | Mentioned | Definition => self.words,
            Similarity | NearestChunk | ModelSimilarity | ModelNearest => self.vectors,
            History | Length | Contract => 1.0,
            Recency => self.recency,
            Focus => self.focus,
            Pinned => self.pinned,
        }
    }
}

/// How much each channel counts, not negative, and how they are brought together.
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

    /// For meaning alone: the vectors' channels of [`Weights::hybrid`], and what the asker says.
    pub fn semantic() -> Self {
        use Channel::{Focus, Pinned};
        Self::hybrid().map(
            |channel, weight| {
                if channel.is_of_vectors() || matches!(channel, Focus | Pinned) { weight } else { 0.0 }
            },
        )
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

    /// These weights as `intent` wants them.
    #[must_use]
    pub fn for_intent(self, intent: Intent) -> Self {
        self.map(|channel, weight| weight * intent.multiplier(channel))
    }

    /// These weights, each times what its kind of evidence is to count. What is negative or not a number counts as 0.
    #[must_use]
    pub fn with_emphasis(self, emphasis: &Emphasis) -> Self {
        self.map(|channel, weight| weight * emphasis.of(channel).max(0.0))
    }

    /// These weights for channels that are brought together so.
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
