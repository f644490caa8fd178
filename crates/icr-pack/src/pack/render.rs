//! The text of a pack, and what each part of it costs.
//!
//! Every part ends with a line break, so that no word is joined with the next part's and the tokens of the whole are the
//! sum of its parts' tokens: choosing under a budget is then exact.

use icr_model::model_tokens;

use crate::candidate::Candidate;

/// What a pack begins with.
pub(super) const TITLE: &str = "# Context Pack\n";

/// What comes before the first source.
pub(super) const SOURCES: &str = "\n## Sources\n\n";

/// What stands instead of sources.
pub(super) const NO_SOURCES: &str = "No sources.\n";

/// A candidate, or the first lines of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) candidate: &'a Candidate,
    /// Lines kept; all when it is not cut.
    pub(super) lines: usize,
    /// Bytes of the text that these lines have.
    bytes: usize,
    pub(super) is_cut: bool,
}

impl<'a> Piece<'a> {
    pub(super) fn whole(candidate: &'a Candidate) -> Self {
        let lines = candidate.text.split_inclusive('\n').count();
        Self { candidate, lines, bytes: candidate.text.len(), is_cut: false }
    }

    /// The longest beginning of whole lines whose block costs at most `tokens`; `None` when not even `least_lines` fit.
    /// Stands before a definition where one begins in the second half of what fits.
    pub(super) fn beginning(candidate: &'a Candidate, tokens: u32, least_lines: usize) -> Option<Self> {
        let whole = Self::whole(candidate);
        if whole.tokens() <= tokens {
            return Some(whole);
        }
        let empty = Self { lines: 0, bytes: 0, is_cut: true, ..whole };
        let mut left = tokens.checked_sub(empty.tokens())?;
        let mut fitting = 0;
        for line in candidate.text.split_inclusive('\n').take(whole.lines.saturating_sub(1)) {
            let cost = model_tokens(line.as_bytes());
            if cost > left {
                break;
            }
            left -= cost;
            fitting += 1;
        }
        let first_lines = |lines: usize| {
            let bytes = candidate.text.split_inclusive('\n').take(lines).map(str::len).sum();
            Self { lines, bytes, is_cut: true, ..whole }
        };
        // The number of the last line may have more digits than that of the first, which can cost a token.
        let pieces = (least_lines.max(1)..=before_a_definition(candidate, fitting)).rev().map(first_lines);
        pieces.into_iter().find(|piece| piece.tokens() <= tokens)
    }

    pub(super) fn text(&self) -> &'a str {
        &self.candidate.text[..self.bytes]
    }

    /// Last line shown, 1-based and inclusive.
    pub(super) fn end_line(&self) -> u32 {
        if !self.is_cut {
            return self.candidate.end_line;
        }
        let last = u32::try_from(self.lines).unwrap_or(u32::MAX).saturating_sub(1);
        self.candidate.start_line.saturating_add(last)
    }

    /// What the block costs, whatever its number is.
    pub(super) fn tokens(&self) -> u32 {
        model_tokens(self.block(1).as_bytes())
    }

    /// Heading, fenced lines and, when it is cut, a note.
    pub(super) fn block(&self, number: usize) -> String {
        let Candidate { path, symbol, start_line, language, .. } = self.candidate;
        let mut heading = format!("### [{number}] {}", one_line(path));
        if let Some(symbol) = symbol.as_deref().filter(|symbol| !symbol.is_empty()) {
            heading = format!("{heading}:{}", one_line(symbol));
        }
        let end_line = self.end_line();
        let fence = fence_around(&self.candidate.text);
        let text = self.text();
        let line_break = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let note = if self.is_cut {
            let next = end_line.saturating_add(1);
            format!("*Cut: lines {next}-{} are left out.*\n\n", self.candidate.end_line)
        } else {
            String::new()
        };
        format!(
            "{heading} (lines {start_line}-{end_line})\n\n{fence}{}\n{text}{line_break}{fence}\n\n{note}",
            language_tag(language),
        )
    }
}

/// Lines to keep of `fitting`: up to where a definition begins, if one does in the second half.
fn before_a_definition(candidate: &Candidate, fitting: usize) -> usize {
    let lines_before = |start: &u32| start.checked_sub(candidate.start_line).map(|lines| lines as usize);
    let starts = candidate.symbol_starts.iter().filter_map(lines_before);
    starts.filter(|lines| *lines <= fitting && *lines * 2 > fitting).max().unwrap_or(fitting)
}

/// A run of backticks longer than any in `text`, which therefore nothing in it ends.
fn fence_around(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(3.max(longest + 1))
}

