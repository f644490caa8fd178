//! Packs under all kinds of budgets, with and without pins.

use std::collections::BTreeSet;

use icr_engine::{Moment, PackMode, PackRequest, PackRules, Pin, PinRank, Snapshot};
use icr_fixture::Fixture;

use crate::asking::{World, pack, snapshot, text};

/// Rank of a pin with the default priority.
fn rank(pinned_at: i64) -> PinRank {
    PinRank { priority: 5, pinned_at: Moment(pinned_at) }
}

#[test]
fn no_pack_is_over_its_budget() {
    let world = World::new();
    let snapshot = world.snapshot();
    for question in ["where is a parcel tracked", "Backoff::delay", "message format shared between services"] {
        for mode in [PackMode::Pack, PackMode::Rlm] {
            let mut used = Vec::new();
            for budget_tokens in (0..64).chain((64..4_000).step_by(173)).chain([12_000, 32_000, u32::MAX]) {
                let request = PackRequest { budget_tokens, mode, ..PackRequest::new(question) };
                used.push(pack(&snapshot, &request).metadata.tokens_used);
            }
            assert_eq!(used[0], 0);
            assert!(used.last() > used.get(70), "a larger budget holds more: {used:?}");
        }
    }
}

#[test]
fn a_definition_is_packed_whole_with_its_comment() {
    let world = World::new();
    let snapshot = world.snapshot();
    let answer = pack(&snapshot, &PackRequest { mode: PackMode::Pack, ..PackRequest::new("Backoff::delay") });
    let first = &answer.sources[0];
    assert_eq!(first.path, "core/src/retry.rs");
    let shown = text(&snapshot, &first.path, first.start_line, first.end_line);
    assert!(shown.contains("fn delay"), "{shown}");
    assert!(shown.trim_start().starts_with("//"), "{shown}");
    assert_eq!(shown.matches('{').count(), shown.matches('}').count(), "{shown}");
}

#[test]
fn filters_and_the_number_of_sources_are_kept() {
    let world = World::new();
    let snapshot = world.snapshot();
    let request = |k, language: Option<&str>, prefix: Option<&str>| PackRequest {
        k,
        language: language.map(str::to_owned),
        path_prefix: prefix.map(str::to_owned),
        ..PackRequest::new("how is a parcel tracked")
    };
    for mode in [PackMode::Pack, PackMode::Rlm] {
        let answer = pack(&snapshot, &PackRequest { mode, ..request(5, Some("go"), None) });
        assert!(!answer.sources.is_empty() && answer.sources.iter().all(|source| source.path.ends_with(".go")));
        let answer = pack(&snapshot, &PackRequest { mode, ..request(5, None, Some("web")) });
        assert!(!answer.sources.is_empty() && answer.sources.iter().all(|source| source.path.starts_with("web/")));
        let named = answer.sources.iter().map(|source| &source.path);
        let mut files: Vec<&String> = named.chain(answer.omitted.iter().map(|omission| &omission.path)).collect();
        files.sort();
        files.dedup();
        assert!(files.len() <= 5, "{files:?}");
        let answer = pack(&snapshot, &PackRequest { mode, ..request(30, None, None) });
        assert!(answer.metadata.sources_considered >= 30, "{:?}", answer.metadata);
    }
}

/// A repository of `files` files of some 1,000 tokens each, and a pin of each.
fn pinned(files: u32) -> (Fixture, Vec<Pin>) {
    let fixture = Fixture::empty();
    let pin = |at: u32| {
        let lines: String = (0..100).map(|line| format!("let wave{at}x{line} = tide({line}, {at});\n")).collect();
        let path = format!("src/pin{at:02}.rs");
        fixture.write_bytes(&path, format!("fn wave{at}() {{\n{lines}}}\n").as_bytes());
        Pin { path, start_line: 1, end_line: 102, rank: rank(1_000 + i64::from(at)) }
    };
    let pins = (0..files).map(pin).collect();
    fixture.commit("first");
    (fixture, pins)
}

