//! Checks SARIF 2.1.0 object by object: required properties are present, and there are no unknown ones.

use std::collections::HashSet;

use serde_json::Value;

#[track_caller]
pub(crate) fn check_log(log: &Value) {
    only(log, &["$schema", "runs", "version"]);
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    for run in rows(&log["runs"]) {
        check_run(run);
    }
}

#[track_caller]
fn check_run(run: &Value) {
    let known =
        ["automationDetails", "columnKind", "invocations", "originalUriBaseIds", "properties", "results", "tool"];
    only(run, &known);
    only(&run["automationDetails"], &["id"]);
    assert!(run["automationDetails"]["id"].is_string());
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    for invocation in rows(&run["invocations"]) {
        only(invocation, &["executionSuccessful", "toolExecutionNotifications"]);
        assert!(invocation["executionSuccessful"].is_boolean());
        for notification in rows(&invocation["toolExecutionNotifications"]) {
            only(notification, &["level", "message"]);
            check_level(&notification["level"]);
            check_message(&notification["message"]);
        }
    }
    let bases = run["originalUriBaseIds"].as_object().unwrap();
    for base in bases.values() {
        only(base, &["description"]);
        check_message(&base["description"]);
    }
    only(&run["tool"], &["driver"]);
    let driver = &run["tool"]["driver"];
    only(driver, &["name", "rules", "version"]);
    assert!(driver["name"].as_str().is_some_and(|name| !name.is_empty()) && driver["version"].is_string());
    let rules = rows(&driver["rules"]);
    let mut ids = HashSet::new();
    for rule in rules {
        check_rule(rule);
        assert!(ids.insert(rule["id"].as_str()), "two rules are called {}", rule["id"]);
    }
    for result in rows(&run["results"]) {
        check_result(result);
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let related = result.get("relatedLocations").map_or(&[][..], rows);
        for location in rows(&result["locations"]).iter().chain(related) {
            let base = &location["physicalLocation"]["artifactLocation"]["uriBaseId"];
            assert!(bases.contains_key(base.as_str().unwrap()), "{base}");
        }
    }
}

#[track_caller]
fn check_rule(rule: &Value) {
    let known = ["defaultConfiguration", "fullDescription", "help", "id", "name", "properties", "shortDescription"];
    only(rule, &known);
    assert!(rule["id"].is_string() && rule["name"].is_string() && rule["properties"].is_object(), "{rule}");
    ["fullDescription", "help", "shortDescription"].iter().for_each(|text| check_message(&rule[text]));
    only(&rule["defaultConfiguration"], &["level"]);
    check_level(&rule["defaultConfiguration"]["level"]);
}

#[track_caller]
fn check_result(result: &Value) {
    let known = ["level", "locations", "message", "partialFingerprints", "relatedLocations", "ruleId", "ruleIndex"];
    only(result, &known);
    check_level(&result["level"]);
    check_message(&result["message"]);
    assert_eq!(rows(&result["locations"]).len(), 1, "a finding stands at one place");
    rows(&result["locations"]).iter().for_each(check_location);
    let fingerprints = result["partialFingerprints"].as_object().unwrap();
    assert!(!fingerprints.is_empty() && fingerprints.values().all(Value::is_string), "{fingerprints:?}");
    if let Some(related) = result.get("relatedLocations") {
        let ids: HashSet<u64> = rows(related).iter().filter_map(|location| location["id"].as_u64()).collect();
        assert_eq!(ids.len(), rows(related).len(), "every one has an id of its own");
        for location in rows(related) {
            check_location(location);
            check_message(&location["message"]);
        }
    }
}

#[track_caller]
fn check_location(location: &Value) {
    only(location, &["id", "message", "physicalLocation"]);
    let place = &location["physicalLocation"];
    only(place, &["artifactLocation", "region"]);
    only(&place["artifactLocation"], &["uri", "uriBaseId"]);
    check_uri(place["artifactLocation"]["uri"].as_str().unwrap());
    if let Some(region) = place.get("region") {
        only(region, &["endLine", "startLine"]);
        let (first, last) = (region["startLine"].as_u64().unwrap(), region["endLine"].as_u64().unwrap());
        assert!(1 <= first && first <= last, "{region}");
    }
}

/// A path relative to its base: what is no unreserved character or slash is percent-encoded (RFC 3986, 2.1).
#[track_caller]
fn check_uri(uri: &str) {
    assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)), "{uri}");
    let is_encoded = |rest: &str| rest.bytes().take_while(u8::is_ascii_hexdigit).take(2).count() == 2;
    assert!(uri.split('%').skip(1).all(is_encoded), "{uri}");
}

/// A text without links and placeholders: braces and the middles of links are escaped (3.11.5, 3.11.6).
#[track_caller]
fn check_message(message: &Value) {
    only(message, &["text"]);
    let text = message["text"].as_str().unwrap();
    assert!(text.match_indices("](").all(|(at, _)| text[..at].ends_with('\\')), "{text}");
    for brace in ['{', '}'] {
        assert!(text.split(|character| character != brace).all(|run| run.len() % 2 == 0), "{text}");
    }
}

#[track_caller]
fn check_level(level: &Value) {
    assert!(["none", "note", "warning", "error"].iter().any(|known| level == known), "{level}");
}

/// That all properties of an object are `known`; those of our own stand in `properties`, where the standard allows any.
#[track_caller]
fn only(object: &Value, known: &[&str]) {
    let object = object.as_object().unwrap_or_else(|| panic!("{object} is no object"));
    let unknown: Vec<&String> = object.keys().filter(|key| !known.contains(&key.as_str())).collect();
    assert!(unknown.is_empty(), "the standard does not know {unknown:?}");
}

#[track_caller]
pub(crate) fn rows(list: &Value) -> &[Value] {
    list.as_array().unwrap_or_else(|| panic!("{list} is no list"))
}
