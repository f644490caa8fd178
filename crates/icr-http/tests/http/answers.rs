//! Questions and answers, held against the description of them.

use serde_json::{Value, json};

use crate::place::Place;

/// A request for every question, in the order of the table.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("GET", "/api/cochange", "path=src/auth.py"),
    ("GET", "/api/commits", "limit=5"),
    ("GET", "/api/context", "goal=validate tokens"),
    ("GET", "/api/diff", "range=HEAD~1..HEAD"),
    ("GET", "/api/health", ""),
    ("GET", "/api/impact", "rev=HEAD"),
    ("POST", "/api/impact", r#"{"patch": "PATCH"}"#),
    ("POST", "/api/link", "{}"),
    ("GET", "/api/map", ""),
    ("GET", "/api/memoirs", ""),
    ("POST", "/api/memory", r#"{"topic": "decisions", "content": "validate_token strips white space"}"#),
    ("GET", "/api/memory/list", ""),
    ("GET", "/api/memory/recall", "query=white space"),
    ("GET", "/api/memory/stats", ""),
    ("GET", "/api/memory/topics", ""),
    ("GET", "/api/metrics", ""),
    ("GET", "/api/neighbors", "path=src/auth.py"),
    ("GET", "/api/outline", "path=src/auth.py"),
    ("GET", "/api/pack", "query=how is a token validated"),
    ("GET", "/api/read", "path=src/auth.py&start=2&end=4"),
    ("GET", "/api/refs", "symbol=validate_token"),
    ("GET", "/api/repos", ""),
    ("POST", "/api/run", r#"{"argv": ["echo", "said"]}"#),
    ("GET", "/api/search", "query=validate token&explain=true"),
    ("GET", "/api/search/lines", "query=token"),
    ("GET", "/api/status", ""),
    ("GET", "/api/symbols", "query=validate"),
    ("GET", "/api/task", "goal=validate tokens"),
    ("GET", "/api/traces", "last=50"),
];

/// What is described and not asked above: it needs the id of something, takes something away, or
/// answers with a stream.
const ASKED_ELSEWHERE: [&str; 7] = [
    "post /api/index",
    "get /api/memoirs/{name}",
    "delete /api/memory/item/{id}",
    "post /api/repos",
    "delete /api/repos/{id}",
    "put /api/repos/{id}/watch",
    "delete /api/repos/{id}/watch",
];

const PATCH: &str = "--- a/src/errors.py\n+++ b/src/errors.py\n@@ -1,2 +1,2 @@\n-class AuthError(Exception):\n+class LoginError(Exception):\n     pass\n";

/// Where `value` is not what `schema` says, by the keywords that descriptions use; others are a mistake of this function.
fn problems_of(value: &Value, schema: &Value, description: &Value, at: &str) -> Vec<String> {
    let Some(keywords) = schema.as_object() else { return Vec::new() };
    let mut problems = Vec::new();
    let here = |inner: &Value| problems_of(value, inner, description, at);
    for (keyword, rule) in keywords {
        let rules = || rule.as_array().expect("a list").iter();
        match keyword.as_str() {
            "$ref" => {
                let place =
                    rule.as_str().and_then(|place| place.strip_prefix('#')).expect("a place in the description");
                let inner = description.pointer(place).unwrap_or_else(|| panic!("{place} is described nowhere"));
                problems.extend(here(inner));
            }
            "allOf" => problems.extend(rules().flat_map(here)),
            "anyOf" if rules().all(|inner| !here(inner).is_empty()) => {
                problems.push(format!("{at}: {value} is none of {rule}"))
            }
            "oneOf" if rules().filter(|inner| here(inner).is_empty()).count() != 1 => {
                problems.push(format!("{at}: {value} is not one of {rule}"));
            }
            "type" => {
                let names: Vec<&str> = rule
                    .as_str()
                    .into_iter()
                    .chain(rule.as_array().into_iter().flatten().filter_map(Value::as_str))
                    .collect();
                if !names.iter().any(|name| is_of(value, name)) {
                    problems.push(format!("{at}: {value} is no {rule}"));
                }
            }
            "const" if rule != value => problems.push(format!("{at}: {value} is not {rule}")),
            "enum" if !rules().any(|word| word == value) => problems.push(format!("{at}: {value} is not among {rule}")),
            "required" => {
                let missing = rules().filter_map(Value::as_str).filter(|name| value.get(*name).is_none());
                problems.extend(missing.map(|name| format!("{at}: `{name}` is missing")));
            }
            "properties" => {
                for (name, inner) in rule.as_object().expect("properties") {
                    if let Some(field) = value.get(name) {
                        problems.extend(problems_of(field, inner, description, &format!("{at}/{name}")));
                    }
                }
            }
            "additionalProperties" => {
                let described =
                    |name: &String| keywords.get("properties").is_some_and(|fields| fields.get(name).is_some());
                for (name, field) in value.as_object().into_iter().flatten().filter(|(name, _)| !described(name)) {
                    problems.extend(problems_of(field, rule, description, &format!("{at}/{name}")));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    problems.extend(problems_of(item, rule, description, &format!("{at}/{index}")));
                }
            }
            "prefixItems" => {
                for (index, inner) in rules().enumerate() {
                    problems.extend(
                        value.get(index).map(|item| problems_of(item, inner, description, at)).unwrap_or_default(),
                    );
                }
            }
            "anyOf" | "oneOf" | "const" | "enum" => {}
            "default" | "description" | "format" | "maxItems" | "maximum" | "minItems" | "minimum" | "title" => {}
            other => panic!("{at}: the keyword `{other}` is held against nothing"),
        }
    }
    problems
}

/// Whether `value` is of a type of JSON Schema.
fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        other => panic!("there is no type `{other}`"),
    }
}

