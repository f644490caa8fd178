//! Errors and warnings about the configuration, with their place.

use std::fmt;
use std::path::PathBuf;

use icr_engine::AcceptProblem;

use super::message_text::format_for_message;
use super::table::{Note, is_section, keys_of, quoted};

/// A configuration that cannot be used. The message says where and what is wrong; [`ConfigError::hint`] says what to
/// do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ConfigError {
    /// The text is not TOML.
    #[error("{place}: not TOML: {message}")]
    Syntax { place: ValueOrigin, message: String },
    /// No configuration key has this name.
    #[error("{place}: `{}` is not a configuration key", format_for_message(.key))]
    UnknownKey { place: ValueOrigin, key: String, suggestion: Option<&'static str> },
    /// The file has so many errors that the rest of it is not read.
    #[error("{place}: too many errors; the rest of the file is not read")]
    TooManyProblems { place: ValueOrigin },
    /// The value has the wrong type or is out of range. `value` is formatted for the message and hides a secret.
    #[error("{place}: `{}` is {value}, expected {allowed}", format_for_message(.key))]
    InvalidValue { place: ValueOrigin, key: String, value: String, allowed: String },
    /// The project file sets what only the user may set.
    /// `only` holds the values it may set, if any.
    #[error("{place}: a project file cannot set `{key}`{}, because {reason}", only_values(.only))]
    NotTrusted { place: ValueOrigin, key: &'static str, only: &'static [&'static str], reason: &'static str },
    /// The project file un-hides files that the user keeps secret.
    #[error("{place}: `security.secret_patterns` of a project file cannot remove a pattern, so `{}` does not count", format_for_message(.pattern))]
    TakesBack { place: ValueOrigin, pattern: String },
    /// An entry of an accept list is wrong; the others count.
    #[error("{place}: {problem}")]
    Entry { place: ValueOrigin, problem: Box<AcceptProblem> },
    /// Two values contradict each other.
    #[error("{low} must not exceed {high}")]
    OutOfOrder { low: Box<OrderedKeyValue>, high: Box<OrderedKeyValue> },
    /// The remote backend is chosen and the network is not allowed.
    #[error("{place}: `embedding.backend` is `remote`, but `network.enabled` is false")]
    NeedsNetwork { place: ValueOrigin },
    /// The old file uses more of YAML than nested two-level maps.
    #[error("{place}: {reason}")]
    Yaml { place: ValueOrigin, reason: &'static str },
    /// The directory in ICR_HOME, or the default home of icr, cannot be a directory.
    #[error("the home of icr (ICR_HOME) is `{}`, but `{}` is not a directory", .home.display(), .obstacle.display())]
    Home { home: PathBuf, obstacle: PathBuf },
    /// The home of icr belongs to another user.
    #[error("the home of icr (ICR_HOME) is `{}`, which belongs to another user", .home.display())]
    HomeOfAnother { home: PathBuf },
    /// The form of the file does not allow the key to be written without changing something else.
    #[error("`{key}` cannot be written into `{}` without changing other entries", .path.display())]
    NotEditable { path: PathBuf, key: &'static str },
}

impl ConfigError {
    /// What to do about it, as a sentence without capital and full stop.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownKey { key, .. } if is_section(key) => {
                Some(format!("it is a section; its keys are {}", keys_of(key).join(", ")))
            }
            Self::UnknownKey { suggestion: Some(known), .. } => Some(format!("did you mean `{known}`?")),
            Self::UnknownKey { suggestion: None, .. } => Some("`icr config show` lists all keys".to_owned()),
            Self::NotTrusted { key, .. } => Some(format!("set it for yourself with `icr config set {key} …`")),
            Self::OutOfOrder { low, high } => Some(format!("lower `{}` or raise `{}`", low.key, high.key)),
            Self::NeedsNetwork { .. } => {
                Some("set `network.enabled` to true, or choose `static`, `onnx` or `none`".to_owned())
            }
            Self::Home { .. } => Some("set ICR_HOME to a directory that you can write".to_owned()),
            Self::HomeOfAnother { .. } => Some("set ICR_HOME to a directory of your own".to_owned()),
            Self::NotEditable { .. } => Some("edit the file by hand".to_owned()),
            Self::TakesBack { .. } => Some("set it in your own configuration".to_owned()),
            Self::Syntax { .. }
            | Self::TooManyProblems { .. }
            | Self::InvalidValue { .. }
            | Self::Entry { .. }
            | Self::Yaml { .. } => None,
        }
    }

    /// Whether it is about the value of the key `name`.
    pub(super) fn concerns(&self, name: &str) -> bool {
        match self {
            Self::InvalidValue { key, .. } => key == name,
            Self::OutOfOrder { low, high } => low.key == name || high.key == name,
            Self::NeedsNetwork { .. } => ["embedding.backend", "network.enabled"].contains(&name),
            _ => false,
        }
    }
}

