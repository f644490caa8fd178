//! Comments that a compiler or interpreter obeys.

use icr_model::Span;

use super::vocabulary::shape_grammar;
use crate::table::LanguageRow;

/// Those of `comments` that count as code in a text of `row`, in order. `comments` are in order, and `code_start` is the
/// first byte of the first token outside of them.
pub(super) fn directives(row: &'static LanguageRow, text: &[u8], comments: &[Span], code_start: u32) -> Vec<Span> {
    let shapes = shape_grammar(row);
    let mut directives = Vec::new();
    // Where the code begins that the comments before it belong to.
    let mut next_obeyed: Option<u32> = None;
    for comment in comments.iter().rev() {
        let written = comment.of(text).trim_ascii();
        let matches = |expression: &Option<regex::bytes::Regex>| {
            expression.as_ref().is_some_and(|expression| expression.is_match(written))
        };
        let is_shebang = comment.start == 0 && written.starts_with(b"#!");
        let is_before = !row.directives.before.is_empty() && {
            let next = next_obeyed.filter(|next| comment.end <= *next);
            let between = next.map(|next| Span::new(comment.end, next).of(text));
            let joins = between.is_some_and(|between| between.trim_ascii().is_empty() && newlines(between) < 2);
            joins || begins_with_line(&text[comment.end as usize..], row.directives.before)
        };
        if is_before {
            next_obeyed = Some(comment.start);
        }
        let is_leading = comment.start < code_start && matches(&shapes.leading_directive);
        if is_shebang || is_before || is_leading || matches(&shapes.directive) {
            directives.push(*comment);
        }
    }
    directives.reverse();
    directives
}

/// Whether one of `lines` is the rest of this line or, if that is empty, the next line.
fn begins_with_line(behind: &[u8], lines: &[&str]) -> bool {
    let code = behind.trim_ascii_start();
    let white = &behind[..behind.len() - code.len()];
    let line = code.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    newlines(white) < 2 && lines.iter().any(|wanted| wanted.as_bytes() == line)
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}
