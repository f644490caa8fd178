//! Conditional compilation. A grammar reads `#if` around whole statements and definitions only. If it stands in the
//! middle of one, the definition around it is lost, which may be a whole class. Then one branch is read alone, as a
//! compiler does.

use icr_model::Span;

use crate::table::{Preprocessor, language_row};

/// An outermost `#if` with all up to its `#endif`, and what a grammar must not see if it is to see one branch of it and of
/// each `#if` inside. Both lists are sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Conditional {
    /// All its lines.
    pub(crate) whole: Span,
    /// The lines with conditions.
    pub(crate) conditions: Vec<Span>,
    /// The lines of the other branches, but for directives such as `#include`.
    pub(crate) unread: Vec<Span>,
}

impl Conditional {
    /// All lines that a grammar must not see.
    pub(crate) fn hidden(&self) -> impl Iterator<Item = Span> {
        self.conditions.iter().chain(&self.unread).copied()
    }
}

/// The outermost `#if`s of `text`, in order. The branch to read is the first one, or the one after `#if 0` and
/// `#if false`. Empty if `language` has no `#if`, if the text has none, or if they do not match their `#endif`. Costs one
/// look at each line.
pub(crate) fn conditionals(language: &str, text: &[u8]) -> Vec<Conditional> {
    if language_row(language).is_none_or(|row| row.preprocessor == Preprocessor::Absent) {
        return Vec::new();
    }
    read(text).unwrap_or_default()
}

fn read(text: &[u8]) -> Option<Vec<Conditional>> {
    let mut found: Vec<Conditional> = Vec::new();
    let mut open: Vec<OpenIf> = Vec::new();
    let (mut end, mut continued) = (0, None);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let span = Span::new(end, end + line.len() as u32);
        end = span.end;
        let content = line.trim_ascii();
        let directive = continued.or_else(|| Directive::of(content));
        continued = directive.filter(|_| content.ends_with(b"\\")).map(Directive::continued);
        match directive {
            Some(Directive::If { never }) => {
                if open.is_empty() {
                    found.push(Conditional { whole: span, ..Conditional::default() });
                }
                let around = open.last().is_none_or(|open| open.reads);
                open.push(OpenIf { around, reads: around && !never, has_read: !never });
            }
            Some(Directive::Else) => {
                let branch = open.last_mut()?;
                branch.reads = branch.around && !branch.has_read;
                branch.has_read = true;
            }
            Some(Directive::EndIf) => {
                open.pop()?;
            }
            Some(Directive::Rest | Directive::Other) | None => {}
        }
        let Some(conditional) = found.last_mut() else { continue };
        match directive {
            None if open.last().is_some_and(|open| !open.reads) => add(&mut conditional.unread, span),
            None | Some(Directive::Other) => {}
            Some(_) => add(&mut conditional.conditions, span),
        }
        if !open.is_empty() || matches!(directive, Some(Directive::EndIf | Directive::Rest)) {
            conditional.whole.end = span.end;
        }
    }
    open.is_empty().then_some(found)
}

/// An `#if` before its `#endif`.
struct OpenIf {
    /// Whether the lines around it are read.
    around: bool,
    /// Whether the current branch is read.
    reads: bool,
    /// Whether the current branch or one before it is read, where the lines around it are.
    has_read: bool,
}

/// What a line of the preprocessor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    /// `#if`, `#ifdef`, `#ifndef`; `never` after `#if 0` and `#if false`.
    If {
        never: bool,
    },
    /// `#else`, `#elif`, `#elifdef`, `#elifndef`.
    Else,
    EndIf,
    /// A line after the backslash of a condition.
    Rest,
    /// `#include`, `#define`, `#region` and all others.
    Other,
}

impl Directive {
    fn of(line: &[u8]) -> Option<Self> {
        let directive = line.strip_prefix(b"#")?.trim_ascii_start();
        let word_end = directive.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(directive.len());
        let (word, rest) = directive.split_at(word_end);
        Some(match word {
            b"if" => {
                let condition = rest.trim_ascii();
                Self::If { never: condition == b"0" || condition == b"false" }
            }
            b"ifdef" | b"ifndef" => Self::If { never: false },
            b"else" | b"elif" | b"elifdef" | b"elifndef" => Self::Else,
            b"endif" => Self::EndIf,
            _ => Self::Other,
        })
    }

    /// What the next line says if this one ends in a backslash.
    fn continued(self) -> Self {
        if self == Self::Other { Self::Other } else { Self::Rest }
    }
}

/// Adds `span` to spans that end before it.
fn add(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.end == span.start => last.end = span.end,
        _ => spans.push(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the hidden lines of `text`: `~` for each byte of a condition and `.` for each byte that is not read.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut shown = text.as_bytes().to_vec();
        for conditional in conditionals("csharp", text.as_bytes()) {
            for (spans, mark) in [(&conditional.conditions, b'~'), (&conditional.unread, b'.')] {
                for span in spans {
                    assert!(conditional.whole.contains(*span), "{conditional:?}");
                    let inside = &mut shown[span.start as usize..span.end as usize];
                    inside.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = mark);
                }
            }
        }
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }

    #[test]
    fn the_first_branch_is_read() {
        check("a\n#if X\nb\n#else\nc\n#endif\nd\n", "a\n~~~~~\nb\n~~~~~\n.\n~~~~~~\nd\n");
        check("#ifdef X\na\n#elif Y\nb\n# else\nc\n#endif", "~~~~~~~~\na\n~~~~~~~\n.\n~~~~~~\n.\n~~~~~~");
    }

    #[test]
    fn what_is_never_compiled_is_not_read() {
        check("#if 0\na\n#else\nb\n#endif\n", "~~~~~\n.\n~~~~~\nb\n~~~~~~\n");
        check("#if false\na\n#endif\n", "~~~~~~~~~\n.\n~~~~~~\n");
    }

    #[test]
    fn an_if_inside_a_branch_that_is_not_read_is_not_read() {
        check(
            "#if X\n#else\n#if Y\na\n#else\nb\n#endif\nc\n#endif\nd",
            "~~~~~\n~~~~~\n~~~~~\n.\n~~~~~\n.\n~~~~~~\n.\n~~~~~~\nd",
        );
    }

    #[test]
    fn other_directives_stay_and_a_condition_may_have_several_lines() {
        check(
            "#if X\n#else\n#include <a>\n#define B \\\n  b\na\n#endif",
            "~~~~~\n~~~~~\n#include <a>\n#define B \\\n  b\n.\n~~~~~~",
        );
        check("#if X && \\\n  Y\na\n#endif\n", "~~~~~~~~~~\n~~~\na\n~~~~~~\n");
    }

    #[test]
    fn each_outermost_if_is_one_of_its_own() {
        let found = conditionals("c", b"a\n#if X\n#if Y\n#endif\n#endif\nb\n#if Z\nc\n#endif\n");
        let whole: Vec<Span> = found.iter().map(|conditional| conditional.whole).collect();
        assert_eq!(whole, [Span::new(2, 28), Span::new(30, 45)]);
    }

    #[test]
    fn without_a_pair_of_if_and_endif_nothing_is_hidden() {
        for text in ["", "a\n", "#region A\n#endregion\n", "#if X\n", "#endif\n", "#else\n", "#if X\n#endif\n#endif\n"]
        {
            check(text, text);
        }
        assert_eq!(conditionals("python", b"#if X\n#endif\n"), []);
    }
}
