//! The intent of a query, recognised by its words.

use crate::{Channel, QueryShape, headline};

/// What the asker wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Intent {
    /// Where a name is defined.
    Definition,
    /// How something is made.
    Implementation,
    /// Where something is used.
    Usage,
    /// How something works, or why.
    Explanation,
    /// Why something fails.
    Debugging,
    /// How two things differ.
    Comparison,
    /// An example of how to use something.
    Example,
    /// None of these, or unclear.
    #[default]
    General,
}

/// Any words in a phrase.
const GAP: &str = "";

/// Phrases, as sequences of lower-case words, that show an intent.
struct IntentRow {
    intent: Intent,
    phrases: &'static [&'static [&'static str]],
}

/// In order of precedence: a question about how two errors differ is a comparison, and one about why an example fails
/// is debugging.
static ROWS: [IntentRow; 7] = [
    IntentRow {
        intent: Intent::Comparison,
        phrases: &[
            &["compare"],
            &["compared", "to"],
            &["comparison"],
            &["difference"],
            &["differences"],
            &["versus"],
            &["vs"],
        ],
    },
    IntentRow {
        intent: Intent::Debugging,
        phrases: &[
            &["broken"],
            &["bug"],
            &["crash"],
            &["crashes"],
            &["deadlock"],
            &["does", "not", "work"],
            &["doesn", "t", "work"],
            &["fails"],
            &["hangs"],
            &["regression"],
            &["stack", "trace"],
            &["traceback"],
            &["why", "does", "not"],
            &["wrong"],
        ],
    },
    IntentRow {
        intent: Intent::Usage,
        phrases: &[
            &["call", "sites"],
            &["called", "from"],
            &["callers"],
            &["is", "called"],
            &["is", "used"],
            &["references", "to"],
            &["usage", "of"],
            &["usages"],
            &["uses", "of"],
            &["who", "calls"],
            &["who", "uses"],
        ],
    },
    IntentRow {
        intent: Intent::Example,
        phrases: &[&["demo"], &["example"], &["examples"], &["how", "do", "i"], &["how", "to", "use"], &["sample"]],
    },
    IntentRow {
        intent: Intent::Definition,
        phrases: &[
            &["declaration", "of"],
            &["declared"],
            &["definition", "of"],
            &["is", "defined"],
            &["signature", "of"],
            &["where", GAP, "declared"],
            &["where", GAP, "defined"],
        ],
    },
    IntentRow {
        intent: Intent::Implementation,
        phrases: &[
            &["algorithm"],
            &["implement"],
            &["implementation"],
            &["implemented"],
            &["implementing"],
            &["implements"],
        ],
    },
    IntentRow {
        intent: Intent::Explanation,
        phrases: &[&["architecture"], &["explain"], &["how"], &["overview"], &["what"], &["why"]],
    },
];

impl Intent {
    /// The intent of `query`. A single identifier asks for its definition; otherwise the words of the first line
    /// decide. Cost: a pass over these words for each phrase.
    pub fn of(query: &str) -> Self {
        let lower = headline(query).to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        if query.split_whitespace().count() == 1 && !QueryShape::of(query).identifiers.is_empty() {
            return Self::Definition;
        }
        let told = ROWS.iter().find(|row| row.phrases.iter().any(|phrase| says(&words, phrase)));
        told.map_or(Self::General, |row| row.intent)
    }

    /// The name used in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Implementation => "implementation",
            Self::Usage => "usage",
            Self::Explanation => "explanation",
            Self::Debugging => "debugging",
            Self::Comparison => "comparison",
            Self::Example => "example",
            Self::General => "general",
        }
    }

    /// Factor on the weight of `channel`.
    ///
    /// A bare name asks for its definition. On the 100 public queries that are names, doubling the weight of
    /// definitions and multiplying that of vectors by little more than a half gains 0.01 NDCG@10; doubling words and
    /// multiplying vectors by 0.6, as is customary, loses as much. Of the other intents, all but explanations and
    /// general questions had 13 queries together, too few to fit factors, so theirs are close to 1.
    pub fn multiplier(self, channel: Channel) -> f64 {
        let [words, vectors, definition, contract, recency] = match self {
            Self::Definition => [1.0, 0.6, 2.0, 1.7, 0.5],
            Self::Implementation => [1.0, 1.0, 1.2, 0.7, 1.0],
            Self::Usage => [1.2, 0.85, 0.5, 0.5, 1.2],
            Self::Explanation => [1.0, 1.0, 1.0, 1.0, 0.7],
            Self::Debugging => [1.0, 1.0, 1.0, 0.7, 1.4],
            Self::Comparison => [1.0, 1.1, 1.0, 1.2, 0.7],
            Self::Example => [1.0, 1.0, 0.7, 0.7, 1.0],
            Self::General => [1.0, 1.0, 1.0, 1.0, 1.0],
        };
        match channel {
            Channel::Text | Channel::Names | Channel::Comments => words,
            Channel::Similarity | Channel::NearestChunk => vectors,
            Channel::Definition => definition,
            Channel::Contract => contract,
            Channel::Recency => recency,
            _ => 1.0,
        }
    }
}

/// Whether `words` contain the parts of `phrase` between gaps, in order.
fn says(mut words: &[&str], phrase: &[&str]) -> bool {
    phrase.split(|word| *word == GAP).all(|part| {
        let found = words.windows(part.len()).position(|window| window == part);
        words = found.map_or(&[], |at| &words[at + part.len()..]);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, intent: Intent) {
        assert_eq!(Intent::of(query), intent, "{query}");
    }

    #[test]
    fn words_tell_the_intent() {
        check("openFile", Intent::Definition);
        check("where is the router defined", Intent::Definition);
        check("where the router is defined", Intent::Definition);
        check("how is retry implemented", Intent::Implementation);
        check("usages of open_file", Intent::Usage);
        check("how does routing work", Intent::Explanation);
        check("why does the example crash? it crashes", Intent::Debugging);
        check("difference between error and bug", Intent::Comparison);
        check("example of a custom handler", Intent::Example);
        check("connection pooling", Intent::General);
        check("howitzer", Intent::Definition);
        check("", Intent::General);
        check("connection pooling\nwhy", Intent::General);
        check("¿qué?", Intent::General);
    }
}
