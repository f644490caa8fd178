//! Tiny manifests and what follows from them.

mod rows;

use super::*;

/// Files as `//- path` lines, each followed by its content.
fn files(fixture: &str) -> Vec<(String, Vec<u8>)> {
    fixture
        .split("//- ")
        .skip(1)
        .map(|part| {
            let (path, content) = part.split_once('\n').unwrap_or((part, ""));
            (path.to_owned(), content.as_bytes().to_vec())
        })
        .collect()
}

/// Tools, then a line per command, then warnings; `=` marks declared commands.
fn report(found: &ProjectCommands) -> String {
    let mut lines = vec![format!("tools: {}", found.detected_tools.join(" "))];
    lines.extend(found.commands.iter().map(|command| {
        let sign = if command.declared { '=' } else { '~' };
        let place = if command.directory.is_empty() { String::new() } else { format!(" in {}", command.directory) };
        format!("{} {sign} {}{place} ({}: {})", command.kind.name(), command.command, command.tool, command.source)
    }));
    lines.extend(found.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.join("\n")
}

fn detected(fixture: &str) -> String {
    report(&detect(&files(fixture)))
}

#[test]
fn names_to_read_are_sorted_and_unique() {
    assert!(manifests().is_sorted_by(|a, b| a < b));
    for name in ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "Makefile", "*.csproj", "mvnw", "uv.lock"] {
        assert!(manifests().contains(&name), "{name}");
    }
}

#[test]
fn rows_have_names_of_their_own() {
    let mut names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TOOLS.len());
}

#[test]
fn every_file_of_a_row_is_found_by_its_name() {
    for name in manifests() {
        let path = name.replace('*', "x");
        let read = directories(&[(format!("a/{path}"), Vec::new())]).len();
        assert_eq!(read, 1, "{name}");
    }
}

#[test]
fn text_that_is_not_utf_8_is_read_as_far_as_it_goes() {
    let found = detect(&[("Makefile".to_owned(), b"# \xff\xfe\ntest:\n".to_vec())]);
    assert_eq!(report(&found), "tools: make\ntest = make test (make: Makefile)");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let found = detected("//- package.json\n\u{feff}{\"scripts\": {\"test\": \"x\"}}\n");
    assert_eq!(found, "tools: npm\ntest = npm run test (npm: package.json)");
}

proptest::proptest! {
    #[test]
    fn no_content_panics_and_every_command_is_plain(
        mut fixture in proptest::collection::vec(
            (0..manifests().len(), "(a/|b/c/)?", "(build|test|:|\"scripts\"|[{}\\[\\]=,'\"/*\\\\;$ \n\té]|\\[tool\\.|uv\\]|task|gem|//|/\\*)*"),
            0..8,
        )
    ) {
        let files = |fixture: &[(usize, String, String)]| -> Vec<(String, Vec<u8>)> {
            let path = |no: usize, directory: &str| format!("{directory}{}", manifests()[no].replace('*', "x"));
            fixture.iter().map(|(no, directory, text)| (path(*no, directory), text.clone().into_bytes())).collect()
        };
        fixture.sort();
        fixture.dedup_by_key(|(no, directory, _)| (*no, directory.clone()));
        let found = detect(&files(&fixture));
        for command in &found.commands {
            let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte));
            proptest::prop_assert!(command.command.split(' ').all(|word| !word.is_empty() && plain(word)), "{}", command.command);
        }
        fixture.reverse();
        proptest::prop_assert_eq!(found, detect(&files(&fixture)));
    }
}
