//! All answers of a snapshot, as text.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write};

use icr_engine::{
    ChangeSource, Error, GrepRequest, ImpactRequest, MapRequest, NeighborsRequest, PartnersRequest, ReadRequest,
    ReferencesRequest, SearchRequest, SliceRequest, Snapshot, SymbolRequest,
};

/// Queries whose words, identifiers and paths the generated texts share.
const SEARCHES: [&str; 8] = [
    "parse",
    "open file",
    "where is the token stream parsed",
    "parse_token",
    "OpenStream",
    "src lib",
    "token token file stream read",
    "notes tool read_0",
];

const SYMBOLS: [&str; 4] = ["parse", "open_file", "OpenStream", "tkn"];

const PATTERNS: [&str; 3] = ["token", "fn \\w+_file", "^import|#include"];

/// All answers about one view: a text for each question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers(BTreeMap<String, String>);

impl Answers {
    /// The answer to a question, for inspection.
    ///
    /// # Panics
    ///
    /// If the question was not asked.
    #[track_caller]
    pub fn get(&self, question: &str) -> &str {
        self.0.get(question).unwrap_or_else(|| panic!("nobody asked {question:?}"))
    }

    /// Compares with the expected answers.
    ///
    /// # Panics
    ///
    /// With the first question whose answer differs.
    #[track_caller]
    pub fn assert_equal(&self, expected: &Self, when: &str) {
        if self == expected {
            return;
        }
        let questions: Vec<&String> = self.0.keys().chain(expected.0.keys()).collect();
        let differs = |question: &&&String| self.0.get(**question) != expected.0.get(**question);
        let question = questions.iter().find(differs).expect("unequal answers differ at a question");
        let text = |answers: &Self| answers.0.get(*question).map_or("nothing", String::as_str).to_owned();
        panic!("{when}: {question} is answered\n{}\nand a fresh store answers\n{}", text(self), text(expected));
    }
}

/// Asks all questions. Scores are compared bit by bit.
///
/// # Errors
///
/// Errors of the store. A refusal of a single file is an answer, not an error.
pub fn answers(snapshot: &Snapshot) -> Result<Answers, Error> {
    let mut all = BTreeMap::new();
    let mut add = |question: String, answer: String| drop(all.insert(question, answer));
    add("provenance".to_owned(), format!("{:#?}", snapshot.provenance()));
    add("counts".to_owned(), format!("{} files, {} chunks", snapshot.files_total(), snapshot.chunks_total()));
    let dump = snapshot.dump()?;
    add("totals".to_owned(), dump.totals);
    let paths: Vec<String> = dump.files.keys().cloned().collect();
    for (path, facts) in dump.files {
        add(format!("facts of {path}"), facts);
    }
    for (path, vectors) in dump.vectors {
        add(format!("vectors of {path}"), vectors);
    }
    let requests = SEARCHES.iter().map(|query| SearchRequest {
        query: (*query).to_owned(),
        limit: 50,
        ..SearchRequest::default()
    });
    let narrowed = [
        SearchRequest { language: Some("rust".to_owned()), ..search("open file") },
        SearchRequest { path_prefix: Some("src".to_owned()), ..search("parse token") },
        SearchRequest { limit: 2, ..search("token file") },
    ];
    for request in requests.chain(narrowed) {
        let results = match icr_engine::search(snapshot, &request) {
            // A part of the tree that this view does not have.
            Err(error) if error.code() == "NOT_FOUND" => {
                add(format!("search {request:?}"), error.to_string());
                continue;
            }
            results => results?,
        };
        let mut text = format!("{results:#?}");
        results.results.iter().for_each(|hit| {
            let _ = write!(text, "\n{:016x} {}", hit.score.to_bits(), hit.path);
        });
        add(format!("search {request:?}"), text);
    }
    for query in SYMBOLS {
        let request = SymbolRequest { query: query.to_owned(), limit: 100, ..SymbolRequest::default() };
        add(format!("symbols {query}"), format!("{:#?}", icr_engine::symbols(snapshot, &request)?));
    }
    for pattern in PATTERNS {
        let request = GrepRequest { pattern: pattern.to_owned(), regex: true, limit: 1_000, ..GrepRequest::default() };
        add(format!("grep {pattern}"), format!("{:#?}", icr_engine::grep(snapshot, &request)?));
    }
    add("imports".to_owned(), format!("{:#?}", icr_engine::import_graph(snapshot, &())?));
    add("reference edges".to_owned(), format!("{:#?}", icr_engine::reference_graph(snapshot, &())?));
    for symbol in SYMBOLS {
        let request = ReferencesRequest { symbol: symbol.to_owned(), path: None, line: None };
        add(format!("references to {symbol}"), answer(icr_engine::references(snapshot, &request))?);
    }
    add("cochange".to_owned(), format!("{:#?}", icr_engine::cochange(snapshot)?));
    // By its commit id, since another thread may move the name.
    let own = snapshot.provenance().commit.clone().map(ChangeSource::Revisions);
    for source in [ChangeSource::Worktree].into_iter().chain(own) {
        let question = format!("impact of {source:?}");
        add(question, answer(icr_engine::impact(snapshot, &ImpactRequest::new(source)))?);
    }
    add(
        "map".to_owned(),
        format!("{:#?}", icr_engine::map(snapshot, &MapRequest { depth: 9, ..MapRequest::default() })?),
    );
    add("commands".to_owned(), format!("{:?}", icr_engine::project_commands(snapshot)?));
    let status = icr_engine::status(snapshot)?;
    add("status".to_owned(), format!("{:?} {} {}", status.languages, status.symbols, status.text_bytes));
    for path in paths {
        let read = ReadRequest { path: path.clone(), start_line: None, end_line: None, max_lines: 10_000 };
        add(format!("read {path}"), answer(icr_engine::read(snapshot, &read))?);
        let slice = SliceRequest { path: path.clone(), symbol: "parse_token".to_owned(), context_lines: 1 };
        add(format!("slice {path}"), answer(icr_engine::slice(snapshot, &slice))?);
        let partners = icr_engine::partners(snapshot, &PartnersRequest { path: path.clone(), limit: 1_000 })?;
        let scores: Vec<u64> = partners.partners.iter().map(|partner| partner.score.to_bits()).collect();
        add(format!("partners of {path}"), format!("{partners:#?} {scores:x?}"));
        let request = NeighborsRequest { path: path.clone(), depth: 3, changed_together: 0 };
        add(format!("neighbors of {path}"), answer(icr_engine::neighbors(snapshot, &request))?);
    }
    Ok(Answers(all))
}

fn search(query: &str) -> SearchRequest {
    SearchRequest { query: query.to_owned(), limit: 50, ..SearchRequest::default() }
}

/// A refusal is an answer; a store that fails is none.
fn answer(result: Result<impl Debug, Error>) -> Result<String, Error> {
    match result {
        Ok(value) => Ok(format!("{value:#?}")),
        Err(
            error @ (Error::NotText { .. }
            | Error::NoSuchSymbol { .. }
            | Error::NoDefinition { .. }
            | Error::Secret { .. }
            | Error::NoSuchLines { .. }),
        ) => Ok(error.to_string()),
        Err(error) => Err(error),
    }
}
