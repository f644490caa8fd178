//! Failures in the form that clients of all interfaces read.

use std::error::Error as _;

use icr_engine::{Hint, PackError};
use icr_impact::report::shortened;

use serde_json::{Map, Value, json};

use crate::schema::REPOSITORY_ARGUMENT;
use crate::{Error, OpenError};

/// Most characters of a value that a message repeats.
const SHOWN_CHARACTERS: usize = 80;

/// Allowed roots that a refusal names.
const ROOTS_NAMED: usize = 8;

/// Constraint name for a value that fits the schema but breaks a rule that no schema can express, such as a limit in
/// bytes or lines.
const RULE: &str = "rule";

/// Kinds of failures, by what the client should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Invalid arguments: change them.
    ValidationError,
    /// No such record: ask for another one.
    NotFound,
    /// Too much was asked: ask for less.
    Timeout,
    /// Too many calls are waiting: retry later.
    RateLimited,
    /// A bug: report it.
    InternalError,
    /// Unavailable: retry later, or fix what the message names.
    ServiceUnavailable,
}

impl Code {
    /// Name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::NotFound => "NOT_FOUND",
            Self::Timeout => "TIMEOUT",
            Self::RateLimited => "RATE_LIMITED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::ServiceUnavailable => "SERVICE_UNAVAILABLE",
        }
    }
}

/// Codes of the engine's errors and the kinds that clients get for them. Other codes are faults of icr or of the
/// machine.
const ENGINE_CODES: &[(&str, Code)] = &[
    // tidy: sorted
    ("AMBIGUOUS_REVISION", Code::ValidationError),
    ("BROKEN_REPOSITORY", Code::ServiceUnavailable),
    ("BUSY", Code::ServiceUnavailable),
    ("CANCELLED", Code::Timeout),
    ("CHANGED", Code::ServiceUnavailable),
    ("CHANGED_SINCE", Code::ValidationError),
    ("CORRUPT_OBJECT", Code::ServiceUnavailable),
    ("GIT_ERROR", Code::ServiceUnavailable),
    ("MEMORY_CUT_OFF", Code::ServiceUnavailable),
    ("MEMORY_DAMAGED", Code::ServiceUnavailable),
    ("MEMORY_VERSION", Code::ServiceUnavailable),
    ("MISSING_OBJECT", Code::ServiceUnavailable),
    ("MODEL", Code::ServiceUnavailable),
    ("NETWORK", Code::ServiceUnavailable),
    ("NOT_A_COMMIT", Code::ValidationError),
    ("NOT_A_REPOSITORY", Code::NotFound),
    ("NOT_FOUND", Code::NotFound),
    ("NOT_INDEXED", Code::ServiceUnavailable),
    ("NOT_TEXT", Code::ValidationError),
    ("NO_BASE", Code::ValidationError),
    ("PATCH_DOES_NOT_APPLY", Code::ValidationError),
    ("PINS_CUT_OFF", Code::ServiceUnavailable),
    ("PINS_DAMAGED", Code::ServiceUnavailable),
    ("PINS_VERSION", Code::ServiceUnavailable),
    ("READ_ONLY", Code::ValidationError),
    ("REFUSED", Code::ValidationError),
    ("SECRET", Code::ValidationError),
    ("STORE_DAMAGED", Code::ServiceUnavailable),
    ("STORE_FULL", Code::ServiceUnavailable),
    ("STORE_READ_ONLY", Code::ServiceUnavailable),
    ("TIMEOUT", Code::Timeout),
    ("TREE_TOO_LARGE", Code::ValidationError),
    ("UNKNOWN_REVISION", Code::NotFound),
    ("UNSAFE_REPOSITORY", Code::ValidationError),
    ("UNSUPPORTED_REPOSITORY", Code::ValidationError),
    ("VALIDATION_ERROR", Code::ValidationError),
    // tidy: end
];

/// For each kind of record, the arguments that name one.
const NAMING_ARGUMENTS: &[(&str, &[&str])] = &[
    // tidy: sorted
    ("concept", &["name", "from", "to"]),
    ("memoir", &["memoir", "name"]),
    ("memory", &["id"]),
    ("topic", &["topic"]),
    // tidy: end
];

/// Why a call was not answered.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFailure {
    /// Kind of the failure.
    pub code: Code,
    /// One sentence: what was wrong and what is expected.
    pub message: String,
    /// Details for programs.
    pub details: Map<String, Value>,
    /// What is said once the arguments of the call and the words of the interface are known.
    pending: Box<PendingWords>,
}

