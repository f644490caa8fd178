//! The text of a pack, and what each part of it costs.

use icr_tokens::model_tokens;

use crate::candidate::PackCandidate;

/// First line of a pack.
pub(super) const TITLE: &str = "# Context Pack\n";

/// What comes before the first source.
pub(super) const SOURCES: &str = "\n## Sources\n\n";

/// Text before the first source if nothing answers the question.
pub(super) const NEAREST: &str = "\nNothing found that answers this. Nearest:\n\n## Sources\n\n";

/// Text in place of the sources if there are none.
pub(super) const NO_SOURCES: &str = "No sources.\n";

/// Text in place of the sources if not even one line of a source fits.
pub(super) const NO_ROOM: &str = "No source fits into the budget.\n";

/// Longest name that is shown whole, in characters.
const NAME_CHARACTERS: usize = 120;

/// Candidates of one file that follow each other, the last of them whole or its first lines.
#[derive(Debug, Clone)]
pub(super) struct Block<'a> {
    parts: Vec<&'a PackCandidate>,
    /// Bytes of the last part's text that are shown.
    last_bytes: usize,
    /// Lines that are left out of the last part.
    pub(super) cut_lines: u32,
}

impl<'a> Block<'a> {
    /// A block of one whole candidate.
    pub(super) fn from_candidate(candidate: &'a PackCandidate) -> Self {
        Self { parts: vec![candidate], last_bytes: candidate.text.len(), cut_lines: 0 }
    }

    /// A block of the first line of a candidate.
    pub(super) fn first_line(candidate: &'a PackCandidate) -> Self {
        let lines = u32::try_from(candidate.text.lines().count()).unwrap_or(u32::MAX);
        let last_bytes = candidate.text.split_inclusive('\n').next().map_or(0, str::len);
        Self { last_bytes, cut_lines: lines.saturating_sub(1), ..Self::from_candidate(candidate) }
    }

    /// The longest beginning of whole lines whose block costs at most `tokens`, the whole at most; `None` when not even
    /// `least_lines` fit.
    pub(super) fn beginning(candidate: &'a PackCandidate, tokens: u32, least_lines: usize) -> Option<Self> {
        let whole = Self::from_candidate(candidate);
        if whole.tokens() <= tokens {
            return Some(whole);
        }
        let lines: Vec<&str> = candidate.text.split_inclusive('\n').collect();
        let first_lines = |count: usize| Self {
            last_bytes: lines[..count].iter().map(|line| line.len()).sum(),
            cut_lines: u32::try_from(lines.len() - count).unwrap_or(u32::MAX),
            ..whole.clone()
        };
        // More lines cost more tokens, apart from a token that two lines share.
        let (mut fits, mut too_many) = (0, lines.len());
        while too_many - fits > 1 {
            let middle = fits + (too_many - fits) / 2;
            if first_lines(middle).tokens() <= tokens { fits = middle } else { too_many = middle }
        }
        let counts = (least_lines.max(1)..=fits).rev().map(first_lines);
        counts.into_iter().find(|block| block.tokens() <= tokens)
    }

    /// Appends `next`, which begins directly after this block.
    pub(super) fn extend(&mut self, next: Self) {
        self.parts.extend(next.parts);
        (self.last_bytes, self.cut_lines) = (next.last_bytes, next.cut_lines);
    }

    /// Leaves out the last line shown; `None` when `least_lines` would not be left.
    pub(super) fn shortened(mut self, least_lines: usize) -> Option<Self> {
        let last = self.parts[self.parts.len() - 1];
        let shown = &last.text[..self.last_bytes];
        let without = shown.strip_suffix('\n').unwrap_or(shown).rfind('\n').map_or(0, |at| at + 1);
        if without == 0 {
            self.parts.pop();
            let before = self.parts.last()?;
            (self.last_bytes, self.cut_lines) = (before.text.len(), 0);
        } else {
            self.last_bytes = without;
            self.cut_lines += 1;
        }
        (self.visible_text().lines().count() >= least_lines).then_some(self)
    }

    /// The candidates that it is made of.
    pub(super) fn parts(&self) -> &[&'a PackCandidate] {
        &self.parts
    }

