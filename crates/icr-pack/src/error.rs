//! Errors that callers cause.

/// Longest excerpt of a refused value that is shown, in characters.
const SHOWN_CHARACTERS: usize = 80;

/// A request that cannot be answered as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A value outside what is allowed.
    #[error("`{field}` is {value}; allowed: {allowed}")]
    Invalid {
        /// Name of the field as callers write it, such as `params.pattern`.
        field: String,
        /// What would be right, in words.
        allowed: String,
        /// The value, cut where it is long.
        value: String,
    },
    /// The time for the answer is over.
    #[error("the time limit for the answer has passed")]
    OutOfTime,
}

impl Error {
    pub(crate) fn invalid(field: impl Into<String>, allowed: impl Into<String>, value: impl ToString) -> Self {
        Self::Invalid { field: field.into(), allowed: allowed.into(), value: value_excerpt(&value.to_string()) }
    }
}

/// Fails unless `count` lies in `least..=most`; `unit` says what is counted.
pub(crate) fn in_bounds(field: &str, unit: &str, count: usize, least: usize, most: usize) -> Result<(), Error> {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    let allowed = if unit.is_empty() { format!("{least} to {most}") } else { format!("{least} to {most} {unit}") };
    let value = if unit.is_empty() { count.to_string() } else { format!("{count} {unit}") };
    Err(Error::invalid(field, allowed, value))
}

fn value_excerpt(value: &str) -> String {
    let mut cut: String = value.chars().take(SHOWN_CHARACTERS).collect();
    if cut.len() < value.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_what_was_wrong_and_what_would_be_right() {
        assert_eq!(in_bounds("limit", "", 201, 1, 200).unwrap_err().to_string(), "`limit` is 201; allowed: 1 to 200");
        assert_eq!(
            in_bounds("inputs", "strings", 0, 1, 200).unwrap_err().to_string(),
            "`inputs` is 0 strings; allowed: 1 to 200 strings",
        );
        assert_eq!(in_bounds("limit", "", 200, 1, 200), Ok(()));
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        let error = Error::invalid("a", "b", "é".repeat(81));
        assert_eq!(error.to_string(), format!("`a` is {}…; allowed: b", "é".repeat(80)));
    }
}