fn asked(place: &Place, method: &str, path: &str, arguments: &str) -> Value {
    let answer = match method {
        "GET" => place.ask("GET", &format!("{path}?{}", arguments.replace(' ', "+")), &[], ""),
        _ => {
            let body = arguments.replace("PATCH", &PATCH.replace('\n', "\\n"));
            place.ask(method, path, &[("Content-Type", "application/json")], &body)
        }
    };
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    answer.json()
}

#[test]
fn answers_are_what_the_description_says() {
    let place = Place::new();
    let description = place.get("/api/openapi.json");
    let mut described: Vec<String> = Vec::new();
    for (path, operations) in description["paths"].as_object().expect("paths") {
        described.extend(operations.as_object().expect("operations").keys().map(|verb| format!("{verb} {path}")));
    }
    let mut tried: Vec<String> =
        REQUESTS.iter().map(|(method, path, _)| format!("{} {path}", method.to_lowercase())).collect();
    tried.extend(ASKED_ELSEWHERE.map(str::to_owned));
    described.sort();
    tried.sort();
    assert_eq!(described, tried, "every question is asked");
    for (method, path, arguments) in REQUESTS {
        if *path == "/api/traces" {
            assert!(place.recorder.flush());
        }
        let answer = asked(&place, method, path, arguments);
        let operation = &description["paths"][path][method.to_lowercase()];
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        let problems = problems_of(&answer, schema, &description, "");
        assert!(problems.is_empty(), "{method} {path}: {problems:#?}\n{answer:#}");
        let other = json!({ "nothing": "like it" });
        assert!(!problems_of(&other, schema, &description, "").is_empty(), "{path} is described as anything");
    }
}

#[test]
fn the_own_repository_has_an_id_before_it_has_an_index() {
    let place = Place::new();
    let id = place.get("/api/repos")["current"].as_str().expect("an id").to_owned();
    assert_eq!(place.get(&format!("/api/search?query=token&repo={id}"))["provenance"]["repo_id"], id.as_str());
    let other = place.ask("GET", "/api/search?query=token&repo=0123456789abcdef", &[], "");
    assert_eq!(other.status, 404);
}

#[test]
fn a_name_that_is_not_found_has_similar_names() {
    let place = Place::new();
    let found = place.get("/api/symbols?query=AuthErorr");
    assert_eq!((&found["total_count"], &found["similar"]), (&json!(0), &json!(["AuthError"])));
    assert!(place.get("/api/symbols?query=AuthError").get("similar").is_none());
}

#[test]
fn a_map_suggests_paths_that_are_described() {
    let place = Place::new();
    let (map, description) = (place.get("/api/context?goal=validate+tokens"), place.get("/api/openapi.json"));
    let text = map["text"].as_str().expect("a text");
    let steps = text.split_once("## Tools\n").and_then(|(_, steps)| steps.lines().next()).expect("next steps");
    for step in steps.split(" | ") {
        let path = step.split('?').next().unwrap_or_default();
        assert!(description["paths"].get(path).is_some(), "{step}");
    }
}