    /// The part that is worth most. It names the block.
    pub(super) fn leader(&self) -> &'a PackCandidate {
        let best =
            self.parts.iter().copied().reduce(|one, other| if other.by_worth(one).is_lt() { other } else { one });
        best.expect("a block has a part")
    }

    /// First line shown, 1-based.
    pub(super) fn start_line(&self) -> u32 {
        self.parts[0].start_line
    }

    /// Last line shown, 1-based and inclusive; blank lines at the end are not.
    pub(super) fn end_line(&self) -> u32 {
        let lines = u32::try_from(self.visible_text().lines().count()).unwrap_or(u32::MAX).max(1);
        self.start_line().saturating_add(lines - 1)
    }

    /// What is shown: the texts of its parts, less blank lines at the end.
    fn visible_text(&self) -> String {
        let (last, before) = self.parts.split_last().expect("a block has a part");
        let mut text: String = before.iter().map(|part| part.text.as_str()).collect();
        text += &last.text[..self.last_bytes];
        let said = text.trim_end().len();
        // Up to the end of the last line that says something.
        let end = text[said..].find('\n').map_or(text.len(), |at| said + at + 1);
        text.truncate(end);
        text
    }

    /// Model tokens of the block, for any number below 100.
    pub(super) fn tokens(&self) -> u32 {
        tokens(&self.text(99))
    }

    /// Heading, fenced lines and, when it is cut, a note.
    pub(super) fn text(&self, number: usize) -> String {
        let PackCandidate { path, symbol, symbol_line, language, .. } = self.leader();
        let symbol_line = *symbol_line;
        let mut heading = format!("### [{number}] {}", one_line(path));
        let (start_line, end_line) = (self.start_line(), self.end_line());
        // A definition that begins after the shown lines does not describe them.
        if let Some(symbol) = symbol.as_deref().filter(|symbol| !symbol.is_empty() && symbol_line <= end_line) {
            heading = format!("{heading}:{}", shortened_name(symbol));
        }
        let text = self.visible_text();
        let fence = fence_around(&text);
        let line_break = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let note = if self.cut_lines > 0 {
            let (next, last) = (end_line.saturating_add(1), self.parts[self.parts.len() - 1].end_line);
            format!("*Cut: lines {next}-{last} are left out.*\n\n")
        } else {
            String::new()
        };
        let tag = language_tag(language);
        format!("{heading} (lines {start_line}-{end_line})\n\n{fence}{tag}\n{text}{line_break}{fence}\n\n{note}")
    }
}

/// A line that names other definitions in a file of the pack; empty if there are none.
pub(super) fn also_defined(path: &str, definitions: &[&PackCandidate]) -> String {
    let of = |definition: &&PackCandidate| {
        let name = shortened_name(definition.symbol.as_deref().unwrap_or_default());
        format!("{name} ({}-{})", definition.start_line, definition.end_line)
    };
    if definitions.is_empty() {
        return String::new();
    }
    format!("Also in {}: {}\n", one_line(path), definitions.iter().map(of).collect::<Vec<_>>().join(", "))
}

/// Model tokens of a text.
pub(super) fn tokens(text: &str) -> u32 {
    model_tokens(text.as_bytes())
}

/// A run of backticks longer than any in `text`, so that nothing in `text` ends the fence.
fn fence_around(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(3.max(longest + 1))
}

/// The characters of `language` that may follow a fence.
fn language_tag(language: &str) -> String {
    language.chars().filter(|character| character.is_alphanumeric() || "+-_#.".contains(*character)).collect()
}

/// `name` on one line. If it is very long, its middle is left out.
fn shortened_name(name: &str) -> String {
    let name = one_line(name);
    let characters = name.chars().count();
    if characters <= NAME_CHARACTERS {
        return name;
    }
    let half = NAME_CHARACTERS / 2;
    let (begin, end) = (name.chars().take(half), name.chars().skip(characters - half));
    format!("{}…{}", begin.collect::<String>(), end.collect::<String>())
}

