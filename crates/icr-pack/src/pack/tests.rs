use super::*;
use crate::candidate::PinRank;
use proptest::prelude::*;

fn candidate(path: &str, worth: f64, text: &str) -> PackCandidate {
    let lines = u32::try_from(text.lines().count()).expect("few lines").max(1);
    PackCandidate {
        blob: "0123abcd".into(),
        path: path.into(),
        start_line: 1,
        end_line: lines,
        language: "rust".into(),
        text: text.into(),
        worth,
        score: worth,
        ..PackCandidate::default()
    }
}

/// So many lines that no other name has, of seven or eight tokens each.
fn lines_of(name: &str, lines: usize) -> String {
    (0..lines).map(|line| format!("let {name}_{line} = {line};\n")).collect()
}

fn pinned(priority: u8, pinned_at: i64) -> Option<PinRank> {
    Some(PinRank { priority, pinned_at: icr_model::Moment(pinned_at) })
}

/// The same lines further down in their file.
fn from_line(start_line: u32, candidate: PackCandidate) -> PackCandidate {
    let end_line = candidate.end_line + start_line - 1;
    PackCandidate { start_line, end_line, ..candidate }
}

/// A pack as `path first-last`, then what was left out.
fn shown(request: &PackRequest, candidates: &[PackCandidate]) -> String {
    let pack = pack(request, candidates);
    let sources = pack.sources.iter().map(|source| {
        let cut = source.cut_from_end_line.map(|end| format!(" of {end}")).unwrap_or_default();
        format!("{} {}-{}{cut}\n", source.path, source.start_line, source.end_line)
    });
    let place = |omission: &Omission| format!("{} {}-{}", omission.path, omission.start_line, omission.end_line);
    let omitted = pack.omitted.iter().map(|omission| format!("- {} {:?}\n", place(omission), omission.reason));
    sources.chain(omitted).collect()
}

#[track_caller]
fn check(budget_tokens: u32, candidates: &[PackCandidate], expected: &str) {
    let request = PackRequest { budget_tokens, ..PackRequest::default() };
    assert_eq!(shown(&request, candidates), expected);
}