/// What a failure lacks until the arguments of the call and the words of the interface are known.
#[derive(Debug, Clone, Default, PartialEq)]
struct PendingWords {
    /// Kind and name of a record that does not exist.
    missing: Option<(&'static str, String)>,
    /// How the message speaks of the repository that the caller names.
    repository: Option<RepositoryMessage>,
    /// What to do. The details have these in the words of the command line until then.
    hints: Vec<Hint>,
}

/// How the message of a failure about the repository that the caller names speaks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RepositoryMessage {
    /// Without the name of the argument.
    Whole,
    /// As the end of a sentence that begins with the name of the argument.
    AfterName,
    /// As that, and who may allow the server to read the repository is still to be said.
    Forbidden,
}

/// Words of an interface for what all interfaces have.
#[derive(Debug, Clone, Copy)]
pub struct InterfaceWords {
    /// Name of the argument that names a repository.
    pub repository: &'static str,
    /// What makes a server read another repository: "with `icr mcp --root`".
    pub permission: &'static str,
    /// How a repository is indexed.
    pub index_first: &'static str,
    /// What lists the files of a repository.
    pub list_files: &'static str,
    /// What lists the pins.
    pub list_pins: &'static str,
    /// What takes pins away.
    pub take_pins_away: &'static str,
    /// Words of the command line in messages, and their replacements.
    pub messages: &'static [(&'static str, &'static str)],
}

/// Words of the command line in messages, and what every interface that is none says instead.
const WORDS_IN_MESSAGES: &[(&str, &str)] =
    &[("`icr index --rebuild` starts again", "a person can start again with `icr index --rebuild`")];

impl InterfaceWords {
    /// A hint in these words. What only a person can do names the command.
    fn hint(&self, hint: &Hint) -> String {
        let repository = self.repository;
        let words = match hint {
            Hint::Sentence(sentence) => sentence,
            Hint::AskCommitted { subject } => return format!("{subject} can be asked for with `rev` = `HEAD`"),
            Hint::AskWorktree(path) => return format!("`{repository}='{}'` asks about the worktree", path.display()),
            Hint::AskWriting => "a person can start icr once without `--read-only`",
            Hint::ComparePatch { base, head } => {
                return format!("`git diff {base} {head}` prints a patch that compares them as they are");
            }
            Hint::DeriveAgain => {
                "a person can derive it again with `icr index --rebuild`; what you asked icr to keep is not touched"
            }
            Hint::IndexFirst => self.index_first,
            Hint::ListFiles => self.list_files,
            Hint::ListPins => self.list_pins,
            Hint::NameCommits => "check out what it was made on, or name the commits instead: `range` = `BASE..HEAD`",
            Hint::NameDefiningFile(files) => {
                return format!("name the file that is meant with `path`, for example {}", Hint::alternatives(files));
            }
            Hint::NameGitDirectory(path) => {
                let path = path.display();
                return format!("if you know who made it and mean it, name it: `{repository}='{path}'`, or GIT_DIR");
            }
            Hint::NameRepository => return format!("name a repository by `{repository}`"),
            Hint::PassPatch => "`git diff` prints one",
            Hint::PassPatchFromRoot(directory) => {
                return format!("{}: `git diff --no-relative`", Hint::paths_from_root(directory));
            }
            Hint::ReadFileAt { path, commit } => {
                return format!("name the commit and the file: `path='{path}', rev='{commit}'`");
            }
            Hint::SaveMemories => {
                "icr never deletes it: a person can save what can be read with `icr export FILE`, move it away and run `icr import FILE`"
            }
            Hint::SwitchVectorsOn => "a person can set `embedding.backend` to `static`",
            Hint::TakePinsAway => self.take_pins_away,
        };
        words.to_owned()
    }
}

/// What is wrong with an argument.
pub struct Violation<'a> {
    /// Name of the argument as callers write it: `budget.max_steps`, `inputs[3]`.
    pub field: &'a str,
    /// The broken keyword of the schema, or `rule`.
    pub constraint: &'a str,
    /// The given value.
    pub value: &'a Value,
    /// The allowed values.
    pub allowed: Value,
    /// End of the message: a phrase that follows the name of the argument.
    pub problem: String,
}

