//! Type of a configuration key, and look-up of keys by name.

use std::fmt;

use icr_model::similar_names;

use super::keys::KEYS;

/// One row of the table of configuration keys.
#[derive(Debug)]
pub(crate) struct Key {
    /// `section.key`; the table is sorted by it.
    pub(crate) name: &'static str,
    /// Type, default and allowed values.
    pub(crate) kind: KeyType,
    /// One line of documentation for people, with the unit.
    pub(crate) doc: &'static str,
    /// What the project file of a cloned repository may do with the key.
    pub(crate) from_project: FromProject,
    /// Environment variables besides `ICR_<SECTION>__<KEY>` and `ICD_<SECTION>__<KEY>`, in order of precedence.
    pub(crate) environment: &'static [Alias],
    /// The key that is set instead of this one. Such a key exists for files written for other tools.
    pub(crate) maps_to: Option<Mapping>,
    /// What to tell the user about a value that is accepted but has no or another effect.
    pub(crate) note: Option<Note>,
    /// Syntax of a non-empty text value.
    pub(crate) grammar: Option<Grammar>,
    /// Whether the value is hidden wherever values are shown.
    pub(crate) secret: bool,
}

/// Type of a key, with its default and what it allows. Bounds are inclusive.
#[derive(Debug)]
pub(crate) enum KeyType {
    /// `true` or `false`.
    Bool { default: bool },
    /// A whole number.
    Integer { default: i64, min: i64, max: i64 },
    /// A finite number.
    Float { default: f64, min: f64, max: f64 },
    /// Any text without NUL; empty means unset.
    Text { default: &'static str },
    /// Exactly this many lower-case hex digits; empty means unset.
    Hex { digits: usize },
    /// One of `words`, ignoring case. The first word of a pair in `mapped` is accepted and replaced by the second.
    Word { default: &'static str, words: &'static [&'static str], mapped: &'static [(&'static str, &'static str)] },
    /// A list of arbitrary texts.
    List { default: &'static [&'static str] },
    /// A list of some of `words`, ignoring case.
    WordList { default: &'static [&'static str], words: &'static [&'static str] },
    /// Entries that say which contract changes are accepted; only a project file has them.
    AcceptList,
    /// A path of this machine; empty means unset.
    Path { default: &'static str },
    /// A whole number with a unit, like `30s`; kept in milliseconds.
    Duration { default_ms: u64, min_ms: u64, max_ms: u64 },
}

/// What the project file may do with a key: it comes with a clone, so its author is not the user.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FromProject {
    /// Set it to anything that is valid.
    Any,
    /// Set it to one of these values only, for the given reason.
    Only(&'static [&'static str], &'static str),
    /// Never set it, for the given reason.
    Never(&'static str),
}

/// An environment variable that sets a key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Alias {
    /// The variable holds the value.
    Value(&'static str),
    /// The variable is a switch: when it is on, the key has this value.
    Switch(&'static str, &'static str),
}

/// Translation of a key of another tool into a key of icr.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mapping {
    /// The key that is set.
    pub(crate) key: &'static str,
    /// Factor for a number; the result is rounded if the other key holds whole numbers.
    pub(crate) factor: f64,
}

/// What to tell the user about a value that is accepted but has no or another effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// The value will never have an effect, for the given reason.
    Fixed(&'static str),
    /// The value will have an effect once this feature is built; completes the sentence "… is not built".
    Later(&'static str),
}

/// To complete a sentence: "it is …".
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(sentence) => f.write_str(sentence),
            Self::Later(name) => write!(f, "accepted and not used yet: {name} is not built"),
        }
    }
}

/// Syntax of a text value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    /// To complete a sentence: "expected …".
    pub(crate) name: &'static str,
    /// Checks a text; the error says what is wrong.
    pub(crate) check: fn(&str) -> Result<(), String>,
}

/// Position of a row in [`KEYS`].
pub(crate) type KeyNo = usize;

/// The row named `section.key`.
pub(crate) fn find(name: &str) -> Option<(KeyNo, &'static Key)> {
    let no = KEYS.binary_search_by(|key| key.name.cmp(name)).ok()?;
    Some((no, &KEYS[no]))
}

/// The key or section with the most similar name, if one is similar enough.
pub(crate) fn suggestion(name: &str) -> Option<&'static str> {
    if !name.contains('.') {
        let same_key = KEYS.iter().find(|key| key.leaf() == name).map(|key| key.name);
        return same_key.or_else(|| similar_names(name, sections(), 1).pop());
    }
    let leaf = name.rsplit('.').next().unwrap_or(name);
    let names = || KEYS.iter().map(|key| key.name);
    similar_names(name, names(), 1).pop().or_else(|| names().find(|known| known.rsplit('.').next() == Some(leaf)))
}

/// The keys of a section, quoted.
pub(crate) fn keys_of(section: &str) -> Vec<String> {
    KEYS.iter().filter(|key| key.section() == section).map(|key| format!("`{}`", key.name)).collect()
}

/// Whether `name` is a section.
pub(crate) fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.section() == name)
}

/// The sections, sorted.
pub(crate) fn sections() -> impl Iterator<Item = &'static str> {
    KEYS.chunk_by(|a, b| a.section() == b.section()).map(|rows| rows[0].section())
}

