//! Files that are left as they are, and what is said of them.

use super::*;

/// `init` of a host with `text` in its file.
#[track_caller]
fn check(name: &str, path: &str, text: &str, expected: &str) {
    let home = Home::with(&[(path, text)]);
    let before = home.contents();
    let report = home.init(&[host(name)], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), expected);
    home.contents().check_same(&before, expected);
}

#[track_caller]
fn check_cursor(text: &str, expected: &str) {
    check("cursor", ".cursor/mcp.json", text, expected);
}

#[test]
fn json_of_another_kind_is_left_alone() {
    check_cursor("null", "the file is null, where an object is expected\n");
    check_cursor("[]", "the file is an array, where an object is expected\n");
    check_cursor("\"x\"", "the file is a string, where an object is expected\n");
    check_cursor("{\"mcpServers\": []}", "`mcpServers` is an array, where an object is expected\n");
    check_cursor("{\"mcpServers\": null}", "`mcpServers` is null, where an object is expected\n");
    check_cursor(
        "{\"mcpServers\": {},\n \"mcpServers\": {}}",
        "line 2, column 2: the key `mcpServers` is there a second time; remove one of them first\n",
    );
}

#[test]
fn what_hooks_need_beside_them_is_not_written_without_them() {
    let home = Home::with(&[(".cursor/hooks.json", "{\"hooks\": null}")]);
    let before = home.contents();
    let report = home.init(&[host("cursor")], &[IntegrationMode::Hook], ConfigurationScope::User);
    assert!(refusals(&report).contains("`hooks` is null, where an object is expected"), "{}", refusals(&report));
    home.contents().check_same(&before, "the file");
}

#[test]
fn aliases_that_stand_for_gigabytes_are_not_followed() {
    let names: Vec<char> = ('b'..='i').collect();
    let mut text = format!("a: &a [{}]\n", ["x"; 9].join(", "));
    for (before, name) in ('a'..='h').zip(names) {
        text.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 9].join(", ")));
    }
    check(
        "goose",
        ".config/goose/config.yaml",
        &text,
        "the file is more aliases than a configuration has, where at most 20 is expected\n",
    );
}

#[test]
fn a_block_that_somebody_broke_is_left_to_him() {
    let broken = "MINE <!-- icr:begin (`icr uninstall` takes this block out) -->\nx\n<!-- icr:end -->\n";
    let twice = "<!-- icr:begin -->\nx\n<!-- icr:end -->\n<!-- icr:begin -->\nx\n<!-- icr:end -->\n";
    for text in [broken, twice, "x\n<!-- icr:end -->\n"] {
        let home = Home::with(&[(".claude/CLAUDE.md", text)]);
        let report = home.init(&[host("claude-code")], &[IntegrationMode::Cli], ConfigurationScope::User);
        assert!(refusals(&report).contains("block of icr"), "{text}: {}", refusals(&report));
    }
}

#[test]
fn what_does_not_parse_is_named_by_line_and_column() {
    check_cursor("{\n  \"mcpServers\": {}\n  \"x\": 1\n}", "line 3, column 3: expected `,` or `}`; correct it first\n");
    check_cursor(
        "{\n  mcpServers: {}\n}",
        "line 2, column 3: expected a key in double quotes, or `}`; correct it first\n",
    );
    check_cursor("{\"a\": 'x'}", "line 1, column 7: expected a value; correct it first\n");
    check_cursor("{} {}", "line 1, column 4: expected the end of the file; correct it first\n");
    check_cursor("{ /* ", "line 1, column 3: expected an end of the comment that begins here; correct it first\n");
    check_cursor("{\"a", "line 1, column 2: expected an end of the string that begins here; correct it first\n");
    check(
        "codex",
        ".codex/config.toml",
        "a = 1\nb = = 2\n",
        "line 2, column 5: expected TOML (extra `=`, expected nothing); correct it first\n",
    );
    check_cursor(&"[".repeat(100_000), "line 1, column 202: expected less nesting; correct it first\n");
}