/// A whole number that bounds another or is bounded by it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OrderedKeyValue {
    /// Name of the key.
    pub(crate) key: &'static str,
    /// Its value.
    pub(crate) value: i64,
    /// Where that was written.
    pub(crate) place: ValueOrigin,
}

impl fmt::Display for OrderedKeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` = {} ({})", self.key, self.value, self.place)
    }
}

/// Where a value was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueOrigin {
    /// Nowhere: the built-in value.
    BuiltIn,
    /// Nowhere: the built-in value, lowered to the value of the other key.
    GivesWay { to: &'static str },
    /// The user's file.
    User { path: PathBuf, line: usize },
    /// The override for one repository in the store.
    Store { path: PathBuf, line: usize },
    /// The file at the root of the repository.
    Project { path: PathBuf, line: usize },
    /// An environment variable.
    Environment { variable: String },
    /// The command line, for this run or for `config set`.
    Flag,
    /// Several places; the value is the union of their values.
    Several(Vec<ValueOrigin>),
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::GivesWay { to } => write!(f, "built-in, at most `{to}`"),
            Self::User { path, line } | Self::Store { path, line } | Self::Project { path, line } => {
                write!(f, "`{}` line {line}", path.display())
            }
            Self::Environment { variable } => write!(f, "`{}`", format_for_message(variable)),
            Self::Flag => f.write_str("command line"),
            Self::Several(places) => {
                let places: Vec<String> = places.iter().map(Self::to_string).collect();
                f.write_str(&places.join(" and "))
            }
        }
    }
}

fn only_values(only: &[&str]) -> String {
    if only.is_empty() { String::new() } else { format!(" to anything but {}", quoted(only)) }
}

/// A message for the user that does not stop a command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Warning {
    /// A setting of the project file was ignored, because a cloned repository must not be able to break every command.
    Ignored(ConfigError),
    /// A word or key of another tool was translated to one of icr.
    Mapped { place: ValueOrigin, from: String, to: String },
    /// A pattern of secret files hides everything.
    HidesAll { place: ValueOrigin, pattern: String },
    /// The key is accepted and does not do what it says.
    Note { place: ValueOrigin, key: &'static str, note: Note },
}

impl Warning {
    /// Whether it only says how icr reads a key that is set on purpose: as another key, or not at all.
    pub(crate) fn is_about_translation(&self) -> bool {
        matches!(self, Self::Mapped { .. } | Self::Note { .. })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignored(error) => write!(f, "ignored: {error}"),
            Self::Mapped { place, from, to } => write!(f, "{place}: {from} is read as {to}"),
            Self::HidesAll { place, pattern } => {
                write!(
                    f,
                    "{place}: pattern `{}` of `security.secret_patterns` hides every file",
                    format_for_message(pattern)
                )
            }
            Self::Note { place, key, note } => write!(f, "{place}: `{key}` is {note}"),
        }
    }
}