#[test]
fn a_pack_is_markdown_with_numbered_sources() {
    let mut first = candidate("src/auth/jwt.py", 0.92, "def validate_token(token):\n    return None\n");
    first.symbol = Some("validate_token".into());
    first.language = "python".into();
    let second = candidate("src/main.rs", 0.5, "fn main() {}");
    let pack = pack(&PackRequest::default(), &[second, first]);
    insta::assert_snapshot!(pack.pack_content, @r"
    # Context Pack

    ## Sources

    ### [1] src/auth/jwt.py:validate_token (lines 1-2)

    ```python
    def validate_token(token):
        return None
    ```

    ### [2] src/main.rs (lines 1-1)

    ```rust
    fn main() {}
    ```
    ");
    let shown = serde_json::to_value(&pack).expect("plain values");
    assert_eq!(shown["citations"][0]["ref"], 1);
    assert_eq!(shown["citations"][0]["path"], "src/auth/jwt.py");
    assert_eq!(shown["sources"][0]["id"], "0123abcd:1-2");
    assert_eq!(shown["sources"][0]["symbol"], "validate_token");
    assert_eq!(shown["sources"][1]["symbol"], serde_json::Value::Null);
    assert_eq!(shown["metadata"]["token_counter"], MODEL_TOKEN_COUNTER);
    assert_eq!(pack.metadata.tokens_used, tokens(&pack.pack_content));
    assert_eq!(pack.metadata.tokens_remaining + pack.metadata.tokens_used, 4_000);
}

#[test]
fn nothing_to_pack_is_a_pack() {
    let empty = |budget_tokens| pack(&PackRequest { budget_tokens, ..PackRequest::default() }, &[]).pack_content;
    assert_eq!(empty(4_000), "# Context Pack\n\n## Sources\n\nNo sources.\n");
    assert_eq!(empty(6), "# Context Pack\n");
    assert_eq!(empty(0), "");
}

#[test]
fn what_answers_nothing_is_said_to_be_nearest() {
    let request = PackRequest { strength: Strength::None, ..PackRequest::default() };
    let content = pack(&request, &[candidate("a.rs", 0.1, "fn a() {}\n")]).pack_content;
    let expected = "# Context Pack\n\nNothing found that answers this. Nearest:\n\n## Sources\n\n### [1] a.rs";
    assert!(content.starts_with(expected), "{content}");
}

#[test]
fn what_is_worth_most_is_taken_whatever_its_length() {
    let long = candidate("long.rs", 0.9, &lines_of("l", 60));
    let short: Vec<PackCandidate> =
        (0..6).map(|at| candidate(&format!("short{at}.rs"), 0.5, &lines_of(&format!("s{at}"), 8))).collect();
    let budget = pack(&PackRequest::default(), std::slice::from_ref(&long)).metadata.tokens_used;
    let all: Vec<PackCandidate> = short.into_iter().chain([long]).collect();
    assert!(
        shown(&PackRequest { budget_tokens: budget, ..PackRequest::default() }, &all).starts_with("long.rs 1-60\n- ")
    );
}

#[test]
fn neighbours_are_one_block_and_pay_one_heading() {
    let parts: Vec<PackCandidate> = [1, 11, 31]
        .map(|start| from_line(start, candidate("a.rs", 1.0 / f64::from(start), &lines_of(&format!("p{start}"), 10))))
        .to_vec();
    check(4_000, &parts, "a.rs 1-20\na.rs 31-40\n");
    let alone = |at: usize| pack(&PackRequest::default(), &parts[at..=at]).metadata.tokens_used;
    let both = pack(&PackRequest::default(), &parts[..2]).metadata.tokens_used;
    assert!(both + 20 < alone(0) + alone(1), "{both}, {} and {}", alone(0), alone(1));
    // The end of one line is the beginning of the next, whatever was chosen first.
    let turned: Vec<PackCandidate> =
        parts.iter().map(|part| PackCandidate { worth: f64::from(part.start_line), ..part.clone() }).collect();
    check(4_000, &turned, "a.rs 1-20\na.rs 31-40\n");
}

#[test]
fn files_stand_in_the_order_of_their_best_lines() {
    let all = [
        from_line(30, candidate("a.rs", 0.9, &lines_of("x", 9))),
        candidate("b.rs", 0.8, &lines_of("y", 9)),
        candidate("a.rs", 0.7, &lines_of("z", 9)),
    ];
    check(4_000, &all, "a.rs 1-9\na.rs 30-38\nb.rs 1-9\n");
}

#[test]
fn the_first_spans_of_the_search_are_there_and_are_cut_to_fit() {
    let lead = |at: u32, worth: f64| PackCandidate {
        lead: Some(at),
        ..candidate(&format!("lead{at}.rs"), worth, &lines_of(&format!("l{at}"), 40))
    };
    let all = [lead(0, 0.1), lead(1, 0.2), lead(2, 0.3), candidate("other.rs", 9.0, &lines_of("o", 70))];
    let listed = shown(&PackRequest { budget_tokens: 1_400, ..PackRequest::default() }, &all);
    let begins = "other.rs 1-70\nlead2.rs 1-";
    assert!(
        listed.starts_with(begins) && listed.contains("\nlead0.rs 1-") && listed.contains("\nlead1.rs 1-"),
        "{listed}"
    );
    // One that is placed late takes nothing of what is kept for the next.
    for budget_tokens in [512, 700, 1_000, 2_000] {
        let listed = shown(&PackRequest { budget_tokens, ..PackRequest::default() }, &all);
        assert!((0..3).all(|at| listed.contains(&format!("lead{at}.rs 1-"))), "{budget_tokens}: {listed}");
    }
    // A lead that is worth it pays for itself.
    let worthy = [lead(0, 9.0), candidate("other.rs", 0.1, &lines_of("o", 70))];
    check(500, &worthy, "lead0.rs 1-40\nother.rs 1-10 of 70\n");
}

#[test]
fn contracts_are_worth_as_much_more_as_is_asked_for() {
    let contract = PackCandidate { is_contract: true, ..candidate("contract.rs", 0.7, &lines_of("c", 50)) };
    let all = [contract, candidate("code.rs", 0.8, &lines_of("d", 50))];
    let whole = |contract_factor| {
        let request = PackRequest { budget_tokens: 500, contract_factor, ..PackRequest::default() };
        let sources = pack(&request, &all).sources.into_iter();
        sources.filter(|source| source.cut_from_end_line.is_none()).map(|source| source.path).collect::<Vec<_>>()
    };
    assert_eq!([whole(1.5), whole(1.0)], [["contract.rs"], ["code.rs"]], "only one of them fits");
}

#[test]
fn of_near_copies_one_is_enough() {
    let text = lines_of("copied", 60);
    let copies = (0..3).map(|at| {
        let own = text.replace("copied_7 ", &format!("own{at} "));
        candidate(&format!("copy{at}.rs"), 0.9 - f64::from(at) / 100.0, &own)
    });
    let distinct = candidate("distinct.rs", 0.55, &lines_of("d", 60));
    let all: Vec<PackCandidate> = copies.chain([distinct]).collect();
    check(4_000, &all, "copy0.rs 1-60\ndistinct.rs 1-60\n- copy1.rs 1-60 NearCopy\n- copy2.rs 1-60 NearCopy\n");
}

#[test]
fn variety_counts_as_far_as_is_asked_for() {
    let alike = "open the file for ";
    let all = [
        candidate("a.rs", 0.9, &format!("{alike}reading\n")),
        candidate("b.rs", 0.85, &format!("{alike}writing\n")),
        candidate("c.rs", 0.7, "network sockets listen here too\n"),
    ];
    let paths = |lambda| {
        let sources = pack(&PackRequest { lambda, ..PackRequest::default() }, &all).sources;
        sources.into_iter().map(|source| source.path).collect::<Vec<_>>()
    };
    assert_eq!([paths(1.0), paths(0.5)], [["a.rs", "b.rs", "c.rs"], ["a.rs", "c.rs", "b.rs"]]);
}

#[test]
fn pins_come_first_and_have_half_of_the_budget() {
    let pins: Vec<PackCandidate> = (0..30)
        .map(|at| {
            let text = lines_of(&format!("p{at:02}"), 120);
            PackCandidate { pin: pinned(5, at), ..candidate(&format!("pin{at:02}.rs"), 0.1, &text) }
        })
        .collect();
    let all: Vec<PackCandidate> =
        pins.iter().cloned().chain([candidate("found.rs", 0.9, &lines_of("f", 30))]).collect();
    let pack = pack(&PackRequest::default(), &all);
    assert!(pack.metadata.tokens_used <= 4_000);
    let paths: Vec<&str> = pack.sources.iter().map(|source| source.path.as_str()).collect();
    assert_eq!(paths, ["pin29.rs", "pin28.rs", "found.rs"]);
    let pinned: u32 = pack.sources.iter().filter(|source| source.is_pinned).map(|source| source.token_count).sum();
    assert!((1_950..=2_000).contains(&pinned), "{pinned}");
    assert_eq!(pack.omitted.iter().filter(|omission| omission.reason == OmissionReason::PinShare).count(), 28);
    let none = PackRequest { pin_share: 0.0, ..PackRequest::default() };
    assert!(shown(&none, &all).starts_with("found.rs 1-30\n- pin29.rs 1-120 PinShare\n"), "{}", shown(&none, &all));
    let only = shown(&PackRequest { pinned_only: true, ..PackRequest::default() }, &all);
    assert!(only.starts_with("pin29.rs 1-120\npin28.rs 1-120\n") && !only.contains("found.rs"), "{only}");
}

#[test]
fn pins_of_high_priority_come_before_newer_ones() {
    let pin = |path: &str, priority, at| PackCandidate {
        pin: pinned(priority, at),
        ..candidate(path, 0.1, &lines_of("p", 120))
    };
    let pins = [pin("usual.rs", 5, 9), pin("high.rs", 9, 1), pin("low.rs", 1, 99), pin("newest.rs", 9, 2)];
    check(4_000, &pins, "newest.rs 1-120\nhigh.rs 1-120\n- usual.rs 1-120 PinShare\n- low.rs 1-120 PinShare\n");
}

#[test]
fn a_pin_that_is_too_long_gives_the_lines_that_are_worth_most() {
    let part = |start: u32, worth: f64| PackCandidate {
        pin: pinned(5, 7),
        ..from_line(start, candidate("pin.rs", worth, &lines_of(&format!("p{start}"), 40)))
    };
    let pins = [part(1, 0.1), part(41, 0.2), part(81, 0.9), part(121, 0.3)];
    let listed = shown(&PackRequest { budget_tokens: 1_300, ..PackRequest::default() }, &pins);
    assert!(listed.starts_with("pin.rs 81-1"), "{listed}");
}

#[test]
fn a_pin_is_in_the_pack_once() {
    let found = candidate("a.rs", 0.9, "fn a() {}\n");
    let pin = PackCandidate { worth: 0.0, pin: pinned(5, 7), ..found.clone() };
    check(4_000, &[found, pin], "a.rs 1-1\n");
}

#[test]
fn what_is_longer_than_the_budget_is_cut() {
    let long = candidate("long.rs", 0.9, &lines_of("l", 500));
    let request = PackRequest { budget_tokens: 512, ..PackRequest::default() };
    let pack = pack(&request, &[long]);
    assert_eq!(pack.sources[0].cut_from_end_line, Some(500));
    assert!(pack.metadata.tokens_remaining < 12, "{:?}", pack.metadata);
    let note = format!("*Cut: lines {}-500 are left out.*\n\n", pack.sources[0].end_line + 1);
    assert!(pack.pack_content.ends_with(&note), "{}", pack.pack_content);
}

#[test]
fn what_else_a_file_defines_is_named_where_there_is_room() {
    let named = |start: u32, name: &str, worth: f64, lines: usize| PackCandidate {
        symbol: Some(name.into()),
        symbol_line: start,
        ..from_line(start, candidate("a.rs", worth, &lines_of(name, lines)))
    };
    let all = [named(1, "shown", 0.9, 30), named(40, "later", 0.2, 200), named(300, "further", 0.3, 200)];
    let shortest = pack(&PackRequest::default(), &all[..1]).metadata.tokens_used;
    let content =
        |more| pack(&PackRequest { budget_tokens: shortest + more, ..PackRequest::default() }, &all).pack_content;
    assert!(content(25).ends_with("\nAlso in a.rs: later (40-239), further (300-499)\n"), "{}", content(25));
    assert!(!content(10).contains("Also in"));
    // What is only the rest of a definition is not where it is defined.
    let rest = PackCandidate { symbol_line: 39, ..all[1].clone() };
    let with_rest =
        pack(&PackRequest { budget_tokens: shortest + 25, ..PackRequest::default() }, &[all[0].clone(), rest]);
    assert!(!with_rest.pack_content.contains("Also in"), "{}", with_rest.pack_content);
}

#[test]
fn a_heading_names_nothing_that_is_cut_off() {
    let long = PackCandidate {
        symbol: Some("below".into()),
        symbol_line: 400,
        ..candidate("long.rs", 0.9, &lines_of("l", 500))
    };
    let content = |budget_tokens| {
        let request = PackRequest { budget_tokens, ..PackRequest::default() };
        pack(&request, std::slice::from_ref(&long)).pack_content
    };
    assert!(content(512).contains("### [1] long.rs (lines 1-"), "{}", content(512));
    assert!(content(8_000).contains("### [1] long.rs:below (lines 1-500)"));
    let long = PackCandidate { symbol: Some("x".repeat(4_000)), symbol_line: 1, ..long };
    let pack = pack(&PackRequest { budget_tokens: 512, ..PackRequest::default() }, &[long]);
    assert!(pack.pack_content.lines().all(|line| line.len() < 200), "{}", pack.pack_content);
}

#[test]
fn copies_crowd_nothing_out() {
    let copies = (0..60).map(|at| candidate(&format!("copy{at}.rs"), 0.9, &lines_of("c", 12)));
    let others = (0..5).map(|at| candidate(&format!("other{at}.rs"), 0.1, &lines_of(&format!("o{at}"), 12)));
    let all: Vec<PackCandidate> = copies.chain(others).collect();
    let pack = pack(&PackRequest::default(), &all);
    let paths: Vec<&str> = pack.sources.iter().map(|source| source.path.as_str()).collect();
    assert_eq!(paths, ["copy0.rs", "other0.rs", "other1.rs", "other2.rs", "other3.rs", "other4.rs"]);
    // A first span of the search that another one says is there already.
    let lead =
        |at: u32| PackCandidate { lead: Some(at), ..candidate(&format!("lead{at}.rs"), 0.9, &lines_of("l", 12)) };
    check(4_000, &[lead(0), lead(1), lead(2)], "lead0.rs 1-12\n- lead1.rs 1-12 NearCopy\n- lead2.rs 1-12 NearCopy\n");
}

#[test]
fn what_is_left_out_of_a_pin_is_named_as_ranges() {
    let part = |start: u32| {
        let name = format!("p{start}");
        PackCandidate {
            pin: pinned(5, 1),
            ..from_line(start, candidate("pin.rs", 1.0 / f64::from(start), &lines_of(&name, 40)))
        }
    };
    let all: Vec<PackCandidate> = [1, 41, 81, 121].map(part).into();
    check(900, &all, "pin.rs 1-44 of 80\n- pin.rs 81-160 PinShare\n");
}

#[test]
fn what_has_no_worth_is_not_packed() {
    let rows = [0.0, -1.0, f64::NAN, f64::INFINITY];
    let all: Vec<PackCandidate> = rows
        .iter()
        .enumerate()
        .map(|(at, worth)| candidate(&format!("{at}.rs"), *worth, &lines_of(&format!("n{at}x"), 2)))
        .collect();
    check(
        4_000,
        &all,
        "- 0.rs 1-2 NotRelevant\n- 1.rs 1-2 NotRelevant\n- 2.rs 1-2 NotRelevant\n- 3.rs 1-2 NotRelevant\n",
    );
}

fn any_candidates() -> impl Strategy<Value = Vec<PackCandidate>> {
    let row = (
        (0_u8..5, 0_u32..20, 0_u32..12),
        0_u8..12,
        "[a-c `é🙂{}/]{0,20}",
        any::<bool>(),
        proptest::option::of((4_u8..6, 0_i64..4)),
        proptest::option::of(0_u32..3),
    );
    let rows = row.prop_map(|((path, start_line, more), worth, line, is_contract, pin, lead)| PackCandidate {
        blob: "01234567".into(),
        path: format!("src/{path}.rs"),
        symbol: (worth % 2 == 0).then(|| format!("symbol{worth}")),
        start_line,
        symbol_line: start_line,
        end_line: start_line + more,
        language: "rust".into(),
        text: (0..=more).map(|_| format!("{line}\n")).collect(),
        worth: f64::from(worth) / 10.0,
        score: 0.5,
        lead,
        is_contract,
        pin: pin.and_then(|(priority, pinned_at)| pinned(priority, pinned_at)),
    });
    proptest::collection::vec(rows, 0..12)
}

proptest! {
    #[test]
    fn no_pack_is_over_its_budget(
        candidates in any_candidates(), budget_tokens in 0_u32..700, pinned_only in any::<bool>(), lambda in 0.0..1.0,
    ) {
        let request = PackRequest { budget_tokens, pinned_only, lambda, ..PackRequest::default() };
        let pack = pack(&request, &candidates);
        prop_assert!(tokens(&pack.pack_content) <= budget_tokens);
        prop_assert_eq!(pack.metadata.tokens_used, tokens(&pack.pack_content));
        for source in &pack.sources {
            let symbol = source.symbol.iter().map(|symbol| format!(":{symbol}")).collect::<String>();
            let line = format!("{}{symbol} (lines {}-{})\n", source.path, source.start_line, source.end_line);
            prop_assert!(pack.pack_content.contains(&line));
        }
        prop_assert_eq!(pack.sources.len(), pack.citations.len());
        for (at, one) in pack.sources.iter().enumerate() {
            for other in &pack.sources[at + 1..] {
                let is_apart = one.end_line < other.start_line || other.end_line < one.start_line;
                prop_assert!(one.path != other.path || is_apart, "no line stands twice");
            }
        }
    }

    #[test]
    fn the_order_of_candidates_does_not_matter(candidates in any_candidates(), budget_tokens in 0_u32..700) {
        let request = PackRequest { budget_tokens, ..PackRequest::default() };
        let mut turned = candidates.clone();
        turned.reverse();
        prop_assert_eq!(pack(&request, &candidates), pack(&request, &turned));
    }
}
