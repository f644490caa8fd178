//! Checks of each report format with arbitrary names in the change.

use std::collections::HashSet;

use serde_json::Value;

use super::{sarif_rules, xml};
use crate::Impact;
use crate::report::{
    About, Format, Limit, LinkTemplate, MARKER, RepositoryHost, annotations, dot, gitlab, json, mermaid, plain, render,
    text,
};

pub(crate) fn gaps() -> Vec<String> {
    vec!["3 files are not indexed yet".to_owned()]
}

pub(crate) fn about(gaps: &[String]) -> About<'_> {
    let link = LinkTemplate::new(RepositoryHost::Github, "https://github.com/octo/app", "2222222222");
    About { repo: Some("octo/app".to_owned()), version: "0.1.0", gaps, link, gate: None }
}

#[track_caller]
pub(crate) fn rendered(impact: &Impact, format: Format, limit: &Limit) -> String {
    render(impact, format, &about(&gaps()), limit).expect("every format but the page is made here")
}

#[track_caller]
pub(crate) fn check_json(impact: &Impact) {
    serde_json::from_str::<Value>(&json(impact)).unwrap();
}

#[track_caller]
pub(crate) fn check_sarif(impact: &Impact) {
    let log: Value = serde_json::from_str(&rendered(impact, Format::Sarif, &Limit::NONE)).unwrap();
    sarif_rules::check_log(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() <= 5_000);
    let mut fingerprints = HashSet::new();
    for result in results {
        assert!(fingerprints.insert(result["partialFingerprints"]["icrImpact/v1"].as_str().unwrap()));
        assert!(result["relatedLocations"].as_array().is_none_or(|related| related.len() <= 100));
    }
}

#[track_caller]
pub(crate) fn check_gitlab(impact: &Impact) {
    let rows: Vec<Value> = serde_json::from_str(&gitlab(impact, &About::default())).unwrap();
    assert!(rows.len() <= 5_000);
    let fingerprints: HashSet<&str> = rows.iter().filter_map(|row| row["fingerprint"].as_str()).collect();
    assert_eq!(fingerprints.len(), rows.len());
    let paths: HashSet<&str> = impact.changed.iter().map(|file| file.path.as_str()).collect();
    assert!(rows.iter().all(|row| row["location"]["path"].as_str().is_some_and(|path| paths.contains(path))));
}

#[track_caller]
pub(crate) fn check_junit(impact: &Impact) {
    let junit = rendered(impact, Format::Junit, &Limit::NONE);
    assert_eq!(xml::check(&junit), Ok(()), "{junit}");
    assert_no_command(&junit);
}

/// No line of a log is a command to the host that shows it.
#[track_caller]
fn assert_no_command(text: &str) {
    assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
}

#[track_caller]
pub(crate) fn check_annotations(impact: &Impact) {
    let annotations = annotations(impact, &About::default());
    assert!(!annotations.chars().any(|character| character.is_control() && character != '\n'), "{annotations:?}");
    let mut counts = [0; 3];
    for line in annotations.split_terminator('\n') {
        let (command, rest) = line.strip_prefix("::").unwrap().split_once(' ').unwrap();
        counts[["error", "warning", "notice"].iter().position(|known| *known == command).unwrap()] += 1;
        let (properties, message) = rest.split_once("::").unwrap();
        for property in properties.split(',') {
            let (key, value) = property.split_once('=').unwrap();
            assert!(["file", "line", "endLine", "title"].contains(&key) && !value.contains(':'), "{line}");
        }
        assert!(!message.chars().any(char::is_control), "{line}");
    }
    assert!(counts.iter().all(|count| *count <= 10), "{counts:?}");
}

