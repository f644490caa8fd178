use super::*;
use proptest::prelude::*;

const USERS: &str = "import os\n\ndef load(id):\n    try:\n        return db.get(id)\n    except KeyError as error:\n        raise UserError(id)\n\n\ndef name(user):\n    return user.name\n";
const AUTH: &str = "def check(token):\n    if not token:\n        raise AuthError(token)\n    return True\n";

fn lines(path: &str, text: &str) -> SourceText {
    let content = SourceContent::Lines { path: path.into(), start_line: 1, text: text.into() };
    SourceText { source: path.into(), content }
}

fn request(sources: &[SourceText]) -> MapReduceRequest<'_> {
    MapReduceRequest {
        task: "Summarize all error handling patterns",
        map_prompt: "Extract raised errors from this file: {content}",
        reduce_prompt: "Combine these errors into a summary: {results}",
        sources,
        map_tokens: 400,
        reduce_tokens: 400,
    }
}

#[track_caller]
fn check(request: &MapReduceRequest<'_>, expected: &str) {
    assert_eq!(map_reduce(request).expect("a valid request").reduce_result, expected);
}

#[test]
fn results_are_lines_of_the_sources() {
    let sources = [
        lines("users.py", USERS),
        lines("auth.py", AUTH),
        SourceText { source: "gone.py".into(), content: SourceContent::Failed("no such file".into()) },
        lines("empty.py", ""),
    ];
    let answer = map_reduce(&request(&sources)).expect("a valid request");
    insta::assert_snapshot!(answer.map_results[0].result, @r"
    users.py:5:         return db.get(id)
    users.py:6:     except KeyError as error:
    users.py:7:         raise UserError(id)
    ");
    insta::assert_snapshot!(answer.reduce_result, @r"
    auth.py:1: def check(token):
    auth.py:2:     if not token:
    auth.py:3:         raise AuthError(token)
    auth.py:4:     return True
    users.py:5:         return db.get(id)
    users.py:6:     except KeyError as error:
    users.py:7:         raise UserError(id)
    ");
    assert_eq!((answer.sources_processed, answer.sources_failed), (3, 1));
    assert_eq!(answer.failed, [FailedSource { source: "gone.py".into(), reason: "no such file".into() }]);
    assert_eq!(answer.map_results[2].result, "");
    let extract = &answer.reduce_extracts[1];
    assert_eq!((extract.path.as_str(), extract.start_line, extract.end_line), ("users.py", 5, 7));
    assert!(USERS.contains(&extract.text));
}

#[test]
fn a_small_budget_keeps_the_best_line_of_each_source() {
    let sources = [lines("users.py", USERS), lines("auth.py", AUTH)];
    let tight = MapReduceRequest { reduce_tokens: 30, ..request(&sources) };
    check(&tight, "auth.py:3:         raise AuthError(token)\nusers.py:7:         raise UserError(id)\n");
    check(&MapReduceRequest { reduce_tokens: 3, ..request(&sources) }, "");
    check(&MapReduceRequest { map_tokens: 0, ..request(&sources) }, "");
}

#[test]
fn the_same_is_not_said_twice() {
    let sources = [lines("a.py", AUTH), lines("b.py", AUTH), lines("a.py", AUTH)];
    let answer = map_reduce(&request(&sources)).expect("a valid request");
    assert_eq!(answer.reduce_extracts.len(), 1);
    assert_eq!(answer.reduce_extracts[0].path, "a.py");
    assert_eq!(answer.map_results.len(), 3);
}

#[test]
fn parts_of_a_file_keep_their_line_numbers() {
    let content = SourceContent::Lines { path: "a.py".into(), start_line: 41, text: "raise Error\n".into() };
    check(&request(&[SourceText { source: "a.py:41-41".into(), content }]), "a.py:41: raise Error\n");
}

#[test]
fn prompts_that_ask_for_nothing_find_nothing() {
    let sources = [lines("auth.py", AUTH)];
    let request = MapReduceRequest { task: "do", map_prompt: "{content}", reduce_prompt: "🙂", ..request(&sources) };
    check(&request, "");
}

#[track_caller]
fn check_error(request: &MapReduceRequest<'_>, expected: &str) {
    assert_eq!(map_reduce(request).unwrap_err().to_string(), expected);
}

#[test]
fn requests_are_bounded() {
    let sources = vec![lines("a", "b"); 101];
    check_error(&request(&sources), "`sources` is 101 sources; allowed: 1 to 100 sources");
    check_error(&request(&[]), "`sources` is 0 sources; allowed: 1 to 100 sources");
    let one = &sources[..1];
    check_error(
        &MapReduceRequest { task: "", ..request(one) },
        "`task` is 0 characters; allowed: 1 to 5000 characters",
    );
    let long = "é".repeat(2_001);
    let expected = "`map_prompt` is 2001 characters; allowed: 1 to 2000 characters";
    check_error(&MapReduceRequest { map_prompt: &long, ..request(one) }, expected);
}

proptest! {
    #[test]
    fn every_line_is_a_line_of_its_source_and_no_result_is_over_budget(
        texts in proptest::collection::vec("((error|raise|é|a b|🙂|  )[ \r]?\n?){0,12}", 1..4),
        map_tokens in 0_u32..80, reduce_tokens in 0_u32..120,
    ) {
        let sources: Vec<SourceText> = texts.iter().enumerate().map(|(at, text)| lines(&at.to_string(), text)).collect();
        let request = MapReduceRequest { map_tokens, reduce_tokens, ..request(&sources) };
        let answer = map_reduce(&request).expect("a valid request");
        prop_assert!(answer.tokens_used <= reduce_tokens);
        for result in &answer.map_results {
            prop_assert!(model_tokens(result.result.as_bytes()) <= map_tokens);
        }
        let all = answer.map_results.iter().map(|result| &result.result).chain([&answer.reduce_result]);
        for line in all.flat_map(|text| text.split_terminator('\n')) {
            let (path, rest) = line.split_once(':').expect("a path");
            let (number, shown) = rest.split_once(": ").expect("a number");
            let at: usize = number.parse().expect("a number");
            let text = &texts[path.parse::<usize>().expect("a path")];
            prop_assert_eq!(Some(shown), text.lines().nth(at - 1));
        }
        let mut turned = sources.clone();
        turned.reverse();
        let again = map_reduce(&MapReduceRequest { sources: &turned, ..request }).expect("a valid request");
        prop_assert_eq!(again.reduce_result, answer.reduce_result);
    }
}
