//! Limits the size of answers: lists lose their last items, texts their last lines, and the answer has a notice of each
//! cut.

use icr_tokens::model_tokens;
use serde_json::Value;

/// Shortest text that is cut, in bytes: cutting a shorter one gains nothing.
const CUT_BYTES: usize = 64;

/// Bytes for each allowed token above which an answer is cut by its length, before its tokens are counted. Counting a
/// megabyte of one letter takes a second, and answers have about four bytes for each token.
const COUNTED_BYTES: usize = 12;

/// A cut in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerTruncation {
    /// Path of the cut value: `results`, `graph.edges`; empty for the whole answer.
    pub(crate) place: String,
    /// Items, or bytes of a text, that are left.
    pub(crate) shown: usize,
    /// Items or bytes before the cut.
    pub(crate) total: usize,
}

impl AnswerTruncation {
    /// The notice of the cut.
    pub(crate) fn text(&self) -> String {
        format!("`{}` shows {} of {}", self.place, self.shown, self.total)
    }
}

/// Model tokens of `value` as compact JSON.
pub(crate) fn tokens_of(value: &Value) -> u32 {
    model_tokens(value.to_string().as_bytes())
}

/// Cuts `value` to at most `most` model tokens. Repeatedly cuts the end of the list that takes most room, and the
/// longest text if no list is left. Returns the cuts, one for each place.
///
/// Cost: a pass over the value for each cut.
pub(crate) fn shrink(value: &mut Value, most: u32) -> Vec<AnswerTruncation> {
    let mut cuts: Vec<AnswerTruncation> = Vec::new();
    let room = most as usize * COUNTED_BYTES;
    while value.to_string().len() > room {
        let cut = match longest(value, String::new()) {
            Some((place, pointer, bytes)) if bytes > room / 2 => {
                let excess = u32::try_from(bytes - room / 2).unwrap_or(u32::MAX);
                shorten_text(value, &pointer, place, excess)
            }
            _ => largest_list(value, String::new()).and_then(|list| halve_list(value, &list.pointer, list.place)),
        };
        // The rest has many fields; its tokens are counted.
        let Some(cut) = cut else { break };
        note(&mut cuts, cut);
    }
    loop {
        let tokens = tokens_of(value);
        if tokens <= most {
            return cuts;
        }
        let excess = tokens - most;
        let cut = match largest_list(value, String::new()) {
            Some(LargestList { place, pointer, .. }) => shorten_list(value, &pointer, place, excess),
            None => match longest(value, String::new()) {
                Some((place, pointer, _)) => shorten_text(value, &pointer, place, excess),
                None => None,
            },
        };
        let Some(cut) = cut else {
            // Only names are left. An answer that reports the cut is better than none.
            *value = Value::Object(serde_json::Map::new());
            cuts.push(AnswerTruncation { place: String::new(), shown: 0, total: 1 });
            return cuts;
        };
        note(&mut cuts, cut);
    }
}

/// Adds `cut` to the list, which has one entry for each place.
fn note(cuts: &mut Vec<AnswerTruncation>, cut: AnswerTruncation) {
    match cuts.iter_mut().find(|known| known.place == cut.place) {
        Some(known) => known.shown = cut.shown,
        None => cuts.push(cut),
    }
}

/// `text` cut after a whole line to at most `most` model tokens, the lines that remain, and the lines before. If the
/// first line alone is longer, it is cut inside of the line.
pub(crate) fn cut_lines(text: &str, most: u32) -> (&str, usize, usize) {
    let total = text.lines().count();
    let mut end = 0;
    let mut spent: u32 = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let is_counted = line.len() <= most as usize * COUNTED_BYTES;
        let tokens = if is_counted { model_tokens(line.as_bytes()) } else { u32::MAX };
        if spent.saturating_add(tokens) > most {
            if at > 0 {
                return (&text[..end], at, total);
            }
            // Each byte is at most one model token.
            let bytes = line.floor_char_boundary(most as usize);
            return (&line[..bytes], 1, total);
        }
        spent += tokens;
        end += line.len();
    }
    (text, total, total)
}

struct LargestList {
    place: String,
    pointer: String,
    bytes: usize,
}

/// The list with more than one item that takes most room; among equal ones, the outermost.
fn largest_list(value: &Value, place: String) -> Option<LargestList> {
    heaviest_in(value, place, String::new())
}

fn heaviest_in(value: &Value, place: String, pointer: String) -> Option<LargestList> {
    let own = match value {
        Value::Array(items) if items.len() > 1 => {
            Some(LargestList { place: place.clone(), pointer: pointer.clone(), bytes: value.to_string().len() })
        }
        _ => None,
    };
    if own.is_some() {
        // Nested lists take less room.
        return own;
    }
    children(value)
        .filter_map(|(name, step, child)| heaviest_in(child, dotted_path(&place, &name), format!("{pointer}/{step}")))
        .max_by(|one, other| one.bytes.cmp(&other.bytes).then_with(|| other.place.cmp(&one.place)))
}

/// The longest text that can be cut: its place, its pointer and its bytes.
fn longest(value: &Value, place: String) -> Option<(String, String, usize)> {
    longest_in(value, place, String::new())
}

