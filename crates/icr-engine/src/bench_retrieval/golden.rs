//! The ranks of a bench as text that is committed, so that a change of ranking is a readable difference.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;

use super::RetrievalBench;

/// Format name and version of recorded ranks, in their first line.
const HEAD: &str = "# Written by `icr bench-retrieval --golden FILE --update`. For each query: rank of the first expected file, good or bad, the query, what is expected.";

/// The ranks of a bench: figures over all queries, and a row for each.
///
/// As text: lines that begin with `#`; a line for each figure, its name and its value; an empty line; a line for each query
/// with its rank (`-` for none), `good` or `bad`, the query and the expected places. Columns are separated by tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// Names and values of the figures: the mode, the number of hits, the number of queries, recall@1, recall@5, MRR,
    /// NDCG@10.
    pub figures: Vec<(String, String)>,
    /// One row for each query, in the order of the questions.
    pub rows: Vec<GoldenRow>,
}

/// The recorded rank of one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldenRow {
    /// Rank and verdict.
    pub recorded: GoldenAnswer,
    /// The query; white space in it is one space each.
    pub query: String,
    /// The expected places, separated by ` | `.
    pub expected: String,
}

/// Rank and verdict of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct GoldenAnswer {
    /// Rank of the first expected file, from 1; `None` when it is not among the hits.
    pub rank: Option<u32>,
    /// As [`super::QuestionAnswer::good`].
    pub good: bool,
}

/// A difference between two recordings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GoldenChange {
    /// A figure has another value, or is in only one of the recordings.
    Figure {
        /// Its name.
        name: String,
        /// The value that was recorded.
        was: Option<String>,
        /// The value now.
        is: Option<String>,
    },
    /// A query has another rank or verdict.
    Moved {
        /// The query.
        query: String,
        /// The expected places.
        expected: String,
        /// The recorded rank.
        was: GoldenAnswer,
        /// The rank now.
        is: GoldenAnswer,
    },
    /// A query is new.
    Added {
        /// The query.
        query: String,
        /// The expected places.
        expected: String,
        /// The rank now.
        is: GoldenAnswer,
    },
    /// A recorded query is no longer asked.
    Gone {
        /// The query.
        query: String,
        /// The expected places.
        expected: String,
        /// The recorded rank.
        was: GoldenAnswer,
    },
}

/// What is wrong with a text of recorded ranks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct GoldenError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Golden {
    /// The ranks of `bench`.
    pub fn of(bench: &RetrievalBench) -> Self {
        let share = |value: f64| format!("{value:.3}");
        let figures = [
            ("mode", bench.mode.name().to_owned()),
            ("hits", bench.hits.to_string()),
            ("queries", bench.total.queries.to_string()),
            ("recall@1", share(bench.total.recall_at_1)),
            ("recall@5", share(bench.total.recall_at_5)),
            ("MRR", share(bench.total.mrr)),
            ("NDCG@10", share(bench.total.ndcg_at_10)),
        ];
        let rows = bench.answers.iter().map(|answer| GoldenRow {
            recorded: GoldenAnswer { rank: answer.rank, good: answer.good },
            query: spaced(&answer.query),
            expected: spaced(&answer.expected.join(" | ")),
        });
        Self { figures: figures.map(|(name, value)| (name.to_owned(), value)).to_vec(), rows: rows.collect() }
    }

    /// Parses the text that `Display` of [`Golden`] writes.
    ///
    /// # Errors
    ///
    /// The first line that cannot be parsed.
    pub fn parse(text: &str) -> Result<Self, GoldenError> {
        let mut golden = Self { figures: Vec::new(), rows: Vec::new() };
        let mut lines = (1..).zip(text.lines());
        for (line, text) in lines.by_ref().take_while(|(_, text)| !text.is_empty()).filter(|(_, text)| !is_remark(text))
        {
            let reason = || format!("a figure is a name and a value, separated by a tab, not `{text}`");
            let (name, value) = text.split_once('\t').ok_or_else(|| GoldenError { line, reason: reason() })?;
            golden.figures.push((name.to_owned(), value.to_owned()));
        }
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !is_remark(text)) {
            golden.rows.push(row(text).map_err(|reason| GoldenError { line, reason })?);
        }
        Ok(golden)
    }

    /// The differences in `now`: first figures, then queries that got worse, then those that got better, then new
    /// queries and those no longer asked. A different order of the queries is no difference.
    pub fn changes(&self, now: &Self) -> Vec<GoldenChange> {
        let mut recorded: HashMap<(&str, &str), Vec<GoldenAnswer>> = HashMap::new();
        // Popped from the end of a reversed list, so that equal queries are compared in their order.
        for row in self.rows.iter().rev() {
            recorded.entry((&row.query, &row.expected)).or_default().push(row.recorded);
        }
        let (mut worse, mut better, mut added) = (Vec::new(), Vec::new(), Vec::new());
        for row in &now.rows {
            let (query, expected, is) = (row.query.clone(), row.expected.clone(), row.recorded);
            match recorded.get_mut(&(row.query.as_str(), row.expected.as_str())).and_then(Vec::pop) {
                None => added.push(GoldenChange::Added { query, expected, is }),
                Some(was) if was == is => {}
                Some(was) if is.is_worse_than(was) => worse.push(GoldenChange::Moved { query, expected, was, is }),
                Some(was) => better.push(GoldenChange::Moved { query, expected, was, is }),
            }
        }
        let gone = self.rows.iter().filter_map(|row| {
            let was = recorded.get_mut(&(row.query.as_str(), row.expected.as_str()))?.pop()?;
            Some(GoldenChange::Gone { query: row.query.clone(), expected: row.expected.clone(), was })
        });
        let gone: Vec<GoldenChange> = gone.collect();
        [figures(&self.figures, &now.figures), worse, better, added, gone].concat()
    }
}