#[test]
fn questions_of_one_process_are_about_the_view_that_they_name() {
    let place = Place::new();
    let head = place.fixture.git(&["rev-parse", "HEAD"]);
    let before = place.get("/api/read?path=src/errors.py&rev=HEAD~1");
    let after = place.get("/api/read?path=src/errors.py");
    assert!(before["content"].as_str().is_some_and(|text| !text.contains("Expired")));
    assert!(after["content"].as_str().is_some_and(|text| text.contains("Expired")));
    assert_eq!(after["provenance"]["commit"], head.trim());
    place.fixture.write("//- src/errors.py\nclass Renamed(Exception):\n    pass\n");
    let edited = place.get("/api/outline?path=src/errors.py");
    assert_eq!(edited["symbols"][0]["name"], "Renamed");
    assert_eq!(edited["provenance"]["dirty"], 1);
    assert_eq!(place.get("/api/outline?path=src/errors.py&rev=HEAD")["symbols"][0]["name"], "AuthError");
}

#[test]
fn a_diff_says_what_git_says() {
    let place = Place::new();
    place.fixture.write("//- new.txt\none\ntwo\n//- src/users.py\n");
    for (source, range) in
        [("range=HEAD~1..HEAD", "HEAD~1..HEAD"), ("rev=HEAD", "HEAD~1..HEAD"), ("worktree=true", "HEAD")]
    {
        if source.starts_with("worktree") {
            place.fixture.git(&["add", "-A"]);
        }
        let diff = place.get(&format!("/api/diff?{source}"));
        let numbers =
            |file: &Value| format!("{}\t{}\t{}", file["added"], file["removed"], file["path"].as_str().unwrap_or("?"));
        let told: Vec<String> = diff["files"].as_array().expect("files").iter().map(numbers).collect();
        let git = place.fixture.git(&["diff", "--numstat", "--histogram", range]);
        assert_eq!(told.join("\n"), git.trim(), "{source}");
        let lines = |file: &Value| -> Vec<String> {
            let hunks = file["hunks"].as_array().expect("hunks").iter();
            let lines = hunks.flat_map(|hunk| hunk["lines"].as_array().expect("lines"));
            lines.map(|line| line.as_str().expect("a line").to_owned()).collect()
        };
        let told: Vec<String> = diff["files"].as_array().expect("files").iter().flat_map(lines).collect();
        let git = place.fixture.git(&["diff", "--histogram", range]);
        let is_line = |line: &&str| {
            matches!(line.as_bytes().first(), Some(b' ' | b'+' | b'-'))
                && !line.starts_with("+++")
                && !line.starts_with("---")
        };
        assert_eq!(told, git.lines().filter(is_line).collect::<Vec<_>>(), "{source}");
    }
}

#[test]
fn arguments_that_are_wrong_are_named() {
    let place = Place::new();
    let error = |path: &str| {
        let answer = place.ask("GET", path, &[], "");
        let error = &answer.json()["error"];
        format!(
            "{} {} {}",
            answer.status,
            error["field"].as_str().unwrap_or("-"),
            error["message"].as_str().unwrap_or("?")
        )
    };
    let check = |path: &str, expected: &str| assert_eq!(error(path), expected, "{path}");
    check("/api/search", "400 query `query` is missing; it must be a string");
    check("/api/search?query=", "400 query `query` is 0 characters long; allowed: at least 1 characters");
    check("/api/search?query=a&limit=0", "400 limit `limit` is 0; allowed: at least 1");
    check("/api/search?query=a&limit=many", "400 limit `limit` must be an integer, not a string");
    check("/api/search?query=a&qery=b", "400 qery `qery` is not an argument here; did you mean `query`?");
    check("/api/search?query=a&query=b", "400 query `query` is given twice");
    check("/api/read?path=nothing.py", "404 - `nothing.py` is not in the view of the worktree on `main`");
    check("/api/read?path=../../etc/passwd", "404 - `../../etc/passwd` is not in the view of the worktree on `main`");
    for lines in ["start=99999999999999999999", "start=4294967296", "start=1e300"] {
        let said = error(&format!("/api/read?path=src/errors.py&{lines}"));
        assert!(said.starts_with("400 start `start` is ") && said.ends_with("; allowed: at most 4294967295"), "{said}");
    }
    check("/api/read?path=a&end=1.5", "400 end `end` must be an integer, not a number with a fraction");
    check("/api/search?query=a&rev=nothing", "404 - revision `nothing` not found");
    check(
        "/api/search?query=a&repo=0123456789abcdef",
        "404 repo no repository with an index has the id `0123456789abcdef`",
    );
    check(
        "/api/impact?rev=HEAD&staged=true",
        "400 - only one of `range`, `rev`, `staged` and `worktree` names a change",
    );
    check("/api/diff?depth=2", "400 depth `depth` is not an argument here");
    check("/api/impact?path=src", "400 path `path` is not an argument here");
    check("/api/impact?depth=6", "400 depth `depth` is 6; allowed: at most 5");
    check("/api/pack?query=a&budget=511", "400 budget `budget` is 511; allowed: at least 512");
    check("/api/pack?query=a&budget=200001", "400 budget `budget` is 200001; allowed: at most 200000");
    let said = error("/api/pack?query=a&budget=32001");
    assert!(said.starts_with("400 ") && said.contains("512 to 32000 model tokens"), "{said}");
    assert_eq!(place.ask("PUT", "/api/search", &[], "").error().0, 405);
}

