//! No credential gets into the files.

use std::fs;
use std::path::Path;

use icr_traces::{CallFilter, CallInput, CallOutcome, EventFilter, ImpactAnswer};
use proptest::prelude::*;
use serde_json::json;

use super::{flush, opened, recorder, search, traces};

/// The random part of a credential.
const LETTERS: &str = "0123456789abcdefABCD0123456789abcdefX";

/// Credentials of well-known services, put together here so that no scanner takes them for leaks.
fn credentials() -> Vec<String> {
    let twice = [LETTERS, LETTERS].concat();
    let line = [LETTERS, &LETTERS[..27]].concat();
    vec![
        ["gh", "p_", LETTERS].concat(),
        ["github", "_pat_", &twice].concat(),
        ["gl", "pat-", LETTERS].concat(),
        ["sk-", "ant-api03-", LETTERS].concat(),
        ["sk-proj-", LETTERS, "T3BlbkFJ", LETTERS].concat(),
        ["sk_", "live_", LETTERS].concat(),
        ["xox", "b-123456789012-", LETTERS].concat(),
        ["AI", "za", &LETTERS[..35]].concat(),
        ["hf", "_", LETTERS].concat(),
        ["npm", "_", LETTERS].concat(),
        ["eyJ", LETTERS, ".eyJ", LETTERS, ".", LETTERS].concat(),
        ["-----BEGIN RSA PRIVATE ", "KEY-----\n", &line, "\n", &line, "\n-----END RSA PRIVATE ", "KEY-----"].concat(),
        ["-----BEGIN PRIVATE ", "KEY-----\n", &line, "\n", &line[..40]].concat(),
    ]
}

/// All bytes of the database and of what lies beside it.
fn bytes_of(directory: &Path) -> Vec<u8> {
    let files = fs::read_dir(directory).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    files.collect::<Vec<_>>().concat()
}

/// What stands around a credential, before and behind: texts, and what makes it hard to find.
fn surroundings() -> impl Strategy<Value = (String, String)> {
    let before = prop_oneof![
        "[\\PC\n]{0,40}[ \n\"'(=,;:]",
        Just("{\"a\":\"\\n".to_owned()),
        Just("\\\\t".to_owned()),
        Just("?q=a%20".to_owned()),
        Just("\u{0}".to_owned()),
        (0_usize..9_000).prop_map(|length| "a ".repeat(length / 2)),
    ];
    (before, "[ \n\"'),;\u{0}][\\PC]{0,40}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_credential_gets_into_the_files(at in 0..credentials().len(), (before, behind) in surroundings()) {
        let directory = tempfile::tempdir().unwrap();
        let recorder = recorder(directory.path());
        let text = format!("{before}{}{behind}", credentials()[at]);
        let mut call = search(1);
        call.tool = text.clone();
        call.outcome = CallOutcome::Error(text.clone());
        call.gaps = vec![text.clone(), text.clone()];
        let nested = json!([json!({ "a": text }).to_string(), {"b": [text]}]);
        call.input = CallInput::new(&json!({"query": text, "nested": nested, text.clone(): 1}));
        call.returned[0].path = text.clone();
        call.returned[0].symbol_kind = Some(text.clone());
        call.impact = Some(ImpactAnswer { asked: vec![text.clone()], predicted: vec![text.clone()] });
        let names = [&mut call.step, &mut call.client, &mut call.session, &mut call.repo_id];
        for field in names.into_iter().chain([&mut call.task, &mut call.root]) {
            *field = Some(text.clone());
        }
        recorder.record(call);
        let mut look = opened(1);
        (look.session, look.repo_id, look.path, look.by) = (text.clone(), text.clone(), Some(text.clone()), text);
        recorder.record(look);
        flush(&recorder);
        prop_assert_eq!(recorder.dropped_events(), 0);
        let bytes = bytes_of(directory.path());
        let leak = bytes.windows(12).position(|window| window == &LETTERS.as_bytes()[..12]);
        prop_assert!(leak.is_none(), "{}", String::from_utf8_lossy(&bytes[leak.unwrap().saturating_sub(60)..][..120]));
        let traces = traces(directory.path());
        prop_assert_eq!(traces.calls(&CallFilter::default()).unwrap().len(), 1);
        prop_assert_eq!(traces.events(&EventFilter::default()).unwrap().len(), 2);
    }
}
