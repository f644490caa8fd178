//! How long a report may get.

/// How long a report may get; what does not fit is left out whole and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Most characters of Markdown; less than 200 counts as 200.
    pub characters: usize,
    /// Most bytes of Markdown; less than 200 counts as 200.
    pub bytes: usize,
    /// Most lines of text; less than 12 counts as 12.
    pub lines: usize,
}

impl Limit {
    /// None at all.
    pub const NONE: Self = Self { characters: usize::MAX, bytes: usize::MAX, lines: usize::MAX };

    /// A comment. GitHub takes 65,536 characters and GitLab 1,000,000; the rest is room for what a bot puts around it.
    pub const COMMENT: Self = Self { characters: 60_000, ..Self::NONE };

    /// A step summary: GitHub takes 1 MiB for each step, which other commands of the step may write to as well.
    pub const STEP_SUMMARY: Self = Self { bytes: 900 * 1024, ..Self::NONE };

    /// What is read at a glance.
    pub const TERMINAL: Self = Self { lines: 40, ..Self::NONE };
}

impl Default for Limit {
    fn default() -> Self {
        Self::NONE
    }
}
