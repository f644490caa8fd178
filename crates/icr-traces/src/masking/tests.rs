use std::time::SystemTime;

use serde_json::json;

use super::*;
use crate::bounds::bound_event;
use crate::{CallInput, CallKind, CallOutcome, CallRecord, Door, ImpactAnswer, ReturnedSpan};

/// What a token has; any letters that fit its format.
const LETTERS: &str = "0123456789abcdefABCD0123456789abcdefX";

fn token() -> String {
    ["gh", "p_", LETTERS].concat()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(masked(text).as_deref(), Some(expected), "{text}");
}

#[test]
fn a_token_is_masked_wherever_it_stands() {
    let token = token();
    check(&token, "ghp_[masked]");
    check(&format!("a\u{0}{token}\u{0}é"), "a\u{0}ghp_[masked]\u{0}é");
    check(&format!("{{\"a\":\"\\n{token}\"}}"), "{\"a\":\"\\nghp_[masked]\"}");
    check(&format!("{{\"a\":\"\\\\n{token}\\t\"}}"), "{\"a\":\"\\\\nghp_[masked]\\t\"}");
    check(&format!("\\u000a{token} \\ud83d"), "\\u000aghp_[masked] \\ud83d");
    check(&format!("?q=a%20{token}%20b"), "?q=a%20ghp_[masked]%20b");
    assert_eq!(masked("C:\\new\\table \\u00zz %2 100%"), None);
}

#[test]
fn every_text_of_a_call_is_masked() {
    let text = || format!("x {}", token());
    let mut call = CallRecord::new(Door::Mcp, CallKind::Run, text(), SystemTime::UNIX_EPOCH);
    for field in
        [&mut call.task, &mut call.step, &mut call.client, &mut call.session, &mut call.repo_id, &mut call.root]
    {
        *field = Some(text());
    }
    call.gaps = vec![text()];
    call.outcome = CallOutcome::Error(text());
    call.input = CallInput::new(&json!({"a": [text()], text(): {"b": text()}}));
    call.returned =
        vec![ReturnedSpan { path: text(), start_line: 1, end_line: 2, tokens: 3, symbol_kind: Some(text()) }];
    call.impact = Some(ImpactAnswer { asked: vec![text()], predicted: vec![text()] });
    let mut event = TraceEvent::from(call);
    bound_event(&mut event);
    mask(&mut event);
    let shown = serde_json::to_string(&event).unwrap();
    assert!(!shown.contains(&LETTERS[..8]), "{shown}");
    assert_eq!(shown.matches("x ghp_[masked]").count(), 16, "{shown}");
}

#[test]
fn a_token_at_the_end_of_what_is_kept_leaves_no_part() {
    for before in (3_800..8_100).step_by(7) {
        let text = format!("{}{}", "a ".repeat(before / 2), format!("{} ", token()).repeat(3));
        let mut call = CallRecord::new(Door::Cli, CallKind::Search, "search", SystemTime::UNIX_EPOCH);
        call.task = Some(text[3_000..].to_owned());
        call.root = Some(text[3_000..].to_owned());
        call.input = CallInput::new(&json!({"query": text, "more": text}));
        let mut event = TraceEvent::from(call);
        bound_event(&mut event);
        mask(&mut event);
        let shown = serde_json::to_string(&event).unwrap();
        assert!(!shown.contains(&LETTERS[..6]), "{before}: {shown}");
    }
}

#[test]
fn a_token_longer_than_what_is_looked_at_leaves_no_part() {
    let claims = format!("eyJ{}", LETTERS.repeat(1_000));
    let mut call = CallRecord::new(Door::Cli, CallKind::Search, "search", SystemTime::UNIX_EPOCH);
    call.task = Some(format!("what is eyJ{LETTERS}.{claims}.{LETTERS}"));
    call.input = CallInput::new(&json!({"query": call.task}));
    let mut event = TraceEvent::from(call);
    bound_event(&mut event);
    mask(&mut event);
    let shown = serde_json::to_string(&event).unwrap();
    assert!(shown.contains("what is …") && !shown.contains(&LETTERS[..6]), "{shown}");
}
