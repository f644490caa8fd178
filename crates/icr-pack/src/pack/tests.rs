use super::*;
use crate::no_cosine;
use proptest::prelude::*;

fn candidate(path: &str, score: f64, text: &str) -> Candidate {
    let lines = u32::try_from(text.lines().count()).expect("few lines").max(1);
    Candidate {
        id: format!("id-{path}"),
        path: path.into(),
        start_line: 1,
        end_line: lines,
        language: "rust".into(),
        text: text.into(),
        score,
        ..Candidate::default()
    }
}

/// About `tokens` tokens of lines that no other name has.
fn lines_of(name: &str, tokens: usize) -> String {
    (0..tokens.div_ceil(4)).map(|line| format!("let {name}{line};\n")).collect()
}

/// A pack as `path first-last tokens`, then what was left out.
fn shown(request: &PackRequest, candidates: &[Candidate]) -> String {
    let pack = pack(request, candidates, &no_cosine);
    let sources = pack.sources.iter().map(|source| {
        let cut = source.cut_from_end_line.map(|end| format!(" of {end}")).unwrap_or_default();
        format!("{} {}-{}{cut}\n", source.path, source.start_line, source.end_line)
    });
    let omitted = pack.omitted.iter().map(|omission| format!("- {} {:?}\n", omission.path, omission.reason));
    sources.chain(omitted).collect()
}

#[track_caller]
fn check(budget_tokens: u32, candidates: &[Candidate], expected: &str) {
    let request = PackRequest { budget_tokens, ..PackRequest::default() };
    assert_eq!(shown(&request, candidates), expected);
}

#[test]
fn a_pack_is_markdown_with_numbered_sources() {
    let mut first = candidate("src/auth/jwt.py", 0.92, "def validate_token(token):\n    return None\n");
    first.symbol = Some("validate_token".into());
    first.language = "python".into();
    let second = candidate("src/main.rs", 0.5, "fn main() {}");
    let pack = pack(&PackRequest::default(), &[second, first], &no_cosine);
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
    assert_eq!(shown["sources"][0]["symbol"], "validate_token");
    assert_eq!(shown["sources"][1]["symbol"], serde_json::Value::Null);
    assert_eq!(shown["metadata"]["token_counter"], MODEL_TOKEN_COUNTER);
    let blocks: u32 = pack.sources.iter().map(|source| source.token_count).sum();
    assert_eq!(pack.metadata.tokens_used, blocks + tokens(TITLE) + tokens(SOURCES));
    assert_eq!(pack.metadata.tokens_remaining + pack.metadata.tokens_used, 4_000);
}

#[test]
fn nothing_to_pack_is_a_pack() {
    let empty =
        |budget_tokens| pack(&PackRequest { budget_tokens, ..PackRequest::default() }, &[], &no_cosine).pack_content;
    assert_eq!(empty(4_000), "# Context Pack\n\n## Sources\n\nNo sources.\n");
    assert_eq!(empty(6), "# Context Pack\n");
    assert_eq!(empty(0), "");
}

#[test]
fn a_trifle_does_not_keep_out_what_fills_the_budget() {
    let trifle = candidate("trifle.rs", 0.10, &lines_of("t", 20));
    let whole = candidate("whole.rs", 0.92, &lines_of("w", 900));
    let budget = pack(&PackRequest::default(), std::slice::from_ref(&whole), &no_cosine).metadata.tokens_used;
    check(budget, &[trifle, whole], "whole.rs 1-225\n- trifle.rs Budget\n");
}

#[test]
fn contracts_are_worth_more_than_their_score() {
    let body = candidate("a.rs", 0.8, &lines_of("x", 400));
    let mut contract = candidate("b.rs", 0.6, &lines_of("y", 400));
    contract.is_contract = true;
    let budget = pack(&PackRequest::default(), std::slice::from_ref(&body), &no_cosine).metadata.tokens_used;
    check(budget, &[body.clone(), contract.clone()], "b.rs 1-100\n- a.rs Budget\n");
    contract.is_contract = false;
    check(budget, &[body, contract], "a.rs 1-100\n- b.rs Budget\n");
}

