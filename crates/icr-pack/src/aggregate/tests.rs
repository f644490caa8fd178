use super::*;

#[track_caller]
fn run(op: &str, params: &str, inputs: &[&str]) -> Result<AggregateAnswer, Error> {
    let params: Map<String, Value> = serde_json::from_str(params).expect("an object");
    let inputs: Vec<String> = inputs.iter().map(|input| (*input).to_owned()).collect();
    aggregate(&AggregateRequest { op, inputs: &inputs, params: &params, limit: 100 }, &|| false)
}

#[track_caller]
fn check(op: &str, params: &str, inputs: &[&str], expected: &str) {
    let answer = run(op, params, inputs).expect("a valid request");
    assert_eq!(Value::from(answer.results.clone()).to_string(), expected);
    assert_eq!((answer.operation, answer.count, answer.truncated), (op, answer.results.len(), false));
}

#[track_caller]
fn check_error(op: &str, params: &str, inputs: &[&str], expected: &str) {
    assert_eq!(run(op, params, inputs).unwrap_err().to_string(), expected);
}

#[test]
fn patterns_give_their_first_group_or_their_match() {
    let lines = ["def foo(): pass", "def bar(): pass", "class Baz: pass"];
    check("extract_regex", r#"{"pattern": "def (\\w+)"}"#, &lines, r#"["foo","bar"]"#);
    check("extract_regex", r#"{"pattern": "class \\w+"}"#, &lines, r#"["class Baz"]"#);
    check("extract_regex", r#"{"pattern": "def (foo)|class"}"#, &lines, r#"["foo","class"]"#);
    check("extract_regex", r#"{"pattern": "(?:a)(b)(c)"}"#, &["abc abc"], r#"["b","b"]"#);
    check("extract_regex", r#"{"pattern": "none"}"#, &lines, "[]");
}

#[test]
fn inputs_are_counted_and_told_apart() {
    check("unique", "{}", &["b", "a", "b", ""], r#"["b","a",""]"#);
    check(
        "count",
        "{}",
        &["b", "c", "a", "c"],
        r#"[{"value":"c","count":2},{"value":"a","count":1},{"value":"b","count":1}]"#,
    );
}

#[test]
fn sorting_is_by_number_where_all_are_numbers() {
    check("sort", "{}", &["10", "9", "-1.5"], r#"["-1.5","9","10"]"#);
    check("sort", "{}", &["10", "9", "x"], r#"["10","9","x"]"#);
    check("sort", r#"{"reverse": true}"#, &["a", "c", "b"], r#"["c","b","a"]"#);
    check(
        "sort",
        r#"{"key": "line (\\d+)"}"#,
        &["b line 10", "a line 9", "none"],
        r#"["a line 9","b line 10","none"]"#,
    );
    check("sort", r#"{"key": "\\d+", "reverse": true}"#, &["b 1", "none", "a 2"], r#"["a 2","b 1","none"]"#);
    check("sort", r#"{"key": "n"}"#, &[r#"{"n": 2}"#, r#"{"n": 1.5}"#, "{}"], r#"["{\"n\": 1.5}","{\"n\": 2}","{}"]"#);
    check("top_k", r#"{"k": 2}"#, &["3", "20", "1"], r#"["20","3"]"#);
    check("top_k", r#"{"k": 1, "key": "a.b"}"#, &[r#"{"a":{"b":1}}"#, r#"{"a":{"b":3}}"#], r#"["{\"a\":{\"b\":3}}"]"#);
    check("top_k", r#"{"k": 200}"#, &["a"], r#"["a"]"#);
}

#[test]
fn groups_have_keys() {
    check(
        "group_by",
        r#"{"key": "\\.(\\w+)$"}"#,
        &["b.rs", "Makefile", "a.py", "a.rs"],
        r#"[{"key":"rs","count":2,"items":["b.rs","a.rs"]},{"key":"py","count":1,"items":["a.py"]},{"key":null,"count":1,"items":["Makefile"]}]"#,
    );
    check(
        "group_by",
        r#"{"key": "["}"#,
        &[r#"{"[": 1}"#, r#"{"[": 1, "b": 2}"#],
        r#"[{"key":1,"count":2,"items":["{\"[\": 1}","{\"[\": 1, \"b\": 2}"]}]"#,
    );
}

#[test]
fn joins_merge_objects() {
    check(
        "join_on",
        r#"{"key": "path"}"#,
        &[r#"{"path":"a","x":1}"#, r#"{"path":"b"}"#, r#"{"path":"a","x":2,"y":null}"#],
        r#"[{"key":"a","count":2,"items":["{\"path\":\"a\",\"x\":1}","{\"path\":\"a\",\"x\":2,\"y\":null}"],"joined":{"path":"a","x":[1,2],"y":null}}]"#,
    );
    check(
        "join_on",
        r#"{"key": "^\\w+"}"#,
        &["a: 1", "a: 2", "b: 1", "--"],
        r#"[{"key":"a","count":2,"items":["a: 1","a: 2"],"joined":null}]"#,
    );
}

#[test]
fn sets_are_arrays_or_lines() {
    check("diff_sets", r#"{"b": ["b", 1]}"#, &["a", "b", "c", "a", "1"], r#"["a","c"]"#);
    check("diff_sets", r#"{"split_at": 3}"#, &["a", "b", "c", "b", "x"], r#"["a","c"]"#);
    check("diff_sets", r#"{"split_at": 0}"#, &["a"], "[]");
    check("diff_sets", "{}", &["a\nb\n\n c \nb", "b"], r#"["a","c"]"#);
    check("diff_sets", "{}", &[r#"["a", 1, 2]"#, "[1]", "a"], "[2]");
    check("diff_sets", "{}", &["a\na"], r#"["a"]"#);
    check("diff_sets", "{}", &["[not json"], r#"["[not json"]"#);
}

#[test]
fn more_results_than_the_limit_are_counted() {
    let inputs: Vec<String> = (0..200).map(|at| at.to_string()).collect();
    let answer =
        aggregate(&AggregateRequest { op: "unique", inputs: &inputs, params: &Map::new(), limit: 3 }, &|| false);
    let answer = answer.expect("a valid request");
    assert_eq!((answer.count, answer.total_count, answer.truncated), (3, 200, true));
}

#[test]
fn errors_name_the_field_and_what_it_may_be() {
    let names = "count, diff_sets, extract_regex, group_by, join_on, sort, top_k, unique";
    check_error("average", "{}", &["a"], &format!("`op` is `average`; allowed: {names}"));
    check_error("unique", "{}", &[], "`inputs` is 0 strings; allowed: 1 to 200 strings");
    check_error("unique", "{}", &["a"; 201], "`inputs` is 201 strings; allowed: 1 to 200 strings");
    check_error("unique", r#"{"key": "a"}"#, &["a"], "`params.key` is not known; allowed: no parameters (of `unique`)");
    check_error("sort", r#"{"kee": "a"}"#, &["a"], "`params.kee` is not known; allowed: key, reverse (of `sort`)");
    check_error("sort", r#"{"reverse": "yes"}"#, &["a"], "`params.reverse` is \"yes\"; allowed: true or false");
    check_error("extract_regex", "{}", &["a"], "`params.pattern` is missing; allowed: a regular expression");
    check_error(
        "extract_regex",
        r#"{"pattern": null}"#,
        &["a"],
        "`params.pattern` is missing; allowed: a regular expression",
    );
    check_error(
        "extract_regex",
        r#"{"pattern": "a(b"}"#,
        &["a"],
        "`params.pattern` is `a(b`; allowed: a regular expression (unclosed group)",
    );
    check_error(
        "group_by",
        r#"{"key": "["}"#,
        &["a"],
        "`params.key` is `[`; allowed: a regular expression (unclosed character class)",
    );
    check_error("top_k", r#"{"k": 0}"#, &["a"], "`params.k` is 0; allowed: a whole number from 1 to 200");
    check_error("top_k", r#"{"k": 2.5}"#, &["a"], "`params.k` is 2.5; allowed: a whole number from 1 to 200");
    let long = format!(r#"{{"pattern": "{}"}}"#, "a".repeat(1_001));
    check_error(
        "extract_regex",
        &long,
        &["a"],
        "`params.pattern` is 1001 characters; allowed: at most 1000 characters",
    );
    let large = run("extract_regex", r#"{"pattern": "(?:\\w{500}){500}"}"#, &["a"]).unwrap_err().to_string();
    assert!(large.contains("exceeds size limit"), "{large}");
    let params = Map::new();
    let limit =
        aggregate(&AggregateRequest { op: "unique", inputs: &["a".to_owned()], params: &params, limit: 201 }, &|| {
            false
        });
    assert_eq!(limit.unwrap_err().to_string(), "`limit` is 201; allowed: 1 to 200");
}

#[test]
fn operations_name_parameters_that_there_are() {
    assert!(AGGREGATE_OPS.is_sorted_by_key(|row| row.name));
    for row in AGGREGATE_OPS {
        for name in row.required.iter().chain(row.optional) {
            assert!(AGGREGATE_PARAMS.iter().any(|param| param.name == *name), "{name} of {}", row.name);
        }
    }
}

#[test]
fn a_pattern_that_matches_without_end_is_refused_and_so_are_inputs_without_end() {
    let error = |inputs: &[String], is_over: bool| {
        let params = serde_json::from_str(r#"{"pattern": "(a*)*b"}"#).unwrap();
        aggregate(&AggregateRequest { op: "extract_regex", inputs, params: &params, limit: 1 }, &|| is_over)
            .unwrap_err()
    };
    let many = ["ab".repeat(60_000), "ab".repeat(60_000)];
    insta::assert_snapshot!(error(&many, false), @"`params.pattern` is (a*)*b; allowed: one that matches at most 100000 times");
    assert_eq!(error(&many, true), Error::OutOfTime);
    let large = ["x".repeat(5 << 20), "x".repeat(5 << 20)];
    insta::assert_snapshot!(error(&large, false), @"`inputs` is 10485760 bytes; allowed: 0 to 8388608 bytes");
}
