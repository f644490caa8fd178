//! A repository and the hooks in it, as tests ask about them.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use icr_fixture::Fixture;
use icr_hooks::{EVENTS, Error, HookState, HooksPlace, HooksReport, InstallRequest, install, status, uninstall};

/// Where scripts of these tests find icr.
pub(crate) const ICR: &str = "/opt/icr of ada's/bin/icr";

/// A repository with one commit.
pub(crate) fn repository() -> Fixture {
    Fixture::new("//- a\n1\n")
}

/// The place for the hooks of `root`.
#[track_caller]
pub(crate) fn place(root: &Path) -> HooksPlace {
    HooksPlace::find(root).expect("git says where hooks are")
}

/// Puts all hooks in.
pub(crate) fn installs(root: &Path, force: bool) -> Result<HooksReport, Error> {
    let events: Vec<_> = EVENTS.iter().collect();
    install(&place(root), &InstallRequest { events: &events, icr: Path::new(ICR), force, dry_run: false })
}

/// Takes all hooks out.
#[track_caller]
pub(crate) fn uninstalls(root: &Path) -> HooksReport {
    uninstall(&place(root), false).expect("hooks can be taken out")
}

/// The state of one event.
#[track_caller]
pub(crate) fn state(root: &Path, event: &str) -> HookState {
    let report = status(&place(root)).expect("hooks can be read");
    report.events.iter().find(|report| report.event == event).expect("the event is one of the table").state
}

/// Events that a call changed, by name.
pub(crate) fn changed(report: &HooksReport) -> Vec<&str> {
    report.events.iter().filter(|event| event.changed).map(|event| event.event).collect()
}

/// Writes a hook with a mode.
pub(crate) fn write_hook(directory: &Path, name: &str, text: &[u8], mode: u32) -> PathBuf {
    fs::create_dir_all(directory).expect("a directory can be made");
    let path = directory.join(name);
    // Another process writes it. What this one has open for writing, a program that another test starts at that moment has open,
    // too, and a file that is open for writing cannot be run.
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    writer.stdin.take().expect("it has an input").write_all(text).expect("the shell reads");
    assert!(writer.wait().expect("the shell ends").success(), "a file can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode can be set");
    path
}

/// Everything that a directory holds: names, modes, bytes or where links lead.
pub(crate) fn listing(directory: &Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .map(|entry| {
            let path = entry.expect("the directory can be listed").path();
            let metadata = fs::symlink_metadata(&path).expect("the entry is there");
            let bytes = match metadata.is_symlink() {
                true => fs::read_link(&path).expect("a link leads somewhere").into_os_string().into_encoded_bytes(),
                false => fs::read(&path).unwrap_or_default(),
            };
            let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
            (name, metadata.mode() & 0o777, bytes)
        })
        .collect();
    all.sort();
    all
}
