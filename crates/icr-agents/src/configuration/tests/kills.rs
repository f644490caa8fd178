//! A run that is killed at any of its steps can be run again, and leaves nothing behind.

use super::super::files::tests::killed_after;
use super::*;

const FILES: &[(&str, &str)] = &[
    (".cursor/hooks.json", "{\"hooks\": {\"stop\": []}}\n"),
    (".config/goose/config.yaml", "extensions:\n  developer:\n    enabled: true\n"),
    (".codex/AGENTS.md", "mine"),
];

fn init_some(home: &Home) {
    home.init(
        &[host("cursor"), host("goose")],
        &[IntegrationMode::Mcp, IntegrationMode::Hook],
        ConfigurationScope::User,
    );
    home.init(&[host("codex")], &[IntegrationMode::Cli, IntegrationMode::Skill], ConfigurationScope::User);
}

fn kill_each_step(prepare: impl Fn(&Home), work: impl Fn(&Home), check: impl Fn(&Home, usize)) {
    for steps in 0..2_000 {
        let home = Home::with(FILES);
        prepare(&home);
        let is_done = killed_after(steps, || work(&home));
        check(&home, steps);
        if is_done {
            assert!(steps > 50, "there are steps to be killed at");
            return;
        }
    }
    panic!("the work has no end");
}

#[test]
fn a_killed_init_is_taken_up_again() {
    let whole = Home::with(FILES);
    init_some(&whole);
    let names = |home: &Home| -> Vec<PathBuf> {
        let below = |path: &PathBuf| path.strip_prefix(&home.directories.home).expect("it lies below").to_owned();
        home.contents().0.keys().map(below).collect()
    };
    kill_each_step(
        |_| {},
        init_some,
        |home, steps| {
            init_some(home);
            assert_eq!(names(home), names(&whole), "killed after {steps}");
            let before = Home::with(FILES);
            home.uninstall(&[]);
            assert_eq!(names(home), names(&before), "killed after {steps}");
            for (path, text) in FILES {
                assert_eq!(fs::read_to_string(home.path(path)).expect("it is there"), *text, "killed after {steps}");
            }
        },
    );
}

#[test]
fn a_killed_init_can_be_uninstalled() {
    kill_each_step(|_| {}, init_some, |home, steps| check_original(home, steps));
}

#[test]
fn a_killed_uninstall_is_taken_up_again() {
    let uninstall = |home: &Home| drop(home.uninstall(&[]));
    kill_each_step(init_some, uninstall, |home, steps| check_original(home, steps));
}

#[track_caller]
fn check_original(home: &Home, steps: usize) {
    let original = Home::with(FILES);
    home.uninstall(&[]);
    let relative = |home: &Home| -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let contents = home.contents().0.into_iter();
        contents
            .map(|(path, text)| (path.strip_prefix(&home.directories.home).expect("it lies below").to_owned(), text))
            .collect()
    };
    assert_eq!(relative(home), relative(&original), "killed after {steps}");
    let left = fs::read_dir(home.agents_directory()).into_iter().flatten().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).filter(|name| name != "lock").collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new(), "killed after {steps}");
}