/// `text` without anything that would begin another line.
pub(crate) fn one_line(text: &str) -> String {
    let is_break = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    text.chars().map(|character| if is_break(character) { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(from: u32, to: u32) -> PackCandidate {
        PackCandidate {
            path: "src/a.rs".into(),
            start_line: from,
            end_line: to,
            language: "rust".into(),
            text: (from..=to).map(|line| format!("let line_{line} = {line};\n")).collect(),
            ..PackCandidate::default()
        }
    }

    #[test]
    fn a_block_is_a_heading_and_fenced_lines() {
        let candidate = PackCandidate {
            path: "src/auth/jwt.py".into(),
            symbol: Some("validate_token".into()),
            start_line: 45,
            end_line: 48,
            language: "python".into(),
            text: "def validate_token(token):\n    return None\n\n\n".into(),
            ..PackCandidate::default()
        };
        insta::assert_snapshot!(Block::from_candidate(&candidate).text(1), @r"
        ### [1] src/auth/jwt.py:validate_token (lines 45-46)

        ```python
        def validate_token(token):
            return None
        ```
        ");
    }

    #[test]
    fn neighbours_share_a_heading_which_names_the_better_one() {
        let (one, two) = (lines(1, 2), PackCandidate { worth: 1.0, symbol: Some("two".into()), ..lines(3, 4) });
        let mut block = Block::from_candidate(&one);
        block.extend(Block::from_candidate(&two));
        insta::assert_snapshot!(block.text(2), @r"
        ### [2] src/a.rs:two (lines 1-4)

        ```rust
        let line_1 = 1;
        let line_2 = 2;
        let line_3 = 3;
        let line_4 = 4;
        ```
        ");
        let shorter = block.shortened(1).and_then(|block| block.shortened(1)).and_then(|block| block.shortened(1));
        let shorter = shorter.expect("a line is left");
        assert_eq!((shorter.start_line(), shorter.end_line(), shorter.cut_lines), (1, 1, 1));
        assert!(shorter.shortened(1).is_none());
    }

    #[test]
    fn nothing_in_the_text_ends_the_fence() {
        let candidate = PackCandidate { text: "a\n````\nb\n".into(), ..lines(1, 3) };
        let text = Block::from_candidate(&candidate).text(2);
        assert!(text.contains("\n`````rust\na\n````\nb\n`````\n"), "{text}");
    }

    #[test]
    fn headings_are_one_line() {
        let candidate = PackCandidate { path: "a\n# b".into(), symbol: Some("c\r\u{2028}d".into()), ..lines(10, 19) };
        assert!(Block::from_candidate(&candidate).text(1).starts_with("### [1] a # b:c  d (lines 10-19)\n"));
        let candidate = PackCandidate { language: "c++\n```".into(), symbol: Some(String::new()), ..lines(10, 19) };
        assert!(Block::from_candidate(&candidate).text(1).starts_with("### [1] src/a.rs (lines 10-19)\n\n```c++\n"));
        assert_eq!(
            also_defined("a\nb", &[&PackCandidate { symbol: Some("c\nd".into()), ..lines(1, 2) }]),
            "Also in a b: c d (1-2)\n"
        );
        assert_eq!(also_defined("a", &[]), "");
    }

    #[test]
    fn a_cut_keeps_whole_lines_and_says_so() {
        let candidate = lines(10, 19);
        let whole = Block::from_candidate(&candidate).tokens();
        let cut = Block::beginning(&candidate, whole - 1, 1).expect("most lines fit");
        assert!(cut.cut_lines > 0 && cut.tokens() < whole);
        let last = cut.end_line();
        assert!(cut.text(1).contains(&format!("let line_{last} = {last};\n```\n")));
        assert!(cut.text(1).ends_with(&format!("*Cut: lines {}-19 are left out.*\n\n", last + 1)));
        assert_eq!(Block::beginning(&candidate, whole, 1).map(|block| block.cut_lines), Some(0));
        assert!(Block::beginning(&candidate, 10, 1).is_none());
    }

    proptest! {
        #[test]
        fn a_cut_never_costs_more_than_it_may(
            text in "[a-z` \né🙂/}]{0,200}", most in 0_u32..120, start_line in 0_u32..1_000_000_000,
        ) {
            let candidate = PackCandidate { text, start_line, end_line: u32::MAX, ..lines(1, 2) };
            if let Some(block) = Block::beginning(&candidate, most, 1) {
                prop_assert!(block.tokens() <= most);
                prop_assert!(candidate.text.starts_with(&block.visible_text()));
            }
        }
    }
}
