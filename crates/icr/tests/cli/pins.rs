//! Pins as they are set, listed, packed and taken away at a terminal.

use icr_fixture::Fixture;
use regex::Regex;

use crate::run::Icr;

const FILES: &str = "\
//- src/tide.rs
pub fn tide(hour: u32) -> u32 {
    hour % 12
}
//- src/harbour.rs
/// Ties a ship to the berth.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}
";

/// `text` without the times in it.
fn timeless(text: &str) -> String {
    let time = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").expect("the pattern is a constant");
    time.replace_all(text, "[time]").into_owned()
}

#[test]
fn a_pin_is_taken_away_by_the_path_that_set_it() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture).standing_in(&fixture.root().join("src"));
    assert_eq!(icr.prints(&["pin", "tide.rs"]), "pinned src/tide.rs as src/tide.rs\n");
    assert_eq!(icr.prints(&["unpin", "tide.rs"]), "unpinned src/tide.rs\n");
    assert!(icr.fails(1, &["unpin", "tide.rs"]).starts_with("error: there is no pin `tide.rs`"));
}

#[test]
fn what_is_pinned_is_listed_and_packed_until_it_is_unpinned() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let lines: &[&[&str]] = &[
        &["pins"],
        &["pin", "src/tide.rs"],
        &["pin", "./src/harbour.rs", "--id", "berth", "--label", "How ships are tied", "--ttl", "7d"],
        &["pins", "--filter", "stale"],
        &["pins", "-n", "1"],
        &["--quiet", "pin", "src/tide.rs"],
        &["unpin", "berth"],
        &["index", "--rebuild", "--quiet"],
        &["pack", "anything", "--pinned-only", "--quiet"],
    ];
    let printed: String = lines.iter().map(|args| timeless(&icr.prints(args))).collect();
    insta::assert_snapshot!(printed, @r"
    0 of 0 pins
    pinned src/tide.rs as src/tide.rs
    pinned src/harbour.rs as berth until [time]
    0 of 0 pins
    berth  src/harbour.rs  [time] until [time]  How ships are tied
    1 of 2 pins; `-n` and `--offset` show more
    unpinned berth
    # Context Pack

    ## Sources

    ### [1] src/tide.rs:tide (lines 1-3)

    ```rust
    pub fn tide(hour: u32) -> u32 {
        hour % 12
    }
    ```
    ");
    fixture.write("//- src/tide.rs\npub fn ebb() {}\n");
    let stale = timeless(&icr.prints(&["pins", "--filter", "stale"]));
    assert_eq!(stale, "src/tide.rs  src/tide.rs  [time], changed since\n");
    fixture.delete("src/tide.rs");
    let stale = timeless(&icr.prints(&["pins"]));
    assert_eq!(stale, "src/tide.rs  src/tide.rs  [time], gone since\n");
}

#[test]
fn pins_of_high_priority_come_first_and_undoing_gives_it_back() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["pin", "src/harbour.rs", "--priority", "9"]);
    icr.prints(&["pin", "src/tide.rs", "--expires", "20d"]);
    let listed = timeless(&icr.prints(&["pins"]));
    insta::assert_snapshot!(listed, @r"
    src/harbour.rs  src/harbour.rs  [time], priority 9
    src/tide.rs     src/tide.rs     [time] until [time]
    ");
    let packed = icr.prints(&["pack", "tide", "--pinned-only", "--quiet"]);
    let place = |path: &str| packed.find(path).expect("a pin is in the pack");
    assert!(place("src/harbour.rs") < place("src/tide.rs"), "{packed}");
    icr.prints(&["pin", "src/harbour.rs", "--priority", "1"]);
    let priorities = || {
        let list = icr.json(&["pins"]);
        let items = list["items"].as_array().expect("a list has items").clone();
        items.iter().map(|item| format!("{} {}", item["id"], item["priority"])).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(priorities(), r#""src/tide.rs" 5, "src/harbour.rs" 1"#);
    icr.prints(&["undo", "--pins"]);
    assert_eq!(priorities(), r#""src/harbour.rs" 9, "src/tide.rs" 5"#);
    assert_eq!(icr.json(&["pin", "src/tide.rs", "--priority", "10"])["priority"], 10);
    for priority in ["0", "11", "-1", "high"] {
        let said = icr.fails(2, &["pin", "src/tide.rs", &format!("--priority={priority}")]);
        assert!(said.contains(&format!("invalid value '{priority}' for '--priority <N>'")), "{said}");
    }
}

#[test]
fn a_pin_that_lives_until_a_day_lives_to_its_end() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let check = |date: &str| {
        let said = icr.fails(2, &["pin", "src/tide.rs", "--expires", date]);
        assert!(said.starts_with(&format!("error: `--expires` is `{date}`; allowed: ")), "{said}");
        said
    };
    let said = check("2020-12-31");
    let days = Regex::new(r"(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)\n").expect("the pattern is a constant");
    let last = &days.captures(&said).unwrap_or_else(|| panic!("{said}"))[2];
    let pinned = icr.json(&["pin", "src/tide.rs", "--expires", last]);
    let until = pinned["expires_at"].as_str().expect("it expires");
    assert!(until.ends_with("T00:00:00Z") && until > last, "{pinned}");
    check("9999-12-31");
    check("2026-02-30");
    check("someday");
    let both = icr.fails(2, &["pin", "src/tide.rs", "--ttl", "1d", "--expires", "1d"]);
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn processes_that_pin_at_once_lose_nothing() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["index", "--quiet"]);
    let ids: Vec<String> = (0..20).map(|at| format!("pin-{at:02}")).collect();
    let spawn = |id: &String| {
        let mut command = icr.command(&["--quiet", "pin", "src/tide.rs", "--id", id]);
        command.spawn().expect("the program can be run")
    };
    let running: Vec<_> = ids.iter().map(spawn).collect();
    for mut process in running {
        assert!(process.wait().expect("it was started").success());
    }
    let list = icr.json(&["pins"]);
    let items = list["items"].as_array().expect("a list has items");
    let mut found: Vec<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, ids);
}

