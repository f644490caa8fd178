//! The README: its picture shows what icr answers, and its table has every command.

use std::path::Path;

use anstyle_svg::{Palette, Term};
use icr_fixture::Fixture;

use crate::run::Icr;

/// Set in the environment, it writes the picture anew.
const UPDATE: &str = "ICR_UPDATE_GOLDENS";

const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/readme/terminal.svg");

const COURIER: &str = r#"//- Cargo.toml
[package]
name = "courier"
//- src/lib.rs
pub mod delivery;
pub mod retry;
//- src/retry.rs
//! When a failed delivery is tried again.

use std::time::Duration;

/// Attempts before a delivery is given up.
pub const MAX_ATTEMPTS: u32 = 5;

/// How long to wait before the next attempt: twice as long each time.
pub fn backoff(attempt: u32) -> Duration {
    Duration::from_secs(1 << attempt)
}
//- src/delivery.rs
//! Sends what is queued.

use crate::retry::{backoff, MAX_ATTEMPTS};

/// Delivers every parcel of the queue.
pub fn deliver_all() {
    for attempt in 0..MAX_ATTEMPTS {
        if send() {
            return;
        }
        sleep(backoff(attempt));
    }
}
//- tests/retry.rs
use courier::retry::backoff;

#[test]
fn waits_longer_each_time() {
    assert!(backoff(1) < backoff(2));
}
"#;

/// A parameter is added, and no call is mended.
const CHANGED: &str = r#"//- src/retry.rs
//! When a failed delivery is tried again.

use std::time::Duration;

/// Attempts before a delivery is given up.
pub const MAX_ATTEMPTS: u32 = 5;

/// How long to wait before the next attempt: twice as long each time, up to a limit.
pub fn backoff(attempt: u32, limit: Duration) -> Duration {
    limit.min(Duration::from_secs(1 << attempt))
}
"#;

const COMMANDS: &[&[&str]] =
    &[&["search", "how long to wait after a failure", "-n", "2"], &["refs", "backoff"], &["impact"]];

/// The sixteen colors of a terminal, bright enough to be read on black.
fn colors() -> Palette {
    let dark = [
        (12, 12, 12),
        (231, 72, 86),
        (22, 198, 12),
        (249, 241, 165),
        (59, 120, 255),
        (214, 94, 214),
        (97, 214, 214),
        (236, 236, 236),
    ];
    let all: Vec<_> = dark.into_iter().chain(dark).map(Into::into).collect();
    Palette(all.try_into().expect("there are twice eight"))
}

#[test]
fn the_picture_in_the_readme_shows_what_icr_answers() {
    let fixture = Fixture::new(COURIER);
    fixture.write(CHANGED);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let mut screen = String::new();
    for command in COMMANDS {
        let typed: Vec<String> = command
            .iter()
            .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
            .collect();
        let answer = icr.run(&[&["--color", "always"], *command].concat());
        assert_eq!(answer.stderr, "", "{command:?}");
        screen.push_str(&format!("\u{1b}[1m$ icr {}\u{1b}[0m\n{}\n", typed.join(" "), answer.stdout));
    }
    let picture = Term::new().palette(colors()).min_width_px(1000).render_svg(screen.trim_end());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::create_dir_all(Path::new(PICTURE).parent().expect("a file has a directory")).expect("it can be made");
        std::fs::write(PICTURE, &picture).expect("the picture can be written");
    }
    let drawn = std::fs::read_to_string(PICTURE).expect("the picture is there");
    assert!(drawn == picture, "the picture in the README is out of date; run this test with {UPDATE}=1 and look at it");
}

#[test]
fn the_readme_has_a_row_for_every_command() {
    let fixture = Fixture::new("//- a.txt\na\n");
    let help = Icr::new(&fixture).prints(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A line that goes on with the sentence of the one before begins further right.
    let names: Vec<&str> = commands
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 50, "{help}");
    let readme = include_str!("../../../../README.md");
    let quoted: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("| `icr "))
        .filter_map(|line| line.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .filter_map(|command| command.trim_start_matches("icr ").split_whitespace().next())
        .collect();
    let absent: Vec<&&str> = names.iter().filter(|name| !quoted.contains(name)).collect();
    assert!(absent.is_empty(), "the table of commands in the README lacks {absent:?}");
}
