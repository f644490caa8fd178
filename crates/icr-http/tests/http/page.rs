//! The page in a browser without a window: every view, asked of a real server by a link that works once.
//!
//! The browser is the one that `ICR_TEST_BROWSER` names, else a Chromium that is found; without one these tests are skipped, under
//! continuous integration they fail.

use std::path::PathBuf;
use std::process::Command;

use icr_fixture::skip;

use crate::place::Place;

/// Names of Chromium, in the order in which they are looked for.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

#[expect(clippy::disallowed_methods, reason = "the environment says which browser there is")]
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("ICR_TEST_BROWSER").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&directories)
        .flat_map(|directory| BROWSERS.map(|name| directory.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        skip("the page in a browser", "neither ICR_TEST_BROWSER nor PATH leads to a Chromium");
    }
    found
}

/// Times that a page is opened: the browser's clock runs ahead of the server, and now and then it is over before an answer is there.
const OPENED_MOST: usize = 8;

/// The page at `view` once it shows `words`, else as it was at last.
fn dom(place: &Place, browser: &PathBuf, view: &str, words: &[&str]) -> String {
    let mut shown = String::new();
    for _ in 0..OPENED_MOST {
        shown = dumped(place, browser, view);
        if words.iter().all(|word| shown.contains(word)) {
            break;
        }
    }
    shown
}

/// The page at `view` when the browser's clock is over, opened by a link that nobody has followed.
#[expect(clippy::disallowed_methods, reason = "a browser runs the scripts")]
fn dumped(place: &Place, browser: &PathBuf, view: &str) -> String {
    let link = icr_http::link_of(place.address, &place.fixture.home().join("icr")).expect("a link");
    let profile = tempfile::tempdir().expect("a directory");
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--window-size=1280,900", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("{link}#/{view}"))
        .output()
        .unwrap_or_else(|error| panic!("the browser `{}` does not start: {error}", browser.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_view_shows_what_the_server_answers() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let stored = r#"{"topic": "decisions", "content": "tokens lose their white space"}"#;
    assert_eq!(place.ask("POST", "/api/memory", &[("Content-Type", "application/json")], stored).status, 200);
    // A question through this door, for the view of what was asked.
    place.get("/api/symbols?query=validate_token");
    assert!(place.recorder.flush());
    for (view, words) in [
        ("search?q=validate+token", &["validate_token", "src/", "auth.py"][..]),
        ("search?q=mode%3Agrep+AuthError", &["raise AuthError"]),
        ("file?path=src/errors.py&rev=HEAD~1", &["Somebody is not let in.", "AuthError"]),
        ("file?path=src/nothing.py", &["There is no such file"]),
        ("graph?path=src/auth.py", &["users.py", "errors.py"]),
        ("compare?from=HEAD~1&to=HEAD", &["Expired", "errors.py"]),
        ("memory", &["tokens lose their white space", "decisions"]),
        ("pack?q=how+is+a+token+validated", &["auth.py"]),
        ("agents", &["/api/symbols"]),
        ("repositories", &["Keep up to date", "Remove"]),
        ("search?q=x&repo=0123456789abcdef", &["not registered any more"]),
    ] {
        let shown = dom(&place, &browser, view, words);
        for word in words {
            assert!(shown.contains(word), "`{word}` is not in {view}:\n{shown}");
        }
    }
}

#[test]
fn what_is_hostile_stays_text() {
    let Some(browser) = browser() else { return };
    let fixture = icr_fixture::Fixture::new("//- a.py\n");
    fixture.write(
        "//- evil.py\ndef evil():\n    \"\"\"<img src=x onerror=document.title='run'><script>document.title='run'</script>\"\"\"\n",
    );
    fixture.commit("<img src=x onerror=document.title='run'>");
    let place = Place::of(fixture);
    for view in ["search?q=evil", "file?path=evil.py", "compare?to=HEAD"] {
        let shown = dom(&place, &browser, view, &["&lt;img"]);
        assert!(shown.contains("&lt;img"), "it is shown: {view}\n{shown}");
        assert!(!shown.contains("<img") && !shown.contains("<title>run"), "it is no element: {view}");
    }
}