#[test]
fn a_file_of_ten_megabytes_is_left_alone() {
    let text = format!("{{\"a\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    check_cursor(&text, "it has 10485769 bytes; icr edits files of at most 5242880\n");
}

#[test]
fn unusual_yaml_and_toml_come_with_the_lines_to_add() {
    check(
        "goose",
        ".config/goose/config.yaml",
        "extensions: {a: {enabled: true}}\n",
        "the value is in flow style, or has an anchor or a tag; add these lines by hand:\nextensions:\n  icr:\n    type: stdio\n    name: icr\n    cmd: /opt/icr/bin/icr\n    args:\n      - mcp\n    envs: {}\n    enabled: true\n    timeout: 300\n\n",
    );
    check(
        "continue",
        ".continue/config.yaml",
        "{name: x}\n",
        "the file is in flow style, or has an anchor or a tag at its beginning; add these lines by hand:\nmcpServers:\n  - name: icr\n    command: /opt/icr/bin/icr\n    args:\n      - mcp\n\n",
    );
    check(
        "codex",
        ".codex/config.toml",
        "mcp_servers = {}\n",
        "the table is written inline, which icr does not edit; add these lines by hand:\n[mcp_servers.icr]\ncommand = \"/opt/icr/bin/icr\"\nargs = [\"mcp\"]\n\n",
    );
    let home = Home::with(&[(".continue/config.json", "{}")]);
    let report = home.init(&[host("continue")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), "there is no such file yet; start Continue once, which makes it\n");
}

#[test]
fn one_refusal_keeps_nothing_from_the_others() {
    let home = Home::with(&[(".cursor/mcp.json", "null"), (".junie/mcp/mcp.json", "{}")]);
    let report = home.init(&[host("cursor"), host("junie")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!((report.has_refusals(), changed(&report)), (true, 1));
}

#[test]
fn an_entry_of_that_name_that_is_not_icrs_needs_force() {
    let text = "{\"mcpServers\": {\"icr\": {\"command\": \"image-cropper\"}}}";
    check_cursor(text, "`mcpServers.icr` is there already and is not icr's; `--force` replaces it\n");
    check_forced(text);
}

#[test]
fn an_entry_whose_program_is_gone_needs_force() {
    let text = "{\"mcpServers\": {\"icr\": {\"command\": \"/gone/icr\", \"args\": [\"mcp\"]}}}";
    check_cursor(text, "`mcpServers.icr` runs `/gone/icr`, which is not there; `--force` replaces it\n");
    check_forced(text);
}

/// What is forced in is taken out again, and what was there before comes back, also beside what came in since.
#[track_caller]
fn check_forced(text: &str) {
    let home = Home::with(&[(".cursor/mcp.json", text)]);
    let before = home.contents();
    let force = |request: InitRequest<'_>| {
        init(&InitRequest { hosts: &[host("cursor")], force: true, ..request }).expect("the manifest can be written")
    };
    assert_eq!(refusals(&home.init_with(force)), "");
    let path = home.path(".cursor/mcp.json");
    let forced = fs::read_to_string(&path).expect("it is there");
    assert!(forced.contains("/opt/icr/bin/icr") && !forced.contains("gone") && !forced.contains("cropper"), "{forced}");
    home.uninstall(&[]);
    home.contents().check_same(&before, "forced");
    home.init_with(force);
    write(&path, &fs::read_to_string(&path).expect("it is there").replacen('{', "{\"mine\": 1, ", 1));
    home.uninstall(&[]);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), text.replacen('{', "{\"mine\": 1, ", 1));
}

#[test]
fn an_entry_that_was_changed_by_hand_needs_force_and_goes_anyway() {
    let home = Home::with(&[(".cursor/mcp.json", "{\n  \"mcpServers\": {}\n}\n")]);
    let before = home.contents();
    home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    let path = home.path(".cursor/mcp.json");
    let text = fs::read_to_string(&path).expect("it is there");
    write(&path, &text.replace("\"stdio\"", "\"stdio\", \"disabled\": true"));
    let report = home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), "`mcpServers.icr` was changed by hand; `--force` replaces it\n");
    assert_eq!(refusals(&home.uninstall(&[])), "");
    home.contents().check_same(&before, "changed by hand");
}