#[test]
fn of_near_copies_one_is_enough() {
    let text = lines_of("copied", 200);
    let copies: Vec<Candidate> = (0..3)
        .map(|at| {
            candidate(
                &format!("copy{at}.rs"),
                0.9 - f64::from(at) / 100.0,
                &text.replace("copied7;", &format!("own{at};")),
            )
        })
        .collect();
    let distinct = candidate("distinct.rs", 0.55, &lines_of("d", 200));
    let all: Vec<Candidate> = copies.into_iter().chain([distinct]).collect();
    let expected = "copy0.rs 1-50\ndistinct.rs 1-50\n- copy1.rs NearCopy\n- copy2.rs NearCopy\n";
    check(4_000, &all, expected);
    let two = pack(&PackRequest { k: 2, ..PackRequest::default() }, &[all[0].clone(), all[3].clone()], &no_cosine);
    check(two.metadata.tokens_used, &all, expected);
}

#[test]
fn a_copy_stands_in_for_what_does_not_fit() {
    let long = candidate("long.rs", 0.9, &format!("{}{}", lines_of("a", 300), "let a1;\n".repeat(100)));
    let short = candidate("short.rs", 0.8, &lines_of("a", 300));
    let other = candidate("other.rs", 0.95, &lines_of("o", 400));
    check(900, &[long, short, other], "other.rs 1-100\nshort.rs 1-75\n- long.rs NearCopy\n");
}

#[test]
fn pins_come_first_and_have_half_of_the_budget() {
    let pins: Vec<Candidate> = (0..30)
        .map(|at| {
            let mut pin = candidate(&format!("pin{at:02}.rs"), 0.0, &lines_of(&format!("p{at:02}"), 1_000));
            pin.pinned_at = Some(at);
            pin
        })
        .collect();
    let all: Vec<Candidate> = pins.iter().cloned().chain([candidate("found.rs", 0.9, &lines_of("f", 300))]).collect();
    let pack = pack(&PackRequest::default(), &all, &no_cosine);
    assert!(pack.metadata.tokens_used <= 4_000);
    let paths: Vec<&str> = pack.sources.iter().map(|source| source.path.as_str()).collect();
    assert_eq!(paths, ["pin29.rs", "pin28.rs", "found.rs"]);
    let pinned: u32 = pack.sources.iter().filter(|source| source.is_pinned).map(|source| source.token_count).sum();
    assert!((1_900..=2_000).contains(&pinned), "{pinned}");
    assert_eq!(pack.omitted.iter().filter(|omission| omission.reason == OmissionReason::PinShare).count(), 28);
    let none = PackRequest { pin_share: 0.0, ..PackRequest::default() };
    assert!(shown(&none, &all).starts_with("found.rs 1-75\n- pin29.rs PinShare\n"), "{}", shown(&none, &all));
    let only = PackRequest { pinned_only: true, ..PackRequest::default() };
    let listed = shown(&only, &all);
    assert!(listed.starts_with("pin29.rs 1-250\npin28.rs 1-250\npin27.rs 1-250\npin26.rs 1-"), "{listed}");
    assert!(!listed.contains("found.rs"), "{listed}");
}

#[test]
fn a_contract_is_worth_as_much_more_as_is_asked_for() {
    let contract = Candidate { is_contract: true, ..candidate("contract.rs", 0.7, &lines_of("c", 400)) };
    let all = [contract, candidate("code.rs", 0.8, &lines_of("d", 400))];
    let whole = |contract_factor| {
        let request = PackRequest { budget_tokens: 600, contract_factor, ..PackRequest::default() };
        let sources = pack(&request, &all, &no_cosine).sources.into_iter();
        sources.filter(|source| source.cut_from_end_line.is_none()).map(|source| source.path).collect::<Vec<_>>()
    };
    assert_eq!([whole(1.5), whole(1.0)], [["contract.rs"], ["code.rs"]], "only one of them fits");
}