/// What can stand behind a fence.
fn language_tag(language: &str) -> String {
    language.chars().filter(|character| character.is_alphanumeric() || "+-_#.".contains(*character)).collect()
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

    fn ten_lines() -> Candidate {
        let text = (10..20).map(|line| format!("let line_{line} = {line};\n")).collect::<String>();
        Candidate {
            path: "src/a.rs".into(),
            start_line: 10,
            end_line: 19,
            language: "rust".into(),
            text,
            ..Candidate::default()
        }
    }

    #[test]
    fn a_block_is_a_heading_and_fenced_lines() {
        let candidate = Candidate {
            path: "src/auth/jwt.py".into(),
            symbol: Some("validate_token".into()),
            start_line: 45,
            end_line: 46,
            language: "python".into(),
            text: "def validate_token(token):\n    return None".into(),
            ..Candidate::default()
        };
        insta::assert_snapshot!(Piece::whole(&candidate).block(1), @r"
        ### [1] src/auth/jwt.py:validate_token (lines 45-46)

        ```python
        def validate_token(token):
            return None
        ```
        ");
    }

    #[test]
    fn nothing_in_the_text_ends_the_fence() {
        let candidate = Candidate { text: "a\n````\nb\n".into(), ..ten_lines() };
        let block = Piece::whole(&candidate).block(2);
        assert!(block.contains("\n`````rust\na\n````\nb\n`````\n"), "{block}");
    }

    #[test]
    fn headings_are_one_line() {
        let candidate = Candidate { path: "a\n# b".into(), symbol: Some("c\r\u{2028}d".into()), ..ten_lines() };
        assert!(Piece::whole(&candidate).block(1).starts_with("### [1] a # b:c  d (lines 10-19)\n"));
        let candidate = Candidate { language: "c++\n```".into(), symbol: Some(String::new()), ..ten_lines() };
        assert!(Piece::whole(&candidate).block(1).starts_with("### [1] src/a.rs (lines 10-19)\n\n```c++\n"));
    }

    #[test]
    fn a_cut_keeps_whole_lines_and_says_so() {
        let candidate = ten_lines();
        let whole = Piece::whole(&candidate).tokens();
        let cut = Piece::beginning(&candidate, whole - 1, 1).expect("most lines fit");
        assert!(cut.is_cut && cut.tokens() < whole);
        let last = cut.end_line();
        assert!(cut.text().ends_with(&format!("let line_{last} = {last};\n")));
        assert!(cut.block(1).ends_with(&format!("*Cut: lines {}-19 are left out.*\n\n", last + 1)));
        assert!(!Piece::beginning(&candidate, whole, 1).expect("all lines fit").is_cut);
        assert!(Piece::beginning(&candidate, 10, 1).is_none());
    }

    #[test]
    fn a_cut_prefers_to_stand_before_a_definition() {
        let mut candidate = ten_lines();
        let whole = Piece::whole(&candidate).tokens();
        let lines = |candidate: &Candidate| Piece::beginning(candidate, whole - 1, 1).map(|piece| piece.lines);
        let plain = lines(&candidate).expect("most lines fit");
        assert!(plain >= 7, "{plain}");
        candidate.symbol_starts = vec![11, 15, 19, 1, u32::MAX];
        assert_eq!(lines(&candidate), Some(5));
        candidate.symbol_starts = vec![11];
        assert_eq!(lines(&candidate), Some(plain));
    }

    proptest! {
        #[test]
        fn tokens_of_blocks_add_up(texts in proptest::collection::vec("[a-z` \né🙂\r]{0,40}", 0..6)) {
            let candidates: Vec<Candidate> = texts.into_iter().map(|text| Candidate { text, ..ten_lines() }).collect();
            let pieces: Vec<Piece<'_>> = candidates.iter().map(Piece::whole).collect();
            let mut all = format!("{TITLE}{SOURCES}");
            let mut sum = model_tokens(all.as_bytes());
            for (number, piece) in (1..).zip(&pieces) {
                all += &piece.block(number);
                sum += piece.tokens();
            }
            prop_assert_eq!(model_tokens(all.as_bytes()), sum);
        }

        #[test]
        fn a_cut_never_costs_more_than_it_may(
            text in "[a-z` \né🙂]{0,200}", tokens in 0_u32..120, start_line in 0_u32..1_000_000_000,
        ) {
            let candidate = Candidate { text, start_line, end_line: u32::MAX, ..ten_lines() };
            if let Some(piece) = Piece::beginning(&candidate, tokens, 1) {
                prop_assert!(piece.tokens() <= tokens);
                prop_assert!(candidate.text.starts_with(piece.text()));
            }
        }
    }
}
