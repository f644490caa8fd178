//! The text of a file that may use what changed: its lines after the change, and what became of those from before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use icr_db::Referring;
use icr_impact::BrokenUse;
use icr_impact::symbols::{OverrideMark, definition_rules};
use icr_model::{Facts, ReferenceGroup, RepoPath, Role, Symbol};

use crate::change::mentions::binds;

/// A file after the change, with its lines from before if the change modified it.
pub(crate) struct UseText {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
    pub(crate) facts: Arc<Facts>,
    /// The lines of the file before the change; `None` for an unmodified file.
    before: Option<LinesBefore>,
}

/// The lines of a file before a change, trimmed.
struct LinesBefore {
    lines: Vec<String>,
    all: HashSet<String>,
}

impl LinesBefore {
    fn of(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        Self { all: lines.iter().cloned().collect(), lines }
    }

    /// The line with a number, from 1.
    fn line(&self, number: u32) -> Option<&str> {
        self.lines.get(number.checked_sub(1)? as usize).map(String::as_str)
    }
}

/// The shares that a definition had of the lines of a file before a change.
pub(crate) struct LineShares<'u> {
    pub(crate) text: &'u UseText,
    referring: Option<&'u Referring>,
    /// By the text of the line, for a file that the change modified: it is not known which line was which.
    by_text: HashMap<&'u str, f64>,
}

impl<'u> LineShares<'u> {
    pub(crate) fn of(text: &'u UseText, referring: Option<&'u Referring>) -> Self {
        let mut by_text: HashMap<&str, f64> = HashMap::new();
        if let (Some(before), Some(referring)) = (&text.before, referring) {
            for occurrence in &referring.occurrences {
                let share = before.line(occurrence.line).map(|line| by_text.entry(line).or_default());
                share.into_iter().for_each(|share| *share = share.max(occurrence.share));
            }
        }
        Self { text, referring, by_text }
    }

    /// The share of a line of the file after the change; 0 for one that the change wrote.
    pub(crate) fn at(&self, line: u32) -> f64 {
        match (self.referring, &self.text.before) {
            (None, _) => 0.0,
            (Some(referring), None) => referring.share_at(line),
            (Some(_), Some(_)) => {
                self.text.line(line).and_then(|line| self.by_text.get(line)).copied().unwrap_or_default()
            }
        }
    }
}

impl UseText {
    /// A file with the bytes `text` after the change, and `before` if the change modified it.
    pub(crate) fn new(text: &[u8], facts: Arc<Facts>, before: Option<&[u8]>) -> Self {
        let before = before.map(|before| LinesBefore::of(&String::from_utf8_lossy(before)));
        let text = String::from_utf8_lossy(text).into_owned();
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { text, starts, facts, before }
    }

    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        self.text_from(line)?.lines().next().map(str::trim)
    }

    /// The text from the start of a line.
    pub(crate) fn text_from(&self, line: u32) -> Option<&str> {
        self.text.get(*self.starts.get(line.checked_sub(1)? as usize)?..)
    }

    /// The use on `line`; its reason is still empty.
    pub(crate) fn broken_use_at(&self, path: &RepoPath, line: u32) -> Option<BrokenUse> {
        let text = self.line(line)?;
        let text = text[..text.floor_char_boundary(BrokenUse::TEXT)].to_owned();
        Some(BrokenUse { path: path.to_string(), line, text, reason: String::new() })
    }

    /// Whether a line existed before the change: a line that the change wrote was adapted to it.
    pub(crate) fn stood_before(&self, line: u32) -> bool {
        let Some(before) = &self.before else { return true };
        self.line(line).is_some_and(|line| before.all.contains(line))
    }

    /// The line of a byte.
    pub(crate) fn line_of(&self, byte: u32) -> u32 {
        self.starts.partition_point(|start| *start <= byte as usize) as u32
    }

    /// Whether a definition calls the one that it overrides.
    pub(crate) fn calls_base(&self, symbol: &Symbol) -> bool {
        let text = self.text.get(symbol.span.start as usize..symbol.span.end as usize).unwrap_or_default();
        let mut words = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        words.any(|word| matches!(word, "super" | "parent"))
    }

    /// Whether the text of a definition says that it overrides another one, or is the body of a declaration elsewhere.
    pub(crate) fn is_bound_to_base(&self, symbol: &Symbol) -> bool {
        let signature = self.text.get(symbol.span.start as usize..symbol.signature.end as usize).unwrap_or_default();
        let says =
            |word: &str| signature.split(|sign: char| !(sign.is_alphanumeric() || sign == '@')).any(|it| it == word);
        match definition_rules(&self.facts.language).override_mark {
            Some(OverrideMark::Block) => {
                symbol.parent.is_some_and(|at| !self.facts.symbols[at as usize].bases.is_empty())
            }
            Some(OverrideMark::Annotation) => says("@Override"),
            Some(OverrideMark::WordOrPlace) => symbol.receiver.is_some() || says("override"),
            Some(OverrideMark::Word) | None => says("override"),
        }
    }

    /// Whether `line` calls something called `name`, with or without brackets.
    pub(crate) fn calls_on(&self, line: u32, name: &str) -> bool {
        let is_call = |group: &ReferenceGroup| group.role == Role::Call && group.lines.contains(&line);
        self.facts.references.iter().any(|group| group.name == name && is_call(group))
            || self.line(line).is_some_and(|text| text.contains(&format!("{name}(")))
    }

    pub(crate) fn imports_on(&self, line: u32) -> bool {
        self.facts.imports.iter().any(|import| import.line == line)
    }

    /// Whether the file may bind `name` locally: a parameter, a variable, a loop.
    pub(crate) fn binds(&self, name: &str) -> bool {
        self.text.lines().any(|line| binds(line, name))
    }
}