#[test]
fn answers_are_json_where_that_is_asked_for() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let pinned = icr.json(&["pin", "src/tide.rs", "--id", "core"]);
    let shown = ["source_id", "path", "label", "expires_at"].map(|field| pinned[field].to_string());
    assert_eq!(shown, [r#""core""#, r#""src/tide.rs""#, "null", "null"]);
    assert!(pinned["provenance"]["tree"].is_string(), "{pinned}");
    let list = icr.json(&["pins"]);
    assert_eq!((list["total_count"].as_u64(), list["has_more"].as_bool()), (Some(1), Some(false)), "{list}");
    assert_eq!(list["items"][0]["created_at"], pinned["pinned_at"]);
    let unpinned = icr.json(&["unpin", "core"]);
    assert_eq!(unpinned.to_string(), r#"{"unpinned":true,"source_id":"core"}"#);
}

#[test]
fn what_cannot_be_done_is_said() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["pin", "src/tide.rs", "--id", "core-types"]);
    let check = |code, args: &[&str], said: &str| assert_eq!(icr.fails(code, args), said, "{args:?}");
    let missing = "error: there is no pin `core-type`\nhint: did you mean `core-types`?\n";
    check(1, &["unpin", "core-type"], missing);
    check(1, &["unpin", "zzz"], "error: there is no pin `zzz`\nhint: `icr pins` lists them\n");
    let directory = "error: `src` is a directory; only files can be pinned\n\
                     hint: pin the files that matter, for example `src/harbour.rs` or `src/tide.rs`\n";
    check(2, &["pin", "src"], directory);
    let outside = "error: `../x` is not below the root of the repository\n\
                   hint: `icr map` lists what is there\n";
    check(2, &["pin", "../x"], outside);
    let life = |given: &str, most: &str| {
        format!(
            "error: `--ttl` is `{given}`; allowed: 1m to {most}, or as many seconds\n\
             hint: `memory.max_pin_ttl` is the upper bound; without `--ttl` a pin stays\n"
        )
    };
    check(2, &["pin", "src/tide.rs", "--ttl", "59"], &life("59", "30d"));
    check(2, &["pin", "src/tide.rs", "--ttl", "31d"], &life("31d", "30d"));
    check(2, &["pin", "src/tide.rs", "--ttl", "1d", "--set", "memory.max_pin_ttl=1h"], &life("1d", "1h"));
    let revision = "error: `icr pin` pins a file of the worktree, not of `HEAD`\n\
                    hint: leave out `--at`; `icr pack --at REV` shows pinned files as they are there\n";
    check(2, &["pin", "src/tide.rs", "--at", "HEAD"], revision);
    for command in [["pin", "src/harbour.rs"], ["unpin", "core-types"]] {
        let said = icr.fails(2, &[&command[..], &["--read-only"]].concat());
        let forbidden = format!("error: `icr {}` writes the store, which `--read-only` forbids\n", command[0]);
        assert!(said.starts_with(&forbidden), "{said}");
    }
    icr.prints(&["--read-only", "pins"]);
    icr.fails(2, &["pins", "-n", "0"]);
    icr.fails(2, &["pins", "-n", "201"]);
}

#[test]
fn a_database_of_a_newer_program_stops_pins_and_not_packs() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["pin", "src/tide.rs"]);
    let store = icr.store();
    let database = store.parent().expect("a store lies in the directory of its repository").join("pins.db");
    assert!(icr.prints(&["doctor"]).contains("good  pins: 1 of this clone can be read\n"));
    // The version of a SQLite database stands at byte 60, most significant byte first.
    let mut bytes = std::fs::read(&database).expect("there are pins");
    bytes[60..64].copy_from_slice(&7_u32.to_be_bytes());
    std::fs::write(&database, &bytes).expect("it can be written");
    let place = icr.filtered(&database.display().to_string());
    let newer = format!("the pins in `{place}` are of version 7, and this icr knows up to 4");
    let hint = "hint: use the newer icr that wrote it; nothing in it was touched";
    for command in [&["pins"][..], &["pin", "src/harbour.rs"], &["unpin", "a"], &["pack", "a ship", "--pinned-only"]] {
        let said = icr.filtered(&icr.fails(3, command));
        assert_eq!(said, format!("error: {newer}\n{hint}\n"), "{command:?}");
    }
    let ran = icr.run(&["pack", "a ship"]);
    assert!(ran.code == 0 && ran.stdout.contains("src/harbour.rs"), "{}", ran.stderr);
    let said = icr.filtered(&ran.stderr);
    assert!(said.contains(&format!("what is pinned is left out: {newer}")), "{said}");
    let examined = icr.run(&["doctor"]);
    let said = icr.filtered(&examined.stdout);
    assert!(examined.code == 1 && said.contains(&format!("BAD   pins: {newer}\n      {hint}\n")), "{said}");
    assert!(bytes == std::fs::read(&database).expect("it is still there"));
}