#[test]
fn a_pin_without_a_score_is_in_the_pack_once() {
    let found = candidate("a.rs", 0.9, "fn a() {}\n");
    let mut pin = found.clone();
    (pin.score, pin.pinned_at) = (0.0, Some(7));
    check(4_000, &[found, pin], "a.rs 1-1\n");
}

#[test]
fn what_is_longer_than_the_budget_is_cut() {
    let long = candidate("long.rs", 0.9, &lines_of("l", 2_000));
    let short = candidate("short.rs", 0.05, &lines_of("s", 300));
    let request = PackRequest { budget_tokens: 512, ..PackRequest::default() };
    let pack = pack(&request, &[short, long], &no_cosine);
    assert_eq!(pack.sources[0].path, "long.rs");
    assert_eq!(pack.sources[0].cut_from_end_line, Some(500));
    assert!(pack.metadata.tokens_remaining < 8, "{:?}", pack.metadata);
    let next = pack.sources[0].end_line + 1;
    assert!(
        pack.pack_content.ends_with(&format!("*Cut: lines {next}-500 are left out.*\n\n")),
        "{}",
        pack.pack_content
    );
}

#[test]
fn what_has_no_score_is_not_packed() {
    let rows = [0.0, -1.0, f64::NAN, f64::INFINITY];
    let all: Vec<Candidate> = rows
        .iter()
        .enumerate()
        .map(|(at, score)| candidate(&format!("{at}.rs"), *score, &lines_of(&format!("n{at}x"), 20)))
        .collect();
    check(4_000, &all, "- 0.rs NotRelevant\n- 1.rs NotRelevant\n- 2.rs NotRelevant\n- 3.rs NotRelevant\n");
}

fn any_candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let row = (
        (0_u8..5, 0_u32..20, 0_u32..40),
        0_u8..12,
        "[a-c \n`é🙂{}]{0,120}",
        any::<bool>(),
        proptest::option::of(0_i64..4),
        proptest::collection::vec(0_u32..60, 0..3),
    );
    let rows =
        row.prop_map(|((path, start_line, more), score, text, is_contract, pinned_at, symbol_starts)| Candidate {
            id: format!("{path}-{start_line}-{more}"),
            path: format!("src/{path}.rs"),
            symbol: (score % 2 == 0).then(|| format!("symbol{score}")),
            start_line,
            end_line: start_line + more,
            language: "rust".into(),
            text,
            symbol_starts,
            score: f64::from(score) / 10.0,
            is_contract,
            pinned_at,
        });
    proptest::collection::vec(rows, 0..12)
}

proptest! {
    #[test]
    fn no_pack_is_over_its_budget(
        candidates in any_candidates(), budget_tokens in 0_u32..700, k in 0_usize..12, pinned_only in any::<bool>(),
    ) {
        let request = PackRequest { budget_tokens, k, pinned_only, ..PackRequest::default() };
        let pack = pack(&request, &candidates, &no_cosine);
        prop_assert!(tokens(&pack.pack_content) <= budget_tokens);
        prop_assert_eq!(pack.metadata.tokens_used, tokens(&pack.pack_content));
        for source in &pack.sources {
            let line = format!("{}{} (lines {}-{})\n", source.path, source.symbol.iter().map(|symbol| format!(":{symbol}")).collect::<String>(), source.start_line, source.end_line);
            prop_assert!(pack.pack_content.contains(&line));
        }
        prop_assert_eq!(pack.sources.len(), pack.citations.len());
    }

    #[test]
    fn the_order_of_candidates_does_not_matter(candidates in any_candidates(), budget_tokens in 0_u32..700) {
        let request = PackRequest { budget_tokens, ..PackRequest::default() };
        let mut turned = candidates.clone();
        turned.reverse();
        prop_assert_eq!(pack(&request, &candidates, &no_cosine), pack(&request, &turned, &no_cosine));
    }
}