#[test]
fn bodies_that_are_wrong_are_told_what_is_wanted() {
    let place = Place::new();
    let check = |path: &str, kind: &str, body: &str, expected: &str| {
        let answer = place.ask("POST", path, &[("Content-Type", kind)], body);
        let error = &answer.json()["error"];
        let told = [&error["field"], &error["message"]].map(|text| text.as_str().unwrap_or("-").to_owned());
        assert_eq!((answer.status, told.join(" ").as_str()), (400, expected), "{path}");
    };
    check("/api/memory", "application/json", "[]", "- the body must be an object of JSON");
    let wanted = "the `Content-Type` must be `application/json`";
    for path in ["/api/memory", "/api/run"] {
        check(path, "text/plain", "{}", &format!("Content-Type the body is `text/plain`; {wanted}"));
    }
    let of_patch = format!("Content-Type the body is of no type; {wanted}, or `text/x-diff` for a patch itself");
    check("/api/impact", "", PATCH, &of_patch);
    let json = "application/json";
    check("/api/impact", json, r#"{"patch": "", "depth": 6}"#, "depth `depth` is 6; allowed: at most 5");
    let root = place.fixture.root().canonicalize().expect("it is there");
    let outside = format!("directory `../..` is not a directory inside the worktree `{}`", root.display());
    check("/api/run", json, r#"{"argv": ["echo"], "directory": "../.."}"#, &outside);
    let nul = r#"directory the path "a\0" has a NUL byte, which no program can be given"#;
    check("/api/run", json, r#"{"argv": ["echo"], "directory": "a\u0000"}"#, nul);
}

#[test]
fn an_empty_patch_changes_nothing_in_either_form() {
    let place = Place::new();
    for (kind, body) in [("text/x-diff", ""), ("application/json", r#"{"patch": ""}"#)] {
        let answer = place.ask("POST", "/api/impact", &[("Content-Type", kind)], body);
        assert_eq!((answer.status, &answer.json()["verdict"]), (200, &json!("empty")), "{kind}: {}", answer.body);
    }
}

#[test]
fn memories_are_kept_recalled_and_deleted() {
    let place = Place::new();
    place.get("/api/status");
    let json = [("Content-Type", "application/json")];
    let stored = place
        .ask(
            "POST",
            "/api/memory",
            &json,
            r#"{"topic": "t", "content": "validate_token strips", "importance": "high"}"#,
        )
        .json();
    let id = stored["id"].as_str().expect("an id").to_owned();
    let recalled = place.get("/api/memory/recall?query=what+strips");
    assert_eq!(recalled["memories"][0]["id"], id.as_str());
    assert_eq!(recalled["memories"][0]["code"][0]["path"], "src/auth.py");
    assert_eq!(place.ask("DELETE", &format!("/api/memory/item/{id}"), &[], "").status, 200);
    assert_eq!(place.ask("DELETE", &format!("/api/memory/item/{id}"), &[], "").status, 404);
    assert_eq!(place.get("/api/memory/topics")["topics"], json!([]));
    assert_eq!(place.ask("GET", "/api/memoirs/nothing", &[], "").status, 404);
}

#[test]
fn a_memory_of_another_repository_is_deleted_only_if_the_caller_says_so() {
    let place = Place::new();
    let other = icr_fixture::Fixture::new("//- only.rs\nfn only_here() {}\n");
    other.commit("first");
    let json = [("Content-Type", "application/json")];
    let there = serde_json::json!({ "path": other.root() }).to_string();
    let there = place.ask("POST", "/api/repos", &json, &there).json()["repo_id"].as_str().expect("an id").to_owned();
    let fact = r#"{"topic": "t", "content": "The queue is bounded."}"#;
    let id = place.ask("POST", "/api/memory", &json, fact).json()["id"].as_str().expect("an id").to_owned();
    place.ask("POST", &format!("/api/index?repo={}", other.root().display()), &[], "");
    let refused = place.ask("DELETE", &format!("/api/memory/item/{id}?repo={there}"), &[], "");
    let message = format!(
        "there is no memory `{id}` here: it is of another repository; name that by `repo`, or add `all_projects`"
    );
    assert_eq!((refused.status, &refused.json()["error"]["message"]), (404, &json!(message)));
    let anyhow = place.ask("DELETE", &format!("/api/memory/item/{id}?repo={there}&all_projects=true"), &[], "");
    assert_eq!(anyhow.status, 200, "{}", anyhow.body);
    assert_eq!(place.get("/api/memory/topics")["topics"], json!([]));
}

#[test]
fn indexing_a_repository_that_may_not_be_asked_says_how_it_may() {
    let place = Place::new();
    let other = icr_fixture::Fixture::new("//- only.rs\nfn only_here() {}\n");
    let refused = place.ask("POST", &format!("/api/index?repo={}", other.root().display()), &[], "");
    assert!(refused.body.contains("event: error"), "{}", refused.body);
    assert!(refused.body.contains(r#""field":"repo""#) && !refused.body.contains("repo_root"), "{}", refused.body);
    assert!(refused.body.contains("with `POST /api/repos`"), "{}", refused.body);
}

#[test]
fn a_repository_is_registered_asked_by_its_id_and_removed() {
    let place = Place::new();
    let other = icr_fixture::Fixture::new("//- only.rs\nfn only_here() {}\n");
    other.commit("first");
    let json = [("Content-Type", "application/json")];
    let body = serde_json::json!({ "path": other.root() }).to_string();
    let registered = place.ask("POST", "/api/repos", &json, &body);
    assert_eq!(registered.status, 200, "{}", registered.body);
    let id = registered.json()["repo_id"].as_str().expect("an id").to_owned();
    // Its id is known before its index is.
    for method in ["PUT", "DELETE"] {
        let watched = place.ask(method, &format!("/api/repos/{id}/watch"), &[], "");
        assert_eq!(watched.status, 200, "{method}: {}", watched.body);
    }
    let index = place.ask("POST", &format!("/api/index?repo={}", other.root().display()), &[], "");
    assert!(index.body.contains("event: done"), "{}", index.body);
    let found = place.get(&format!("/api/symbols?query=only_here&repo={id}"));
    assert_eq!(found["symbols"][0]["path"], "only.rs");
    let listed = place.get("/api/repos");
    assert!(listed["repositories"].as_array().expect("a list").iter().any(|entry| entry["repo_id"] == id.as_str()));
    let is_watched = || {
        let listed = place.get("/api/repos");
        let entries = listed["repositories"].as_array().expect("a list").clone();
        entries.iter().any(|entry| entry["repo_id"] == id.as_str() && entry["watched"] == true)
    };
    assert!(!is_watched());
    assert_eq!(place.ask("PUT", &format!("/api/repos/{id}/watch"), &[], "").json()["watched"], true);
    assert!(is_watched());
    assert_eq!(place.ask("DELETE", &format!("/api/repos/{id}/watch"), &[], "").json()["watched"], false);
    assert!(!is_watched());
    let root = other.root().to_owned();
    drop(other);
    let gone = place.ask("GET", &format!("/api/status?repo={id}"), &[], "");
    assert_eq!(gone.status, 404, "{} is gone: {}", root.display(), gone.body);
    assert_eq!(place.ask("DELETE", &format!("/api/repos/{id}"), &[], "").json()["removed"], true);
    assert_eq!(place.ask("DELETE", &format!("/api/repos/{id}"), &[], "").status, 404);
    let relative = place.ask("POST", "/api/repos", &json, r#"{"path": "here"}"#);
    assert_eq!(relative.status, 400);
}

#[test]
fn credentials_are_masked_but_where_a_file_is_asked_for_as_it_is() {
    let fixture = icr_fixture::Fixture::new(
        "//- a.py\nKEY = \"ghp_0123456789abcdefghijABCDEFGHIJ456789\"\n\n\ndef use_key():\n    return KEY\n",
    );
    fixture.commit("first");
    let place = Place::of(fixture);
    for path in ["/api/search?query=KEY", "/api/search/lines?query=KEY", "/api/pack?query=KEY", "/api/diff?rev=HEAD"] {
        let answer = place.get(path).to_string();
        assert!(!answer.contains("ghp_0123"), "{path}: {answer}");
    }
    assert!(place.get("/api/read?path=a.py").to_string().contains("ghp_0123"));
}