#[test]
fn many_large_pins_have_half_of_the_budget() {
    let (fixture, pins) = pinned(30);
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let request = PackRequest { pins, ..PackRequest::new("tide") };
    let answer = pack(&snapshot, &request);
    let pin_tokens: u32 =
        answer.sources.iter().filter(|source| source.is_pinned).map(|source| source.token_count).sum();
    assert!((1..=2_000).contains(&pin_tokens), "{pin_tokens}");
    assert_eq!(answer.sources[0].path, "src/pin29.rs", "the newest stands first");
    // A pin that is too long may be shown in part; the rest is only named.
    let pinned = answer.sources.iter().filter(|source| source.is_pinned);
    let placed: BTreeSet<&String> = pinned.map(|source| &source.path).collect();
    let left_out = answer.omitted.iter().filter(|omission| omission.is_pinned).map(|omission| &omission.path);
    assert_eq!(
        placed.iter().copied().chain(left_out).collect::<BTreeSet<_>>().len(),
        30,
        "every pin is placed or named"
    );

    let only = pack(&snapshot, &PackRequest { pinned_only: true, ..request });
    assert!(
        only.sources.iter().all(|source| source.is_pinned) && only.sources.len() > placed.len(),
        "{:?}",
        only.citations
    );
}

#[test]
fn a_pin_stands_in_the_pack_whatever_is_asked() {
    let world = World::new();
    let snapshot = world.snapshot();
    let pins = vec![Pin { path: "core/src/geo.rs".to_owned(), start_line: 2, end_line: 6, rank: rank(7) }];
    let answer = pack(&snapshot, &PackRequest { pins, ..PackRequest::new("daily request allowance per carrier") });
    let pin = &answer.sources[0];
    assert_eq!((pin.path.as_str(), pin.start_line, pin.end_line, pin.is_pinned), ("core/src/geo.rs", 2, 6, true));
}

#[test]
fn pins_of_what_is_gone_are_named() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- .env\nKEY=1\n");
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let pin = |path: &str, start_line, end_line| Pin { path: path.to_owned(), start_line, end_line, rank: rank(1) };
    let pins = vec![
        pin("gone.rs", 1, 1),
        pin("a.rs", 5, 9),
        pin("a.rs", 0, 0),
        pin("a.rs", 2, 1),
        pin(".env", 1, 1),
        pin("a.rs", 1, 99),
    ];
    let answer = pack(&snapshot, &PackRequest { pins, pinned_only: true, ..PackRequest::new("anything") });
    assert_eq!(answer.sources.iter().map(|source| source.end_line).collect::<Vec<_>>(), [1]);
    assert_eq!(
        answer.warnings,
        [
            "a pin is left out: `gone.rs` is not in the view of the worktree on `main`",
            "a pin is left out: `a.rs` has no line 5: it has 1",
            "a pin is left out: lines of `a.rs` are counted from 1, not from 0",
            "2 more pins are left out, which this view does not have",
        ]
    );
}

#[track_caller]
fn check_refused(snapshot: &Snapshot, request: &PackRequest, expected: &str) {
    assert_eq!(
        icr_engine::pack(snapshot, request).map(drop).map_err(|error| error.to_string()),
        Err(expected.to_owned())
    );
}

#[test]
fn requests_out_of_bounds_are_refused() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let home = icr_tests::empty_home();
    let snapshot = &snapshot(&icr_tests::engine(fixture.root(), home.path()));
    check_refused(snapshot, &PackRequest::new(""), "the prompt must be 1 to 10000 characters, not `0 characters`");
    let long = "é".repeat(10_001);
    check_refused(
        snapshot,
        &PackRequest::new(long),
        "the prompt must be 1 to 10000 characters, not `10001 characters`",
    );
    let none = PackRequest { k: 0, ..PackRequest::new("anchor") };
    check_refused(snapshot, &none, "the number of files must be 1 to 50 files, not `0 files`");
    let many = PackRequest { k: 51, ..PackRequest::new("anchor") };
    check_refused(snapshot, &many, "the number of files must be 1 to 50 files, not `51 files`");
    let focus = PackRequest { focus: vec![String::new(); 101], ..PackRequest::new("anchor") };
    check_refused(snapshot, &focus, "the focus must be 0 to 100 paths, not `101 paths`");
    // Odd values in a configuration give odd packs but no failure.
    for number in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let rules = PackRules {
            entropy_threshold: Some(number),
            temperature_factor: number,
            mmr_lambda: number,
            gate_candidates: 0,
            ..PackRules::default()
        };
        pack(snapshot, &PackRequest { rules, ..PackRequest::new("anchor") });
    }
}
