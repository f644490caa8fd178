//! The table of hosts, and what each row writes into files that people have written.

use super::super::wanted_entries::{WantedEntry, wanted_entries};
use super::*;

mod hooks;
mod instructions;
mod servers;

#[test]
fn rows_are_sorted_and_names_are_their_own() {
    let names: Vec<_> = AgentHost::ALL.iter().map(|host| host.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn no_two_hosts_want_different_things_at_one_place() {
    let home = Home::with(&[(".continue/config.yaml", "")]);
    for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
        let mut all = Vec::new();
        home.init_with(|request| {
            let request = InitRequest { scope, ..request };
            for (host, mode) in AgentHost::ALL.iter().flat_map(|host| IntegrationMode::ALL.map(|mode| (host, mode))) {
                all.extend(wanted_entries(&request, host, mode).into_iter().flatten());
            }
        });
        for (at, one) in all.iter().enumerate() {
            let same = |other: &&WantedEntry| other.path == one.path && other.entry.place == one.entry.place;
            for other in all[at..].iter().filter(same) {
                assert_eq!(other.entry.content, one.entry.content, "{} {}", one.host.name, other.host.name);
            }
        }
    }
}

/// What `init` makes of the hand-written files of a host.
fn diffs(name: &str, modes: &[IntegrationMode], scope: ConfigurationScope) -> String {
    let home = Home::with(homes::HAND_WRITTEN);
    let report = home.init_with(|request| {
        let request = InitRequest { hosts: &[host(name)], modes, scope, dry_run: true, ..request };
        init(&request).expect("the manifest can be read")
    });
    let root = home.directories.home.display().to_string();
    let text: String = report.files.iter().map(|file| file.diff.replace(&root, "~")).collect();
    text.replace('\r', "<CR>").replace('\t', "<TAB>")
}
