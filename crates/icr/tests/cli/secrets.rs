//! Files that hold credentials are never found, read or shown, whatever is asked and wherever they lie.

use icr_fixture::Fixture;

use crate::run::Icr;

const SECRETS: [&str; 8] = [
    ".env",
    ".env.production",
    "deploy/id_rsa",
    "tls/x.pem",
    "tls/server.key",
    ".aws/credentials",
    ".netrc",
    "sub/.npmrc",
];

/// Nothing that the program prints holds the text of a secret, nor does its store.
#[track_caller]
fn check(icr: &Icr, at: &[&str]) {
    for args in [
        &["search", "hunter2hunter2"][..],
        &["search", "env", "credentials", "pem", "netrc"],
        &["search", "--mode", "grep", "hunter2hunter2"],
        &["search", "--mode", "grep", "-e", "."],
        &["symbols", "hunter2hunter2"],
        &["map", "--depth", "10"],
        &["status"],
    ] {
        let ran = icr.run(&[args, at, &["--json"]].concat());
        assert!(ran.code <= 1, "{args:?} {at:?}: {}", ran.stderr);
        assert!(!ran.stdout.contains("hunter2"), "{args:?} {at:?}: {}", ran.stdout);
        for secret in SECRETS {
            let name = secret.rsplit('/').next().unwrap();
            assert!(!ran.stdout.contains(&format!("\"{name}\"")), "{args:?} {at:?} shows {secret}: {}", ran.stdout);
        }
    }
    for secret in SECRETS {
        for args in [&["read", secret][..], &["slice", secret, "hunter2hunter2"]] {
            let said = icr.fails(3, &[args, at].concat());
            assert!(said.starts_with(&format!("error: `{secret}` is on the list of secret files")), "{said}");
        }
    }
    // A trace says what was asked, which is what the user typed.
    let written = icr.shell(&format!("grep -rl --exclude='traces.db*' hunter2hunter2 {}", icr.home().display()));
    assert_eq!(written.stdout, "");
}

fn write(fixture: &Fixture) {
    SECRETS.iter().for_each(|path| fixture.write_bytes(path, b"hunter2hunter2 = 1\n"));
}

#[test]
fn committed_secrets() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    write(&fixture);
    fixture.commit("oh no");
    let icr = Icr::new(&fixture);
    check(&icr, &[]);
    SECRETS.iter().for_each(|path| fixture.delete(path));
    fixture.commit("too late");
    check(&icr, &[]);
    check(&icr, &["--at", "HEAD~1"]);
    assert_eq!(icr.files(&["--at", "HEAD~1"]), ["a.rs"]);
}

#[test]
fn uncommitted_secrets() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let icr = Icr::new(&fixture);
    write(&fixture);
    check(&icr, &[]);
    fixture.git(&["add", "-fA"]);
    check(&icr, &[]);
    check(&icr, &["--set", "watcher.ignore_patterns=[\"!.env\", \"!*.pem\"]"]);
    fixture.write("//- .icrignore\n!.env\n!*.pem\n");
    check(&icr, &[]);
}

#[test]
fn names_in_another_case_are_secret_too() {
    let fixture = Fixture::new(
        "//- ID_RSA\nhunter2hunter2\n//- .Env\nhunter2hunter2\n//- TLS/X.PEM\nhunter2hunter2\n//- a.rs\nfn a() {}\n",
    );
    let icr = Icr::new(&fixture);
    assert_eq!(icr.files(&[]), ["a.rs"]);
    assert!(icr.fails(3, &["read", "TLS/X.PEM"]).contains("secret"));
}

#[test]
fn other_spellings_of_a_path_reach_no_secret() {
    let fixture = Fixture::new("//- .env\nhunter2hunter2\n//- deploy/id_rsa\nhunter2hunter2\n//- a.rs\nfn a() {}\n");
    let icr = Icr::new(&fixture);
    for path in ["./.env", "././.env", "deploy/../.env", "a.rs/../.env", "deploy//id_rsa", "\\056env", ".env/", "/.env"]
    {
        let ran = icr.run(&["read", path]);
        assert!([1, 3].contains(&ran.code) && ran.stdout.is_empty(), "{path}: {} {}", ran.stdout, ran.stderr);
        assert!(ran.stderr.starts_with("error: ") && !ran.stderr.contains("hunter2"), "{path}: {}", ran.stderr);
    }
}

#[test]
fn patterns_of_the_user_and_of_the_clone_are_united() {
    let fixture = Fixture::new("//- dump.sql\nhunter2\n//- notes.txt\nhunter2\n//- a.rs\nfn a() {}\n");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.files(&[]).len(), 3);
    icr.prints(&["config", "set", "security.secret_patterns", "*.sql"]);
    fixture.write("//- .icr.toml\n[security]\nsecret_patterns = [\"notes.txt\", \"!*.sql\", \"!.env\"]\n");
    fixture.write("//- .env\nhunter2\n");
    let files = [".icr.toml", "a.rs"];
    assert_eq!(icr.files(&[]), files);
    let said = icr.run(&["map"]).stderr;
    assert!(said.contains("cannot remove a pattern, so `!*.sql` does not count"), "{said}");
    assert_eq!(icr.files(&["--set", "security.secret_patterns=[\"!notes.txt\", \"!.env\"]"]), files);
    let taken_back = icr.files(&["--set", "security.secret_patterns=[\"!dump.sql\"]"]);
    assert_eq!(taken_back, [".icr.toml", "a.rs", "dump.sql"]);
    fixture.commit("rules");
    assert_eq!(icr.files(&["--at", "HEAD"]), files);
    assert!(icr.fails(3, &["read", "dump.sql", "--at", "HEAD"]).contains("secret"));
}