impl Key {
    /// The part of the name before the dot.
    pub(crate) fn section(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(section, _)| section)
    }

    /// The part of the name after the dot.
    pub(crate) fn leaf(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(_, leaf)| leaf)
    }

    /// `<PREFIX>_<SECTION>__<KEY>`.
    pub(crate) fn variable(&self, prefix: &str) -> String {
        format!("{prefix}_{}__{}", self.section(), self.leaf()).to_ascii_uppercase()
    }

    /// The allowed values in words; completes the sentence "expected …".
    pub(crate) fn describe_allowed_values(&self) -> String {
        match &self.kind {
            KeyType::Bool { .. } => "`true` or `false`".to_owned(),
            KeyType::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            KeyType::Float { min, max, .. } => format!("a number from {min} to {max}"),
            KeyType::Text { .. } => self.grammar.map_or("text", |grammar| grammar.name).to_owned(),
            KeyType::Hex { digits } => format!("{digits} lower-case hex digits"),
            KeyType::Word { words, mapped, .. } => {
                let also: Vec<&str> = mapped.iter().map(|(from, _)| *from).collect();
                let also = if also.is_empty() { String::new() } else { format!(" (also read: {})", quoted(&also)) };
                format!("one of {}{also}", quoted(words))
            }
            KeyType::List { .. } => "a list of texts".to_owned(),
            KeyType::WordList { words, .. } => format!("a list of some of {}", quoted(words)),
            KeyType::AcceptList => "entries `[[impact.accept]]` in `.icr.toml` of the repository".to_owned(),
            KeyType::Path { .. } => "a path".to_owned(),
            KeyType::Duration { min_ms, max_ms, .. } => {
                let (min, max) = (super::value::duration_text(*min_ms), super::value::duration_text(*max_ms));
                format!("a duration from {min} to {max} (units `ms`, `s`, `m`, `h`, `d`, `w`)")
            }
        }
    }

    /// What is wrong with `text` according to the key's grammar.
    pub(crate) fn misspelled(&self, text: &str) -> Option<String> {
        let grammar = self.grammar.filter(|_| !text.is_empty())?;
        (grammar.check)(text).err()
    }

    /// Whether the value consists of several texts.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.kind, KeyType::List { .. } | KeyType::WordList { .. })
    }
}

/// `` `a`, `b` ``
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Constructors of rows; what a row does not mention has its usual value.
impl Key {
    const fn new(name: &'static str, kind: KeyType, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            doc,
            from_project: FromProject::Any,
            environment: &[],
            maps_to: None,
            note: None,
            grammar: None,
            secret: false,
        }
    }

    pub(super) const fn bool(name: &'static str, default: bool, doc: &'static str) -> Self {
        Self::new(name, KeyType::Bool { default }, doc)
    }

    pub(super) const fn integer(name: &'static str, default: i64, bounds: (i64, i64), doc: &'static str) -> Self {
        Self::new(name, KeyType::Integer { default, min: bounds.0, max: bounds.1 }, doc)
    }

    pub(super) const fn float(name: &'static str, default: f64, bounds: (f64, f64), doc: &'static str) -> Self {
        Self::new(name, KeyType::Float { default, min: bounds.0, max: bounds.1 }, doc)
    }

    pub(super) const fn text(name: &'static str, default: &'static str, doc: &'static str) -> Self {
        Self::new(name, KeyType::Text { default }, doc)
    }

    pub(super) const fn hex(name: &'static str, digits: usize, doc: &'static str) -> Self {
        Self::new(name, KeyType::Hex { digits }, doc)
    }

    pub(super) const fn word(
        name: &'static str,
        default: &'static str,
        words: &'static [&'static str],
        doc: &'static str,
    ) -> Self {
        Self::new(name, KeyType::Word { default, words, mapped: &[] }, doc)
    }

    pub(super) const fn list(name: &'static str, default: &'static [&'static str], doc: &'static str) -> Self {
        Self::new(name, KeyType::List { default }, doc)
    }

    pub(super) const fn word_list(
        name: &'static str,
        default: &'static [&'static str],
        words: &'static [&'static str],
        doc: &'static str,
    ) -> Self {
        Self::new(name, KeyType::WordList { default, words }, doc)
    }

    pub(super) const fn accept_list(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, KeyType::AcceptList, doc)
    }

    /// A row for a path. A project file may never set a path, because every such path is read or written as the user.
    pub(super) const fn path(name: &'static str, default: &'static str, doc: &'static str) -> Self {
        Self::new(name, KeyType::Path { default }, doc).never("it names a file outside the repository's control")
    }

    pub(super) const fn duration(name: &'static str, default_ms: u64, bounds: (u64, u64), doc: &'static str) -> Self {
        Self::new(name, KeyType::Duration { default_ms, min_ms: bounds.0, max_ms: bounds.1 }, doc)
    }

    pub(super) const fn never(mut self, reason: &'static str) -> Self {
        self.from_project = FromProject::Never(reason);
        self
    }

    pub(super) const fn only(mut self, values: &'static [&'static str], reason: &'static str) -> Self {
        self.from_project = FromProject::Only(values, reason);
        self
    }

    pub(super) const fn environment(mut self, aliases: &'static [Alias]) -> Self {
        self.environment = aliases;
        self
    }

    pub(super) const fn mapped_words(mut self, pairs: &'static [(&'static str, &'static str)]) -> Self {
        if let KeyType::Word { default, words, .. } = self.kind {
            self.kind = KeyType::Word { default, words, mapped: pairs };
        }
        self
    }

    pub(super) const fn maps_to(mut self, key: &'static str, factor: f64) -> Self {
        self.maps_to = Some(Mapping { key, factor });
        self
    }

    pub(super) const fn note(mut self, sentence: &'static str) -> Self {
        self.note = Some(Note::Fixed(sentence));
        self
    }

    /// Marks a key that nothing reads until the feature `name` is built.
    pub(super) const fn later(mut self, name: &'static str) -> Self {
        self.note = Some(Note::Later(name));
        self
    }

    pub(super) const fn grammar(mut self, grammar: Grammar) -> Self {
        self.grammar = Some(grammar);
        self
    }

    pub(super) const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }
}
