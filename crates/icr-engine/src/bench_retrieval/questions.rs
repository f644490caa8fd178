//! Files of questions: a JSON object on each line.

use std::fmt;

use icr_model::LineSpan;
use serde::Deserialize;

/// Highest grade: the place answers the whole question.
const BEST_GRADE: u8 = 3;

/// Something that a user would ask, and where the answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrievalQuestion {
    /// The words asked.
    pub query: String,
    /// Where the answer is; one place at least.
    pub expected: Vec<ExpectedPlace>,
    /// What kind of question it is.
    pub category: Option<String>,
}

/// A place that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedPlace {
    /// Path relative to the root of the repository.
    pub path: String,
    /// Name or qualified name of a definition in it. Without lines, its lines are the ones expected.
    pub symbol: Option<String>,
    /// Lines of it.
    pub lines: Option<LineSpan>,
    /// How much of the question it answers, `1..=3`; 1 when the file does not say.
    pub grade: u8,
}

/// `path:first-last`, `path symbol`, or `path`.
impl fmt::Display for ExpectedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lines, &self.symbol) {
            (Some(lines), _) => write!(f, "{}:{}-{}", self.path, lines.start, lines.end),
            (None, Some(symbol)) => write!(f, "{} {symbol}", self.path),
            (None, None) => f.write_str(&self.path),
        }
    }
}

/// What is wrong with a file of questions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionsError {
    /// A line is not a valid question.
    #[error("`{file}`, line {line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no question in it.
    #[error("`{file}` has no questions")]
    Empty {
        /// The file.
        file: String,
    },
}

/// The questions in `text`, which is the content of `file`: on each line `{"query": "…", "expected": [{"path": "…"}]}`, with
/// `category` beside these, and `symbol`, `start_line` and `end_line` together, and `grade` beside the path. Lines without
/// a character that shows are skipped.
///
/// # Errors
///
/// [`QuestionsError::Line`] for the first line that is something else; [`QuestionsError::Empty`] when there is no question.
pub fn read_questions(file: &str, text: &str) -> Result<Vec<RetrievalQuestion>, QuestionsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut questions = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |reason| QuestionsError::Line { file: file.to_owned(), line: at + 1, reason };
        questions.push(question(line).map_err(wrong)?);
    }
    if questions.is_empty() {
        return Err(QuestionsError::Empty { file: file.to_owned() });
    }
    Ok(questions)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `query` and `expected`")]
