//! Patterns in the syntax of `.gitignore`, as one list in which the last match decides.

use gix::glob::pattern::Case;
use gix::glob::wildmatch::Mode;
use icr_model::RecipeBuilder;

/// Most `**` in a pattern; one with more is left out. The time to match a path grows exponentially with them.
const MOST_STAR_PAIRS: usize = 8;

/// The patterns of `bytes`. A repeated `**/` means no more than one, and is reduced to it.
fn bounded_patterns(bytes: &[u8]) -> impl Iterator<Item = gix::glob::Pattern> {
    let patterns = gix::ignore::parse(bytes, false).map(|(mut pattern, _, _)| {
        while let Some(at) = pattern.text.windows(6).position(|text| text == b"**/**/") {
            pattern.text.drain(at..at + 3);
        }
        pattern
    });
    patterns.filter(|pattern| pattern.text.windows(2).filter(|text| *text == b"**").count() <= MOST_STAR_PAIRS)
}

/// An ordered list of patterns, relative to the root.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoreRules {
    patterns: Vec<gix::glob::Pattern>,
}

impl IgnoreRules {
    /// Adds the lines of `bytes`: comments, `!`, trailing spaces and so on as git reads them.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.patterns.extend(bounded_patterns(bytes));
    }

    /// Like [`IgnoreRules::add`], but without lines that begin with `!`.
    pub(crate) fn add_stricter(&mut self, bytes: &[u8]) {
        self.patterns.extend(bounded_patterns(bytes).filter(|pattern| !pattern.is_negative()));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(lines: &str) -> IgnoreRules {
        let mut rules = IgnoreRules::default();
        rules.add(lines.as_bytes());
        rules
    }

    #[test]
    fn repeated_directories_of_any_depth_are_one() {
        let rules = rules(&format!("a/{}z\n", "**/".repeat(2_000)));
        assert!(rules.ignores(b"a/z", false) && rules.ignores(b"a/b/c/z", false));
        assert!(!rules.ignores("a/b/".repeat(40).as_bytes(), false));
    }

    #[test]
    fn a_pattern_that_would_take_exponential_time_is_left_out() {
        let rules = rules(&format!("{}z\nb\n", "**/a*/".repeat(400)));
        assert!(!rules.ignores(format!("{}y", "a/".repeat(400)).as_bytes(), false));
        assert!(rules.ignores(b"b", false), "the other patterns count");
    }
}
