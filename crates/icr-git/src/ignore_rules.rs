//! Patterns in the syntax of `.gitignore`, as one list in which the last match decides.

use gix::glob::pattern::Case;
use gix::glob::wildmatch::Mode;
use icr_model::RecipeBuilder;

/// An ordered list of patterns, relative to the root.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoreRules {
    patterns: Vec<gix::glob::Pattern>,
}

impl IgnoreRules {
    /// Adds the lines of `bytes`: comments, `!`, trailing spaces and so on as git reads them.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.patterns.extend(gix::ignore::parse(bytes, false).map(|(pattern, _, _)| pattern));
    }

    /// Like [`IgnoreRules::add`], but without lines that begin with `!`.
    pub(crate) fn add_stricter(&mut self, bytes: &[u8]) {
        let patterns = gix::ignore::parse(bytes, false).map(|(pattern, _, _)| pattern);
        self.patterns.extend(patterns.filter(|pattern| !pattern.is_negative()));
    }

    /// Whether `path`, or a directory above it, is ignored. As in git, a `!` line cannot include a path again if a
    /// directory above it is ignored.
    pub(crate) fn ignores(&self, path: &[u8], is_directory: bool) -> bool {
        let borders = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        borders.into_iter().any(|end| self.last_match(&path[..end], true)) || self.last_match(path, is_directory)
    }

    /// The patterns as input of a digest.
    pub(crate) fn digest(&self, recipe: RecipeBuilder) -> RecipeBuilder {
        self.patterns.iter().fold(recipe, |recipe, pattern| recipe.with("ignore", pattern.to_string().as_bytes()))
    }

    fn last_match(&self, path: &[u8], is_directory: bool) -> bool {
        let name_start = path.iter().rposition(|byte| *byte == b'/').map(|at| at + 1);
        let matches = |pattern: &&gix::glob::Pattern| {
            let mode = Mode::NO_MATCH_SLASH_LITERAL;
            pattern.matches_repo_relative_path(path.into(), name_start, Some(is_directory), Case::Sensitive, mode)
        };
        self.patterns.iter().rev().find(matches).is_some_and(|pattern| !pattern.is_negative())
    }
}