impl GoldenAnswer {
    /// Whether a query got worse. The verdict counts more than the rank, because it says whether the reader is served.
    pub fn is_worse_than(self, other: Self) -> bool {
        let key = |recorded: Self| (!recorded.good, recorded.rank.unwrap_or(u32::MAX));
        key(self) > key(other)
    }
}

impl fmt::Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        for (name, value) in &self.figures {
            writeln!(f, "{name}\t{value}")?;
        }
        writeln!(f)?;
        for row in &self.rows {
            let GoldenAnswer { rank, .. } = row.recorded;
            let rank = rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
            writeln!(f, "{rank}\t{}\t{}\t{}", verdict(row.recorded), row.query, row.expected)?;
        }
        Ok(())
    }
}

/// For example `3 good`.
impl fmt::Display for GoldenAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "{rank} {}", verdict(*self)),
            None => write!(f, "- {}", verdict(*self)),
        }
    }
}

/// One line, for example `worse   1 good -> 4 bad   how are retries spaced  (src/retry.rs)`.
impl fmt::Display for GoldenChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        match self {
            Self::Figure { name, was, is } => write!(f, "figure  {name} {} -> {}", or_none(was), or_none(is)),
            Self::Moved { query, expected, was, is } => {
                let way = if is.is_worse_than(*was) { "worse" } else { "better" };
                write!(f, "{way:<6}  {was} -> {is}  {query}  ({expected})")
            }
            Self::Added { query, expected, is } => write!(f, "new     {is}  {query}  ({expected})"),
            Self::Gone { query, expected, was } => write!(f, "gone    {was}  {query}  ({expected})"),
        }
    }
}

fn verdict(recorded: GoldenAnswer) -> &'static str {
    if recorded.good { "good" } else { "bad" }
}

fn is_remark(line: &str) -> bool {
    line.starts_with('#')
}

/// `text` with one space for each run of white space, so that it fits into a column.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(text: &str) -> Result<GoldenRow, String> {
    let columns: Vec<&str> = text.split('\t').collect();
    let [rank, verdict, query, expected] = columns[..] else {
        return Err(format!("a query has 4 columns, separated by tabs, not {}", columns.len()));
    };
    let rank = match rank {
        "-" => None,
        rank => match rank.parse::<u32>() {
            Ok(rank) if rank > 0 => Some(rank),
            _ => return Err(format!("a rank is `-` or a number from 1, not `{rank}`")),
        },
    };
    let good = match verdict {
        "good" => true,
        "bad" => false,
        _ => return Err(format!("a verdict is `good` or `bad`, not `{verdict}`")),
    };
    let (query, expected) = (query.to_owned(), expected.to_owned());
    Ok(GoldenRow { recorded: GoldenAnswer { rank, good }, query, expected })
}