impl CallFailure {
    /// A failure with only a message. A very long message is shortened.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        // What a client sends may be of any length.
        let message = shortened(&message.into()).into_owned();
        Self { code, message, details: Map::new(), pending: Box::default() }
    }

    /// As [`CallFailure::new`], about the repository that the caller names.
    fn of_repository(code: Code, said: RepositoryMessage, message: impl Into<String>) -> Self {
        Self::new(code, message).with_repository_message(said)
    }

    fn with_repository_message(mut self, said: RepositoryMessage) -> Self {
        self.pending.repository = Some(said);
        self
    }

    fn with_missing_record(mut self, kind: &'static str, name: String) -> Self {
        self.pending.missing = Some((kind, name));
        self
    }

    /// The failure for a range whose end is before its start.
    pub fn ends_before(start_line: u32, end_line: u32) -> Self {
        Self::validation(Violation {
            field: "end_line",
            constraint: "minimum",
            value: &json!(end_line),
            allowed: json!(start_line),
            problem: format!("is {end_line}; allowed: at least {start_line}, the `start_line`"),
        })
    }

    /// An argument is wrong.
    pub fn validation(violation: Violation<'_>) -> Self {
        let Violation { field, constraint, value, allowed, problem } = violation;
        Self::new(Code::ValidationError, format!("`{field}` {problem}"))
            .with("field", field)
            .with("constraint", constraint)
            .with("value", shown_value(value))
            .with("allowed", allowed)
    }

    /// Adds a detail.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Adds the name and the value of the argument that the failure is about, unless it already has them.
    pub fn about(self, arguments: &Map<String, Value>) -> Self {
        self.naming_what_is_missing(arguments).with_value_of(arguments)
    }

    fn naming_what_is_missing(mut self, arguments: &Map<String, Value>) -> Self {
        let text = |argument: &str| arguments.get(argument).and_then(Value::as_str).map(str::trim);
        let Some((kind, name)) = self.pending.missing.take() else { return self };
        if let Some(memoir) = text("memoir").filter(|_| kind == "concept") {
            self.message = shortened(&format!("{} in memoir `{memoir}`", self.message)).into_owned();
        }
        let naming = NAMING_ARGUMENTS.iter().find(|(of, _)| *of == kind).map_or(&[][..], |(_, arguments)| *arguments);
        match naming.iter().find(|argument| text(argument) == Some(name.trim())) {
            Some(argument) => self.with("field", *argument),
            None => self.with("value", truncate_text(&name)),
        }
    }

    fn with_value_of(self, arguments: &Map<String, Value>) -> Self {
        let of_repository = self.pending.repository.map(|_| REPOSITORY_ARGUMENT);
        let field = self.details.get("field").and_then(Value::as_str).or(of_repository);
        match field.and_then(|field| arguments.get(field)) {
            Some(value) if !self.details.contains_key("value") => self.with("value", shown_value(value)),
            _ => self,
        }
    }

    /// Adds hints about what to do.
    pub fn hinting<H: Into<Hint>>(mut self, hints: impl IntoIterator<Item = H>) -> Self {
        self.pending.hints.extend(hints.into_iter().map(Into::into));
        let said = self.hints_said(Hint::on_command_line);
        if said.is_empty() { self } else { self.with("hints", said) }
    }

    fn hints_said(&self, words: impl Fn(&Hint) -> String) -> Vec<String> {
        self.pending.hints.iter().map(|hint| shortened(&words(hint)).into_owned()).collect()
    }

    /// The failure in the words of an interface: the name of the argument that it is about, and words in its message and
    /// hints.
    pub fn in_words(mut self, words: &InterfaceWords) -> Self {
        let InterfaceWords { repository, permission, messages, .. } = *words;
        if let Some(said) = self.pending.repository.take() {
            let message = match said {
                RepositoryMessage::Whole => self.message,
                RepositoryMessage::AfterName => format!("`{repository}` {}", self.message),
                RepositoryMessage::Forbidden => format!(
                    "`{repository}` {}; a person can allow it with `icr index` there, {permission}, or with `mcp.allowed_roots`",
                    self.message
                ),
            };
            self.message = shortened(&message).into_owned();
            self.details.shift_insert(0, "field".to_owned(), json!(repository));
        }
        let in_messages = messages.iter().chain(WORDS_IN_MESSAGES);
        self.message = in_messages.fold(self.message, |said, (words, own)| said.replace(words, own));
        let said = self.hints_said(|hint| words.hint(hint));
        if let Some(hints) = self.details.get_mut("hints") {
            *hints = said.into();
        }
        self
    }

    /// Those of its message and hints that name a command or flag of icr without saying that a person can use it: an
    /// interface has to say them in its own words ([`CallFailure::in_words`]). For tests of interfaces.
    pub fn command_line_words(&self) -> Vec<String> {
        let hints = self.details.get("hints").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let names_one = |said: &&str| {
            let names = ["`icr ", "| icr ", "`--", " --at "].iter().any(|words| said.contains(words));
            names && !said.contains("a person can")
        };
        std::iter::once(self.message.as_str()).chain(hints).filter(names_one).map(str::to_owned).collect()
    }
}

