//! From text to a [`Gate`].

use super::super::visible_text::clip_visible;
use super::super::words::{format_name_list, or_listed, suggestions};
use super::Gate;
use super::condition::{Comparison, Condition, MEASURES, MeasureBound, Numbers, UNKNOWN, WORDS};
use crate::contract::ContractChangeClass;

/// Why a text is no [`Gate`]. Positions are characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// An unknown condition.
    #[error("no condition is called `{}` (at {at}); {}", clip_visible(.word), right(.near, &all_names()))]
    UnknownCondition {
        /// Where it begins.
        at: usize,
        /// The unknown text.
        word: String,
        /// Up to three conditions with a similar spelling.
        near: Vec<String>,
    },
    /// An unknown class of changes.
    #[error("no class of changes is called `{}` (at {at}); {}", clip_visible(.word), right(.near, &classes()))]
    UnknownClass {
        /// Where it begins.
        at: usize,
        /// The unknown text.
        word: String,
        /// Up to three classes with a similar spelling.
        near: Vec<String>,
    },
    /// Something that a measure cannot be compared with.
    #[error("`{measure}` is not compared with `{}` (at {at}); {takes}", clip_visible(.word))]
    UnknownValue {
        /// The measure.
        measure: &'static str,
        /// Where the value begins.
        at: usize,
        /// The value.
        word: String,
        /// What would be right, in words.
        takes: String,
    },
    /// An unknown comparison operator.
    #[error("`<` is not supported (at {at}): a run fails when a value is too high; use `>=`")]
    LessThan {
        /// Where it begins.
        at: usize,
    },
    /// `none` among other conditions.
    #[error("`none` cannot be combined with other conditions (at {at})")]
    NoneCombined {
        /// Where it begins.
        at: usize,
    },
    /// A syntax error.
    #[error("{wanted} is expected at {at}, not {found}")]
    Misplaced {
        /// Where.
        at: usize,
        /// The text at this position, in words.
        found: String,
        /// What would be right, in words.
        wanted: String,
    },
}

/// Reads conditions. `,` and `or` join alternatives, `and` binds tighter; `none`, alone, never fails. A condition is a
/// row of [`WORDS`], a row of [`MEASURES`] with `>=`, `>` or `=` and a value, or `contract:` and a class of changes.
///
/// # Errors
///
/// [`GateError`] when something is not known or not in its place.
pub fn parse(text: &str) -> Result<Gate, GateError> {
    let mut tokens = Tokens { all: tokens(text)?, next: 0, end: text.chars().count() + 1 };
    if let [(_, GateToken::Word("none"))] = tokens.all.as_slice() {
        return Ok(Gate { any: Vec::new() });
    }
    let mut any = vec![vec![condition(&mut tokens)?]];
    while let Some((at, token)) = tokens.take() {
        match token {
            GateToken::Comma | GateToken::Word("or") => any.push(vec![condition(&mut tokens)?]),
            GateToken::Word("and") => {
                let condition = condition(&mut tokens)?;
                any.last_mut().expect("there is a row from the start").push(condition);
            }
            token => return Err(unexpected_token(at, Some(token), "`,`, `or` or `and`")),
        }
    }
    Ok(Gate { any })
}

/// Pieces of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum GateToken<'a> {
    Word(&'a str),
    Sign(Comparison),
    Comma,
}

struct Tokens<'a> {
    all: Vec<(usize, GateToken<'a>)>,
    next: usize,
    /// Position after the last character.
    end: usize,
}

impl<'a> Tokens<'a> {
    fn take(&mut self) -> Option<(usize, GateToken<'a>)> {
        let token = self.all.get(self.next).copied();
        self.next += usize::from(token.is_some());
        token
    }

    /// The comparison operator at this position, if there is one.
    fn sign(&mut self) -> Option<Comparison> {
        let Some((_, GateToken::Sign(sign))) = self.all.get(self.next) else { return None };
        self.next += 1;
        Some(*sign)
    }

