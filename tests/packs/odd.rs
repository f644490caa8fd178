//! Empty repositories, and questions that are empty or too long.

use icr_engine::{PackMode, PackRequest};
use icr_fixture::Fixture;

use crate::asking::{World, pack, snapshot, timeless};

#[test]
fn of_an_empty_repository_there_is_an_empty_pack() {
    let without_files = Fixture::new("//- a.rs\nfn anchor() {}\n");
    without_files.delete("a.rs");
    without_files.commit("second");
    let empty_file = Fixture::new("//- a.rs\n//- b.txt\n");
    for fixture in [Fixture::empty(), without_files, empty_file] {
        let home = icr_tests::empty_home();
        let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
        for mode in [PackMode::Auto, PackMode::Pack, PackMode::Rlm] {
            let answer = pack(&snapshot, &PackRequest { mode, ..PackRequest::new("where is the anchor") });
            assert_eq!(answer.pack_content, "# Context Pack\n\n## Sources\n\nNo sources.\n");
            assert_eq!((answer.sources.len(), answer.gating.entropy.nats), (0, 0.0));
        }
        let found = icr_engine::calibrate_gate(&snapshot, 50, &()).expect("there is nothing to ask");
        assert_eq!(found.easy_questions, []);
    }
}

#[test]
fn any_question_has_a_pack() {
    let world = World::new();
    let snapshot = world.snapshot();
    let long: String = "how is a parcel tracked? ".chars().cycle().take(10_000).collect();
    let one_word = "a".repeat(10_000);
    let many_words: String = (0..1_500).map(|at| format!("w{at} ")).collect();
    let questions = [
        "the of a is it",
        "🦀🚢⚓",
        " ",
        "\n\t",
        "`",
        "\"\"",
        "()[]{}*+?^$|\\",
        "どこで荷物を追跡しますか",
        "где отслеживается посылка",
        "\u{202e}lecrap",
        "{content} {results}",
        &long,
        &one_word,
        &many_words,
    ];
    for question in questions {
        for mode in [PackMode::Auto, PackMode::Pack, PackMode::Rlm] {
            let request = PackRequest { mode, ..PackRequest::new(question) };
            let answer = timeless(pack(&snapshot, &request));
            assert_eq!(answer, timeless(pack(&snapshot, &request)));
        }
    }
    assert!(!pack(&snapshot, &PackRequest::new(&long)).sources.is_empty());
}

#[test]
fn what_is_uncommitted_is_packed_and_what_was_edited_since_is_a_gap() {
    let fixture = Fixture::new("//- a.rs\n/// Lowers the anchor.\npub fn moor() {}\n");
    fixture.write("//- b.rs\n/// Winds the capstan.\npub fn wind() {}\n");
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let paths =
        |answer: &icr_engine::PackAnswer| answer.sources.iter().map(|source| source.path.clone()).collect::<Vec<_>>();
    let request = PackRequest::new("wind the capstan");
    assert!(paths(&pack(&snapshot, &request)).contains(&"b.rs".to_owned()));
    fixture.write("//- b.rs\nfn other() {}\n");
    let answer = pack(&snapshot, &request);
    assert!(!paths(&answer).contains(&"b.rs".to_owned()), "{}", answer.pack_content);
    assert_eq!(answer.gaps, [icr_engine::Gap::Unreadable { files: 1 }]);
}
