//! Configuration as people write it, for each host.

use super::*;

/// Files of a home, and of the repository below `code/repo`, as people write them: each by its path, with its text.
pub(super) const HAND_WRITTEN: &[(&str, &str)] = include!("hand_written.in");

fn all_hosts() -> Vec<&'static AgentHost> {
    AgentHost::ALL.iter().collect()
}

#[test]
fn every_host_is_found_in_the_home() {
    let home = Home::with(HAND_WRITTEN);
    let absent: Vec<_> =
        AgentHost::ALL.iter().filter(|host| !host.is_present(&home.directories)).map(|host| host.name).collect();
    assert_eq!(absent, Vec::<&str>::new());
}

#[test]
fn all_modes_of_all_hosts_come_and_go_without_a_trace() {
    let home = Home::with(HAND_WRITTEN);
    let before = home.contents();
    for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
        let report = home.init(&all_hosts(), &IntegrationMode::ALL, scope);
        assert_eq!(refusals(&report), "");
        assert!(changed(&report) > 20, "{}", changed(&report));
        let written = home.contents();
        let again = home.init(&all_hosts(), &IntegrationMode::ALL, scope);
        assert_eq!((refusals(&again), changed(&again)), (String::new(), 0));
        home.contents().check_same(&written, "");
    }
    let report = home.uninstall(&[]);
    assert_eq!(refusals(&report), "");
    home.contents().check_same(&before, "");
    let left: Vec<_> =
        fs::read_dir(home.agents_directory()).expect("it is there").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["lock"]);
}

#[test]
fn each_host_comes_and_goes_by_itself() {
    let home = Home::with(HAND_WRITTEN);
    let before = home.contents();
    for host in AgentHost::ALL {
        for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
            for mode in IntegrationMode::ALL {
                assert_eq!(refusals(&home.init(&[host], &[mode], scope)), "");
            }
        }
        assert_eq!(refusals(&home.uninstall(&[host.name])), "");
        home.contents().check_same(&before, host.name);
    }
}

#[test]
fn hosts_that_leave_one_by_one_leave_nothing() {
    let home = Home::with(HAND_WRITTEN);
    let before = home.contents();
    for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
        assert_eq!(refusals(&home.init(&all_hosts(), &IntegrationMode::ALL, scope)), "");
    }
    for host in AgentHost::ALL {
        assert_eq!(refusals(&home.uninstall(&[host.name])), "");
    }
    home.contents().check_same(&before, "");
}

#[test]
fn an_empty_home_is_empty_again() {
    let home = Home::with(&[(".continue/config.yaml", "name: Local\n")]);
    let before = home.contents();
    for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
        assert_eq!(refusals(&home.init(&all_hosts(), &IntegrationMode::ALL, scope)), "");
    }
    assert!(home.contents().0.len() > 60);
    assert_eq!(refusals(&home.uninstall(&[])), "");
    home.contents().check_same(&before, "");
}

#[test]
fn a_newer_place_of_icr_takes_the_older_ones_place() {
    let home = Home::with(HAND_WRITTEN);
    let before = home.contents();
    home.init(&all_hosts(), &IntegrationMode::ALL, ConfigurationScope::User);
    let report = home.init_with(|request| {
        let request =
            InitRequest { hosts: &all_hosts(), modes: &IntegrationMode::ALL, icr: "/new place/icr", ..request };
        init(&request).expect("the manifest can be written")
    });
    assert_eq!(refusals(&report), "");
    assert!(changed(&report) > 15, "{}", changed(&report));
    let old =
        home.contents().0.values().flatten().filter(|text| String::from_utf8_lossy(text).contains("/opt/icr")).count();
    assert_eq!(old, 0);
    home.uninstall(&[]);
    home.contents().check_same(&before, "");
}

#[test]
fn entries_without_a_record_are_taken_over_by_force_alone() {
    let home = Home::with(&[]);
    let hosts: Vec<&'static AgentHost> = AgentHost::ALL.iter().collect();
    home.init(&hosts, &IntegrationMode::ALL, ConfigurationScope::User);
    let written = home.contents();
    fs::remove_dir_all(home.agents_directory()).expect("the record can be removed");
    let again = home.init(&hosts, &IntegrationMode::ALL, ConfigurationScope::User);
    let is_left = |file: &&FileReport| file.refusals.is_empty();
    assert!(changed(&again) == 0 && again.files.iter().filter(is_left).all(|file| file.is_unrecorded));
    assert_eq!(home.uninstall(&[]).files.len(), 0, "what somebody may have written by hand stays");
    home.init_with(|request| {
        let request = InitRequest { hosts: &hosts, modes: &IntegrationMode::ALL, force: true, ..request };
        let report = init(&request).expect("the manifest can be written");
        let mut files = report.files.iter().filter(is_left);
        assert!(files.all(|file| file.outcome == FileOutcome::TakenOver && !file.is_unrecorded));
    });
    home.contents().check_same(&written, "taking over writes nothing");
    assert_eq!(refusals(&home.uninstall(&[])), "");
    let left = home.contents().0.into_values().flatten();
    let left: Vec<String> = left.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).collect();
    // Whether they were there before is not known.
    assert!(left.iter().all(|text| ["", "{}"].contains(&text.as_str())), "{left:#?}");
}