fn longest_in(value: &Value, place: String, pointer: String) -> Option<(String, String, usize)> {
    if let Value::String(text) = value {
        return (text.len() > CUT_BYTES).then_some((place, pointer, text.len()));
    }
    children(value)
        .filter_map(|(name, step, child)| longest_in(child, dotted_path(&place, &name), format!("{pointer}/{step}")))
        .max_by(|one, other| one.2.cmp(&other.2).then_with(|| other.0.cmp(&one.0)))
}

/// The children of `value`, each with its name for people and its JSON pointer step.
fn children(value: &Value) -> Box<dyn Iterator<Item = (String, String, &Value)> + '_> {
    match value {
        Value::Object(object) => Box::new(
            object.iter().map(|(name, child)| (name.clone(), name.replace('~', "~0").replace('/', "~1"), child)),
        ),
        Value::Array(items) => {
            Box::new(items.iter().enumerate().map(|(at, child)| (String::new(), at.to_string(), child)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

fn dotted_path(place: &str, name: &str) -> String {
    match (place, name) {
        ("", name) => name.to_owned(),
        (place, "") => place.to_owned(),
        (place, name) => format!("{place}.{name}"),
    }
}

fn shorten_list(value: &mut Value, pointer: &str, place: String, excess: u32) -> Option<AnswerTruncation> {
    let items = value.pointer_mut(pointer)?.as_array_mut()?;
    let total = items.len();
    let mut gained = 0;
    while items.len() > 1 && gained < excess {
        // With the comma before it.
        gained += items.pop().map_or(0, |item| tokens_of(&item) + 1);
    }
    Some(AnswerTruncation { place, shown: items.len(), total })
}

fn halve_list(value: &mut Value, pointer: &str, place: String) -> Option<AnswerTruncation> {
    let items = value.pointer_mut(pointer)?.as_array_mut()?;
    let total = items.len();
    items.truncate(total.div_ceil(2));
    Some(AnswerTruncation { place, shown: items.len(), total })
}

fn shorten_text(value: &mut Value, pointer: &str, place: String, excess: u32) -> Option<AnswerTruncation> {
    let text = value.pointer_mut(pointer)?;
    let whole = text.as_str()?.to_owned();
    // A model token is six bytes at most; half is cut where that is more, so that few rounds are needed.
    let kept = whole.len().saturating_sub((excess as usize).max(whole.len() / 2)).max(CUT_BYTES / 2);
    let kept = whole.floor_char_boundary(kept.min(whole.len() - 1));
    *text = Value::String(format!("{}…", &whole[..kept]));
    Some(AnswerTruncation { place, shown: kept, total: whole.len() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_heaviest_list_loses_its_last_items() {
        let mut value = json!({"a": ["one", "two"], "b": {"c": (0..100).collect::<Vec<_>>()}});
        let cuts = shrink(&mut value, 60);
        assert_eq!(cuts.iter().map(AnswerTruncation::text).collect::<Vec<_>>(), ["`b.c` shows 23 of 100"]);
        assert_eq!(value["a"], json!(["one", "two"]));
        assert_eq!(value["b"]["c"][0], json!(0));
    }

    #[test]
    fn what_is_far_too_long_is_cut_before_it_is_counted() {
        let long = "x".repeat(64 << 20);
        let mut value = json!({"a": [long], "b": vec!["y".repeat(1_000); 20_000]});
        let cuts = shrink(&mut value, 1_000);
        assert!(tokens_of(&value) <= 1_000);
        assert_eq!(cuts.iter().map(|cut| cut.total).collect::<Vec<_>>(), [64 << 20, 20_000]);
    }

    #[test]
    fn what_is_small_stays_as_it_is() {
        let mut value = json!({"a": [1, 2, 3]});
        assert_eq!(shrink(&mut value, 100), []);
        assert_eq!(value, json!({"a": [1, 2, 3]}));
    }

    #[test]
    fn texts_are_cut_after_whole_lines() {
        assert_eq!(cut_lines("one two\nthree\nfour\n", 5), ("one two\nthree\n", 2, 3));
        assert_eq!(cut_lines("one\n", 5), ("one\n", 1, 1));
        assert_eq!(cut_lines("ééééé", 3), ("é", 1, 1));
        assert_eq!(cut_lines("", 3), ("", 0, 0));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[a-z ./\"\\\\é\n]{0,300}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 200, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
                prop::collection::btree_map("[a-z/~]{0,9}", inner, 0..9)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_allowed(mut value in any_value(), most in 2..400_u32) {
            shrink(&mut value, most);
            prop_assert!(tokens_of(&value) <= most, "{} of {most}: {value}", tokens_of(&value));
        }

        #[test]
        fn no_text_is_longer_than_allowed(text in "[a-zé \n.]{0,400}", most in 0..100_u32) {
            let (cut, shown, total) = cut_lines(&text, most);
            prop_assert!(model_tokens(cut.as_bytes()) <= most);
            prop_assert!(text.starts_with(cut) && shown <= total.max(1));
        }
    }
}