impl From<icr_engine::Error> for CallFailure {
    fn from(error: icr_engine::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&icr_engine::Error> for CallFailure {
    fn from(error: &icr_engine::Error) -> Self {
        let engine_code = error.code();
        let code = ENGINE_CODES.iter().find(|(name, _)| *name == engine_code).map(|(_, code)| *code);
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        let failure = Self::new(code.unwrap_or(Code::InternalError), message);
        let failure = match error {
            icr_engine::Error::Pack(PackError::Invalid { field, allowed, value }) => {
                failure.with("field", field.as_str()).with("allowed", allowed.as_str()).with("value", value.as_str())
            }
            icr_engine::Error::Bounds { field, allowed, value } => {
                failure.with("field", *field).with("allowed", allowed.as_str()).with("value", truncate_text(value))
            }
            icr_engine::Error::TooManyDefiners { symbol, .. } => failure
                .with("field", "symbol")
                .with("allowed", "a name that fewer files define")
                .with("value", truncate_text(symbol)),
            icr_engine::Error::Memory(icr_memory::Error::Invalid { field, right, .. }) => {
                failure.with("field", *field).with("constraint", RULE).with("allowed", right.as_str())
            }
            icr_engine::Error::Memory(icr_memory::Error::NotFound { entity, name, .. }) => {
                failure.with_missing_record(entity, name.clone())
            }
            _ if engine_code == "NOT_A_REPOSITORY" => failure.with_repository_message(RepositoryMessage::Whole),
            _ => failure,
        };
        failure.with("engine_code", engine_code).hinting(error.hints())
    }
}

impl From<icr_memory::Error> for CallFailure {
    fn from(error: icr_memory::Error) -> Self {
        icr_engine::Error::from(error).into()
    }
}

impl From<Error> for CallFailure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<&Error> for CallFailure {
    fn from(error: &Error) -> Self {
        match error {
            Error::NoPath { given, problem } => {
                Self::of_repository(Code::ValidationError, RepositoryMessage::AfterName, *problem)
                    .with("constraint", "path")
                    .with("value", shown_value(&Value::String(given.clone())))
                    .with("allowed", "a directory")
            }
            Error::NoDirectory { .. } => {
                Self::of_repository(Code::NotFound, RepositoryMessage::Whole, error.to_string())
            }
            Error::NotAllowed { root, allowed } => {
                let root = root.display();
                let names: Vec<String> =
                    allowed.iter().take(ROOTS_NAMED).map(|path| path.display().to_string()).collect();
                let problem = format!("is a repository that this server may not read: `{root}`");
                Self::of_repository(Code::ValidationError, RepositoryMessage::Forbidden, problem)
                    .with("constraint", "allowed_roots")
                    .with("value", shown_value(&Value::String(root.to_string())))
                    .with("allowed", names)
            }
            Error::Open(OpenError::Engine(error)) | Error::Engine(error) => error.into(),
            Error::Open(OpenError::Configuration { message, hint }) => {
                Self::new(Code::ServiceUnavailable, message).with("engine_code", "CONFIG_ERROR").hinting(hint.clone())
            }
            Error::Crowded { waiting } => {
                Self::new(Code::RateLimited, format!("{error}; send fewer at once")).with("waiting", *waiting)
            }
            Error::OutOfTime { .. } => Self::new(Code::Timeout, error.to_string()),
            Error::Indexing { done, total, .. } => Self::new(Code::ServiceUnavailable, error.to_string())
                .with("index_status", "indexing")
                .with("done", *done)
                .with("total", *total)
                .hinting(["call again in a few seconds; indexing continues meanwhile"]),
            Error::NotIndexed(error) => Self::from(&**error),
            Error::NoThread(_) => Self::new(Code::ServiceUnavailable, error.to_string()),
            Error::Panicked { said } => {
                Self::new(Code::InternalError, format!("this is a bug in icr: {}", truncate_text(said)))
                    .hinting(["other calls are still answered; please report this error"])
            }
            Error::GivenUp => Self::new(Code::InternalError, error.to_string()),
        }
    }
}

/// `text`, shortened if it is long.
pub fn truncate_text(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `value` unchanged, or the beginning of its text if it is long.
pub fn shown_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(truncate_text(text)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.chars().count() > SHOWN_CHARACTERS { Value::String(truncate_text(&text)) } else { value.clone() }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interface_names_a_repository_by_its_own_argument() {
        let words = InterfaceWords {
            repository: "place",
            permission: "by a question",
            index_first: "",
            list_files: "",
            list_pins: "",
            take_pins_away: "",
            messages: &[],
        };
        let said = |error: Error| {
            let failure = CallFailure::from(&error).in_words(&words);
            (failure.message, Value::Object(failure.details))
        };
        let (message, details) = said(Error::NotAllowed { root: "/x".into(), allowed: vec!["/y".into()] });
        assert_eq!(
            message,
            "`place` is a repository that this server may not read: `/x`; a person can allow it with `icr index` there, \
             by a question, or with `mcp.allowed_roots`"
        );
        let expected = json!({"field": "place", "constraint": "allowed_roots", "value": "/x", "allowed": ["/y"]});
        assert_eq!(details, expected);
        let (message, details) = said(Error::NoPath { given: "x".to_owned(), problem: "is not absolute" });
        assert_eq!(message, "`place` is not absolute");
        assert_eq!(details["field"], "place");
    }
}