/// Figures whose value differs, in the order of `now`, then those that `now` does not have.
fn figures(was: &[(String, String)], now: &[(String, String)]) -> Vec<GoldenChange> {
    let value = |figures: &[(String, String)], name: &str| {
        figures.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    let gone = was.iter().filter(|(name, _)| value(now, name).is_none());
    let named = now.iter().chain(gone).map(|(name, _)| name);
    let changes =
        named.map(|name| GoldenChange::Figure { name: name.clone(), was: value(was, name), is: value(now, name) });
    changes.filter(|change| !matches!(change, GoldenChange::Figure { was, is, .. } if was == is)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WAS: &str = "# remark\nmode\tlexical\nMRR\t0.500\n\n1\tgood\topen\ta.rs\n3\tbad\tclose it\tb.rs B.close\n-\tbad\tlost\tc.rs:1-4\n";

    #[track_caller]
    fn check(was: &str, is: &str, expected: &[&str]) {
        let (was, is) = (Golden::parse(was).unwrap(), Golden::parse(is).unwrap());
        let changes: Vec<String> = was.changes(&is).iter().map(ToString::to_string).collect();
        assert_eq!(changes, expected);
    }

    #[test]
    fn what_is_as_recorded_is_no_change() {
        check(WAS, WAS, &[]);
        check("\n1\tgood\ta\tx\n2\tgood\tb\ty\n", "\n2\tgood\tb\ty\n1\tgood\ta\tx\n", &[]);
    }

    #[test]
    fn a_change_says_which_query_moved_from_where_to_where_the_worse_first() {
        let is = WAS.replace("3\tbad", "2\tgood").replace("1\tgood", "12\tbad").replace("0.500", "0.320");
        check(
            WAS,
            &is,
            &[
                "figure  MRR 0.500 -> 0.320",
                "worse   1 good -> 12 bad  open  (a.rs)",
                "better  3 bad -> 2 good  close it  (b.rs B.close)",
            ],
        );
    }

    #[test]
    fn a_rank_that_is_lost_is_worse_than_any() {
        check(WAS, &WAS.replace("3\tbad", "-\tbad"), &["worse   3 bad -> - bad  close it  (b.rs B.close)"]);
        check(WAS, &WAS.replace("-\tbad", "90\tbad"), &["better  - bad -> 90 bad  lost  (c.rs:1-4)"]);
    }

    #[test]
    fn queries_that_are_new_or_gone_are_named() {
        let is = WAS.replace("open\ta.rs", "open\tother.rs").replace("MRR", "recall@1");
        check(
            WAS,
            &is,
            &[
                "figure  recall@1 none -> 0.500",
                "figure  MRR 0.500 -> none",
                "new     1 good  open  (other.rs)",
                "gone    1 good  open  (a.rs)",
            ],
        );
    }

    #[test]
    fn equal_queries_are_compared_in_their_order() {
        let twice = "\n1\tgood\tq\ta\n4\tgood\tq\ta\n";
        check(twice, "\n1\tgood\tq\ta\n5\tgood\tq\ta\n", &["worse   4 good -> 5 good  q  (a)"]);
        check(twice, "\n1\tgood\tq\ta\n", &["gone    4 good  q  (a)"]);
    }

    #[test]
    fn what_is_no_golden_is_refused_with_the_line() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Golden::parse(text).unwrap_err().to_string(), expected);
        };
        check("MRR 0.5\n", "line 1: a figure is a name and a value, separated by a tab, not `MRR 0.5`");
        check("\n1\tgood\tq\n", "line 2: a query has 4 columns, separated by tabs, not 3");
        check("\n0\tgood\tq\ta\n", "line 2: a rank is `-` or a number from 1, not `0`");
        check("MRR\t1\n\n# remark\n1\tfine\tq\ta\n", "line 4: a verdict is `good` or `bad`, not `fine`");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            rows in prop::collection::vec((prop::option::of(1..2_000_u32), any::<bool>(), ".{0,20}", ".{0,20}"), 0..6),
        ) {
            let rows = rows.into_iter().map(|(rank, good, query, expected)| GoldenRow {
                recorded: GoldenAnswer { rank, good },
                query: spaced(&query),
                expected: spaced(&expected),
            });
            let golden = Golden { figures: vec![("MRR".to_owned(), "0.5".to_owned())], rows: rows.collect() };
            let read = Golden::parse(&golden.to_string()).unwrap();
            prop_assert_eq!(golden.changes(&read), []);
            prop_assert_eq!(&read, &golden);
        }

        #[test]
        fn no_text_makes_reading_panic(text in "[0-9a-z#\\-\t\n ]{0,60}") {
            let _ = Golden::parse(&text);
        }
    }
}
