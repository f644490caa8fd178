use proptest::prelude::*;

use super::*;
use crate::transfer::testing::{archives, plain_memory};

fn joined(mut a: Archive, b: &Archive) -> Archive {
    a.join(b.clone());
    a
}

proptest! {
    #[test]
    fn it_does_not_matter_who_joins_what_first_or_twice(a in archives(), b in archives(), c in archives()) {
        prop_assert_eq!(joined(a.clone(), &a), a.clone());
        prop_assert_eq!(joined(a.clone(), &b), joined(b.clone(), &a));
        prop_assert_eq!(joined(joined(a.clone(), &b), &c), joined(a, &joined(b, &c)));
    }
}

#[test]
fn the_later_text_holds_and_the_other_is_known() {
    let mut memory = plain_memory("old", 1);
    memory.join(plain_memory("new", 2));
    assert_eq!(memory.latest().0, "new");
    assert_eq!(memory.texts.keys().collect::<Vec<_>>(), ["new", "old"]);
    assert_eq!(memory.created_at, UnixMillis(1));
}

#[track_caller]
fn check_words(a: &[&str], b: &[&str], expected: &[&str]) {
    let of = |words: &[&str]| OrderedWords(words.iter().map(|word| (*word).to_owned()).collect());
    let mut words = of(a);
    words.join(of(b));
    assert_eq!(words, of(expected));
}

#[test]
fn words_keep_their_order_unless_sides_differ() {
    check_words(&["b", "a"], &["b", "a"], &["b", "a"]);
    check_words(&["b", "a"], &[], &["b", "a"]);
    check_words(&[], &["b", "a"], &["b", "a"]);
    check_words(&["b", "a"], &["c"], &["a", "b", "c"]);
}

#[test]
fn the_weight_that_is_heavier_at_any_later_time_holds() {
    let day = DAY_MS;
    let usage = |weight, at| Usage { access_count: 0, accessed_at: UnixMillis(0), weight, weight_at: UnixMillis(at) };
    let heavier = |mut a: Usage, b: Usage| {
        a.join(b);
        (a.weight, a.weight_at.0)
    };
    assert_eq!(
        heavier(usage(1.0, 0), usage(0.9, 10 * day)),
        (0.9, 10 * day),
        "0.9 then is more than what 1 has become"
    );
    assert_eq!(heavier(usage(1.0, 0), usage(0.5, 10 * day)), (1.0, 0));
    assert_eq!(heavier(usage(0.4, 5), usage(0.6, 5)), (0.6, 5));
}

#[test]
fn the_higher_count_of_accesses_holds() {
    let mut usage = Usage { access_count: 3, accessed_at: UnixMillis(9), weight: 1.0, weight_at: UnixMillis(0) };
    usage.join(Usage { access_count: 5, accessed_at: UnixMillis(2), weight: 1.0, weight_at: UnixMillis(0) });
    assert_eq!((usage.access_count, usage.accessed_at.0), (5, 9));
}

#[test]
fn a_forgetting_that_was_taken_back_gives_way_to_a_later_one() {
    let forgotten = |at, revoked| Tombstone { at: UnixMillis(at), revoked, seen: None };
    let latest = |mut a: Tombstone, b| {
        a.join(b);
        a
    };
    assert!(latest(forgotten(1, false), forgotten(1, true)).revoked);
    assert!(!latest(forgotten(1, true), forgotten(2, false)).revoked);
}
