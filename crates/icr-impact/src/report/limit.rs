//! How long a report may get.

/// How long a report may get; what does not fit is left out whole and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Most characters of Markdown; less than 200 counts as 200.
    pub characters: usize,
    /// Most bytes of Markdown; less than 200 counts as 200.
    pub bytes: usize,
    /// Most lines of text; less than 40 counts as 40.
    pub lines: usize,
    /// Most characters of a sentence of text; a longer one ends with `…`.
    pub sentence: usize,
}

impl Limit {
    /// No limits.
    pub const NONE: Self = Self { characters: usize::MAX, bytes: usize::MAX, lines: usize::MAX, sentence: usize::MAX };

    /// A comment. GitHub takes 65,536 characters and GitLab 1,000,000; the rest is room for what a bot puts around it.
    pub const COMMENT: Self = Self { characters: 60_000, ..Self::NONE };

    /// A step summary: GitHub takes 1 MiB for each step, which other commands of the step may write to as well.
    pub const STEP_SUMMARY: Self = Self { bytes: 900 * 1024, ..Self::NONE };

    /// What is read at a glance, with whole sentences: for files and other programs.
    pub const TEXT: Self = Self { lines: 60, ..Self::NONE };

    /// The same where long lines are broken; a sentence has two lines of most terminals.
    pub const TERMINAL: Self = Self { sentence: 160, ..Self::TEXT };
}

impl Default for Limit {
    fn default() -> Self {
        Self::NONE
    }
}
