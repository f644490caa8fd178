//! Memories and their code: which places a text names, and what has become of these places in a view.

mod binding;
mod definition;
mod items;
mod mention;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use binding::file_called;
pub use binding::{AmbiguousName, BindRequest, ambiguous_names, bind_code, may_name_code};
pub(crate) use definition::enclosing_symbol;
pub use items::{AbsentCode, MemoriesInView, memories_in_view};
pub use state::code_states;

/// `text` on one line of at most `most` characters, without characters that a terminal would obey: control characters
/// and marks that change the writing direction.
pub(crate) fn plain_line(text: &str, most: usize) -> String {
    let is_hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let spaced: String = text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect();
    let plain: String = spaced.chars().filter(|letter| !is_hidden(*letter)).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().nth(most) {
        None => line,
        Some(_) => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}