struct QuestionLine {
    query: String,
    expected: Vec<PlaceFields>,
    category: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a `path`")]
struct PlaceFields {
    path: String,
    symbol: Option<String>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    grade: Option<u8>,
}

fn question(line: &str) -> Result<RetrievalQuestion, String> {
    let line: QuestionLine = serde_json::from_str(line).map_err(|error| without_line(&error))?;
    if line.query.trim().is_empty() {
        return Err("`query` is empty".to_owned());
    }
    if line.expected.is_empty() {
        return Err("`expected` is empty; it names at least one place".to_owned());
    }
    let expected = line.expected.into_iter().map(place).collect::<Result<_, _>>()?;
    let category = line.category.filter(|category| !category.trim().is_empty());
    if let Some(category) = category.as_deref().filter(|category| category.contains(char::is_control)) {
        return Err(format!("the category {category:?} holds a control character"));
    }
    Ok(RetrievalQuestion { query: line.query, expected, category })
}

fn place(fields: PlaceFields) -> Result<ExpectedPlace, String> {
    let PlaceFields { path, symbol, start_line, end_line, grade } = fields;
    if path.is_empty() {
        return Err("a `path` is empty".to_owned());
    }
    let lines = match (start_line, end_line) {
        (None, None) => None,
        (Some(start), Some(end)) if 1 <= start && start <= end => Some(LineSpan { start, end }),
        (Some(start), Some(end)) => {
            return Err(format!("lines {start} to {end} of `{path}` are no lines: they count from 1 upwards"));
        }
        _ => return Err(format!("`start_line` and `end_line` of `{path}` come together")),
    };
    let grade = grade.unwrap_or(1);
    if !(1..=BEST_GRADE).contains(&grade) {
        return Err(format!("the grade of `{path}` must be 1 to {BEST_GRADE}, not {grade}"));
    }
    Ok(ExpectedPlace { path, symbol: symbol.filter(|symbol| !symbol.is_empty()), lines, grade })
}

/// The parser sees one line only, so the line that it names is always the first.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let said = text.rsplit_once(" at line ").map_or(text.as_str(), |(said, _)| said);
    format!("{said}, at column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = match read_questions("q.jsonl", text) {
            Ok(questions) => questions.iter().map(in_words).collect::<Vec<_>>().join("\n"),
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected);
    }

    fn in_words(question: &RetrievalQuestion) -> String {
        let places: Vec<String> = question.expected.iter().map(|place| format!("{place} ({})", place.grade)).collect();
        let category = question.category.as_deref().unwrap_or("-");
        format!("{category}: {} -> {}", question.query, places.join(", "))
    }

    #[test]
    fn a_question_has_words_and_places() {
        check(r#"{"query": "retry", "expected": [{"path": "a.rs"}]}"#, "-: retry -> a.rs (1)");
        check(
            r#"{"query": "retry", "category": "usage", "expected": [{"path": "a.rs", "symbol": "A.b", "grade": 3}, {"path": "b.rs", "start_line": 2, "end_line": 9}]}"#,
            "usage: retry -> a.rs A.b (3), b.rs:2-9 (1)",
        );
    }

    #[test]
    fn empty_lines_and_byte_order_marks_mean_nothing() {
        check("\u{feff}{\"query\": \"q\", \"expected\": [{\"path\": \"a\"}]}\r\n\n  \n", "-: q -> a (1)");
    }

    #[test]
    fn a_line_that_is_no_question_is_named_with_what_is_wrong() {
        let good = r#"{"query": "q", "expected": [{"path": "a"}]}"#;
        check(
            &format!("{good}\n\n{{\"query\": 3}}"),
            "`q.jsonl`, line 3: invalid type: integer `3`, expected a string, at column 11",
        );
        check("{", "`q.jsonl`, line 1: EOF while parsing an object, at column 1");
        check(r#"{"query": "q"}"#, "`q.jsonl`, line 1: missing field `expected`, at column 14");
        check(r#"{"query": " ", "expected": [{"path": "a"}]}"#, "`q.jsonl`, line 1: `query` is empty");
        check(
            r#"{"query": "q", "expected": []}"#,
            "`q.jsonl`, line 1: `expected` is empty; it names at least one place",
        );
        check(
            r#"{"query": "q", "expected": [{"path": "a", "grades": 2}]}"#,
            "`q.jsonl`, line 1: unknown field `grades`, expected one of `path`, `symbol`, `start_line`, `end_line`, `grade`, at column 50",
        );
    }

    #[test]
    fn places_out_of_bounds_are_refused() {
        let check = |place: &str, expected: &str| {
            check(&format!("{{\"query\": \"q\", \"expected\": [{place}]}}"), &format!("`q.jsonl`, line 1: {expected}"));
        };
        check(r#"{"path": ""}"#, "a `path` is empty");
        check(r#"{"path": "a", "start_line": 1}"#, "`start_line` and `end_line` of `a` come together");
        check(
            r#"{"path": "a", "start_line": 0, "end_line": 1}"#,
            "lines 0 to 1 of `a` are no lines: they count from 1 upwards",
        );
        check(
            r#"{"path": "a", "start_line": 5, "end_line": 4}"#,
            "lines 5 to 4 of `a` are no lines: they count from 1 upwards",
        );
        check(r#"{"path": "a", "grade": 4}"#, "the grade of `a` must be 1 to 3, not 4");
    }

    #[test]
    fn a_file_without_questions_is_refused() {
        check("", "`q.jsonl` has no questions");
        check(" \n\n", "`q.jsonl` has no questions");
    }
}