    fn word(&mut self, wanted: &str) -> Result<(usize, &'a str), GateError> {
        match self.take() {
            Some((at, GateToken::Word(word))) => Ok((at, word)),
            Some((at, token)) => Err(unexpected_token(at, Some(token), wanted)),
            None => Err(unexpected_token(self.end, None, wanted)),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<(usize, GateToken<'_>)>, GateError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut at = 1;
    while let Some(character) = rest.chars().next() {
        let (length, token) = match character {
            _ if character.is_whitespace() => (character.len_utf8(), None),
            ',' => (1, Some(GateToken::Comma)),
            '>' if rest.starts_with(">=") => (2, Some(GateToken::Sign(Comparison::AtLeast))),
            '>' => (1, Some(GateToken::Sign(Comparison::MoreThan))),
            '=' if rest.starts_with("==") => (2, Some(GateToken::Sign(Comparison::Equal))),
            '=' => (1, Some(GateToken::Sign(Comparison::Equal))),
            '<' => return Err(GateError::LessThan { at }),
            _ => {
                let ends = |character: char| character.is_whitespace() || ",<>=".contains(character);
                let length = rest.find(ends).unwrap_or(rest.len());
                (length, Some(GateToken::Word(&rest[..length])))
            }
        };
        tokens.extend(token.map(|token| (at, token)));
        at += rest[..length].chars().count();
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Names of all classes of changes of contracts.
fn classes() -> Vec<&'static str> {
    ContractChangeClass::all().map(ContractChangeClass::name).collect()
}

fn condition(tokens: &mut Tokens<'_>) -> Result<Condition, GateError> {
    let (at, word) = tokens.word("a condition")?;
    if let Some(class) = word.strip_prefix("contract:") {
        let known = classes().into_iter().find(|known| *known == class);
        let at = at + "contract:".len();
        return known.map(Condition::Contract).ok_or_else(|| GateError::UnknownClass {
            at,
            word: class.to_owned(),
            near: into_strings(suggestions(class, classes())),
        });
    }
    let measure = MEASURES.iter().position(|measure| measure.name == word);
    let plain = WORDS.iter().position(|known| known.name == word);
    match (tokens.sign(), measure, plain) {
        (Some(sign), Some(measure), _) => parse_comparison(tokens, measure, sign),
        (None, _, Some(plain)) => Ok(Condition::Word(plain)),
        (Some(sign), None, Some(_)) => {
            let found = format!("`{}` after `{word}`, which is met or not", sign.sign());
            Err(unexpected(at + word.chars().count(), &found, "`,`, `or` or `and`"))
        }
        (None, Some(_), None) => {
            let found = format!("`{word}` alone");
            Err(unexpected(at, &found, "a comparison such as `dependents>20` or `risk>=high`"))
        }
        (_, None, None) if word == "none" => Err(GateError::NoneCombined { at }),
        (_, None, None) if ["and", "or"].contains(&word) => Err(unexpected(at, &format!("`{word}`"), "a condition")),
        (_, None, None) => Err(GateError::UnknownCondition {
            at,
            word: word.to_owned(),
            near: into_strings(suggestions(word, all_names())),
        }),
    }
}

fn parse_comparison(tokens: &mut Tokens<'_>, at_row: usize, sign: Comparison) -> Result<Condition, GateError> {
    let measure = &MEASURES[at_row];
    let (at, word) = tokens.word(&format!("a value of `{}`", measure.name))?;
    // Above a risk that is not known there is nothing, and everything may be at least that.
    let is_compared = sign == Comparison::Equal || measure.steps.last() != Some(&UNKNOWN);
    let steps: Vec<&str> = measure.steps.iter().copied().filter(|step| is_compared || *step != UNKNOWN).collect();
    let step = steps.iter().position(|step| *step == word).map(MeasureBound::Step);
    let number = number(word, measure.numbers).map(MeasureBound::Number);
    let bound = step.or(number).ok_or_else(|| {
        let near = suggestions(word, steps.iter().copied());
        let takes = if near.is_empty() {
            values(measure.numbers, &steps)
        } else {
            format!("did you mean {}?", or_listed(&near))
        };
        GateError::UnknownValue { measure: measure.name, at, word: word.to_owned(), takes }
    })?;
    Ok(Condition::Compared(at_row, sign, bound))
}

fn number(word: &str, numbers: Numbers) -> Option<f64> {
    match numbers {
        Numbers::No => None,
        Numbers::Counts => word.parse::<u32>().ok().map(f64::from),
        Numbers::Shares => word.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number)),
    }
}

/// Everything that a measure takes.
fn values(numbers: Numbers, steps: &[&str]) -> String {
    match numbers {
        Numbers::No => format!("it takes {}", or_listed(steps)),
        Numbers::Counts => "it takes a whole number".to_owned(),
        Numbers::Shares if steps.is_empty() => "it takes a number from 0 to 1".to_owned(),
        Numbers::Shares => format!("it takes {}, or a number from 0 to 1", or_listed(steps)),
    }
}

fn all_names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        WORDS.iter().map(|word| word.name).chain(MEASURES.iter().map(|measure| measure.name)).collect();
    names.extend(["contract:", "none"]);
    names.sort_unstable();
    names.dedup();
    names
}

fn into_strings(words: Vec<&str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

fn unexpected_token(at: usize, found: Option<GateToken<'_>>, wanted: &str) -> GateError {
    let found = match found {
        Some(GateToken::Word(word)) => format!("`{}`", clip_visible(word)),
        Some(GateToken::Sign(sign)) => format!("`{}`", sign.sign()),
        Some(GateToken::Comma) => "`,`".to_owned(),
        None => "the end".to_owned(),
    };
    unexpected(at, &found, wanted)
}

fn unexpected(at: usize, found: &str, wanted: &str) -> GateError {
    GateError::Misplaced { at, found: found.to_owned(), wanted: wanted.to_owned() }
}

/// The names that were probably meant, else all.
fn right(near: &[String], all: &[&str]) -> String {
    if near.is_empty() {
        return format!("there are {}", format_name_list(all.iter().copied(), all.len() as u64, all.len()));
    }
    format!("did you mean {}?", or_listed(&near.iter().map(String::as_str).collect::<Vec<_>>()))
}
