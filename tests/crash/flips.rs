//! Single flipped bits anywhere in a store.

use std::fs;
use std::path::{Path, PathBuf};

use icr_engine::{SilentObserver, SyncOptions, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{Draws, ask, ask_fresh, empty_home, engine};

const FILES: &str = "//- src/lib.rs\n/// Opens.\npub fn open_file() {\n    parse_token();\n}\n//- src/token.py\ndef parse_token():\n    return 1\n";

/// Flips over all files of a store, each file as often as the others.
const FLIPS: usize = 200;

#[test]
fn a_flipped_bit_is_healed_or_named_and_never_answers_otherwise() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let sync = || engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    sync();
    fixture.write("//- src/more.rs\nfn open_stream() {}\n");
    fixture.commit("second");
    sync();
    let expected = ask_fresh(fixture.root(), &ViewSelector::Worktree).unwrap();
    // The check records that the store is sound. That record must not hide a later change.
    ask(fixture.root(), home.path(), &ViewSelector::Worktree).unwrap().assert_equal(&expected, "the sound store");
    let store = engine(fixture.root(), home.path()).store().directory().to_owned();
    let files = files_below(&store);
    let flippable: Vec<&(PathBuf, Vec<u8>)> = files.iter().filter(|(_, bytes)| !bytes.is_empty()).collect();
    assert!(flippable.len() > 10, "{flippable:?}");
    let mut draws = Draws::new(11);
    let (mut as_fresh, mut named, mut wrong) = (0, 0, Vec::new());
    for flip in 0..FLIPS {
        fs::remove_dir_all(&store).unwrap();
        for (path, bytes) in &files {
            fs::create_dir_all(path.parent().expect("a file lies in a directory")).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let (path, bytes) = flippable[flip % flippable.len()];
        let bit = draws.below(bytes.len() * 8);
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(path, flipped).unwrap();
        let at = || format!("bit {bit} of {}", path.strip_prefix(&store).unwrap().display());
        match ask(fixture.root(), home.path(), &ViewSelector::Worktree) {
            Ok(found) if found == expected => as_fresh += 1,
            Ok(_) => wrong.push(at()),
            Err(error) if error.code() == "STORE_DAMAGED" => named += 1,
            Err(error) => wrong.push(format!("{}: {error}", at())),
        }
    }
    assert!(wrong.is_empty(), "{as_fresh} as a fresh store, {named} named, and wrong: {wrong:#?}");
}

/// All files below `directory` with their bytes, in order.
fn files_below(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
    files
}