#[test]
fn a_file_that_was_damaged_since_keeps_its_row_until_it_is_mended() {
    let home = Home::with(&[(".cursor/mcp.json", "{}\n")]);
    home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    let path = home.path(".cursor/mcp.json");
    let text = fs::read_to_string(&path).expect("it is there");
    write(&path, &format!("{text}}}"));
    assert_eq!(refusals(&home.uninstall(&[])), "line 10, column 1: expected the end of the file; correct it first\n");
    write(&path, &format!("{text}// mended\n"));
    assert_eq!(refusals(&home.uninstall(&[])), "");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "{}\n// mended\n");
}

#[test]
fn a_directory_in_the_place_of_a_file_is_left_alone() {
    let home = Home::with(&[(".cursor/mcp.json/x", "")]);
    let report = home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), "it is a directory, where a file is expected\n");
}

#[test]
fn bytes_that_are_not_text_are_left_alone() {
    let home = Home::with(&[]);
    fs::create_dir(home.path(".cursor")).expect("it can be made");
    fs::write(home.path(".cursor/mcp.json"), b"\xff\xfe{\0}\0").expect("it can be written");
    let report = home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), "it is not UTF-8 text (byte 0 is not); save it as UTF-8 first\n");
}

#[cfg(unix)]
#[test]
fn links_are_not_written_through() {
    use std::os::unix::fs::symlink;
    let home = Home::with(&[("dotfiles/mcp.json", "{}"), (".cursor/x", "")]);
    symlink(home.path("dotfiles/mcp.json"), home.path(".cursor/mcp.json")).expect("it can be made");
    let report = home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    let target = home.path("dotfiles/mcp.json");
    assert_eq!(
        refusals(&report),
        format!("it is a link to `{}`; edit that file by hand, or put a file in the link's place\n", target.display())
    );
    let repository = home.path("code/repo");
    symlink(home.path("dotfiles"), repository.join(".cursor")).expect("it can be made");
    let report = home.init(&[host("cursor")], &[IntegrationMode::Mcp], ConfigurationScope::Project);
    assert!(refusals(&report).ends_with("and what a repository brings is not followed\n"), "{}", refusals(&report));
}

#[cfg(unix)]
#[test]
fn modes_stay_and_new_files_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let home = Home::with(&[(".cursor/mcp.json", "{}"), (".junie/mcp/mcp.json", "{}")]);
    let path = home.path(".cursor/mcp.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("they can be set");
    let read_only = home.path(".junie/mcp/mcp.json");
    fs::set_permissions(&read_only, fs::Permissions::from_mode(0o444)).expect("they can be set");
    let report =
        home.init(&[host("cursor"), host("junie"), host("kiro")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), "it is read-only; make it writable if icr is to change it\n");
    assert_eq!(mode(&path), 0o664);
    assert_eq!(mode(&home.path(".kiro/settings/mcp.json")), 0o600);
    assert_eq!(mode(&home.path(".kiro/settings")), 0o700);
    assert_eq!(mode(&home.agents_directory().join("manifest.json")), 0o600);
    home.uninstall(&[]);
    assert_eq!(mode(&path), 0o664);
}

#[test]
fn a_relative_directory_in_the_environment_is_no_place() {
    let mut home = Home::with(&[]);
    home.directories.variables.push(("CODEX_HOME".to_owned(), "codex".to_owned()));
    let report = home.init(&[host("codex")], &[IntegrationMode::Mcp], ConfigurationScope::User);
    assert_eq!(refusals(&report), "CODEX_HOME is `codex`; icr needs an absolute path there\n");
}

#[test]
fn a_manifest_of_a_newer_icr_is_not_touched() {
    let home = Home::with(&[]);
    write(&home.agents_directory().join("manifest.json"), "{\"version\": 7, \"files\": []}");
    let error = home.init_with(|request| init(&request).map(drop)).expect_err("it is newer");
    assert!(
        error.to_string().ends_with("was written by a newer icr (its format is 7, this icr knows 1); use that one")
    );
}