#[track_caller]
pub(crate) fn check_mermaid(impact: &Impact) {
    let drawing = mermaid(impact);
    let mut nodes = 0;
    let mut edges = 0;
    for line in drawing.lines().skip(1).take_while(|line| !line.contains("classDef")) {
        match line.split_once("[\"") {
            Some((_, label)) => {
                let (label, class) = label.split_once("\"]:::").unwrap();
                assert!(!label.is_empty() && !label.contains(['"', '[', ']', '<', '`', ':']), "{line}");
                assert!(
                    label.split('#').skip(1).all(|entity| entity
                        .split_once(';')
                        .is_some_and(|(name, _)| { name == "quot" || name.bytes().all(|byte| byte.is_ascii_digit()) })),
                    "{line}"
                );
                assert!(class.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
                nodes += 1;
            }
            // A comment; braces in one would be read as a directive.
            None if line.starts_with("  %% not looked into: ") => {
                assert!(!line.contains(['"', '[', ']', '<', '`', '{', '}']), "{line}");
            }
            None => {
                assert!(line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -.=>|\"".contains(&byte)), "{line}");
                edges += 1;
            }
        }
    }
    assert!(nodes <= 40 && edges <= 60, "{nodes} {edges}");
}

#[track_caller]
pub(crate) fn check_dot(impact: &Impact) {
    for line in dot(impact).lines() {
        let unescaped = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(unescaped.matches('"').count() % 2, 0, "{line}");
        let outside: String = unescaped.split('"').step_by(2).collect();
        assert!(outside.is_ascii() && !outside.contains(['<', '|', '&', '`', '@']), "{line}");
    }
}

#[track_caller]
pub(crate) fn check_markdown(impact: &Impact, limit: &Limit) {
    let markdown = rendered(impact, Format::Markdown, limit);
    let (characters, bytes) = (markdown.chars().count(), markdown.len());
    assert!(characters <= limit.characters.max(200) && bytes <= limit.bytes.max(200), "{characters} {bytes}");
    assert!(markdown.starts_with(MARKER));
    let mut fence: Option<&str> = None;
    let mut columns: Option<usize> = None;
    let mut depth = 0;
    for line in markdown.lines().skip(1) {
        if let Some(open) = fence {
            fence = (line != open).then_some(open);
            continue;
        }
        if line.starts_with("```") {
            fence = Some(line.trim_end_matches(char::is_alphabetic));
            continue;
        }
        depth += i32::from(line.starts_with("<details>")) - i32::from(line == "</details>");
        assert!((0..=1).contains(&depth), "{markdown}");
        let pipes = line.matches('|').count();
        match columns {
            _ if !line.starts_with('|') => {
                assert_eq!(pipes, 0, "{line}");
                columns = None;
            }
            None => columns = Some(pipes),
            Some(columns) => assert_eq!(pipes, columns, "{line}"),
        }
        assert_harmless(line);
    }
    assert_eq!((depth, fence), (0, None), "{markdown}");
}

/// Outside of code there is no markup but ours, and nothing that a host makes a reference of.
#[track_caller]
fn assert_harmless(line: &str) {
    assert_eq!(line.matches('`').count() % 2, 0, "{line}");
    let mut words: String = line.split('`').step_by(2).collect();
    for ours in ["details>", "summary>", "code>", "sub>"].iter().flat_map(|tag| [format!("<{tag}"), format!("</{tag}")])
    {
        words = words.replace(&ours, "");
    }
    // Links, which lead to the repository.
    let links = words.split("](").enumerate();
    let words: String = links
        .map(|(at, part)| match part.split_once(')') {
            Some((link, after)) if at > 0 && link.starts_with("https://github.com/octo/app/blob/2222222222/") => after,
            _ => part,
        })
        .collect();
    assert!(!words.contains(['<', '@', '~', '!', '\\', '\u{202e}']) && !words.contains("://"), "{line}");
    let is_entity = |before: &str| before.ends_with('&');
    assert!(words.match_indices('#').all(|(at, _)| is_entity(&words[..at])), "{line}");
}

#[track_caller]
pub(crate) fn check_text(impact: &Impact, limit: &Limit) {
    let lines = text(impact, &about(&gaps()), limit);
    assert!(lines.len() <= limit.lines.max(40), "{}", lines.len());
    let text = plain(&lines);
    assert_eq!(text.lines().count(), lines.len());
    assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text}");
    assert_no_command(&text);
}
