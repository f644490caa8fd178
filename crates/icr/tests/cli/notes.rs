//! What commands about code say of what the user noted about it.

use icr_fixture::Fixture;
use icr_memory::{CodeBinding, CodePlace, MemoryDatabase, MemoryOptions, NewMemory, ProjectKey};
use icr_model::UnixMillis;

use crate::impact_changes::PROJECT;
use crate::run::Icr;

/// The function with another body.
const ROUNDED: &str = "//- src/floors/shapes.py
\"\"\"Sizes.\"\"\"

def area(width, height):
    # Length times breadth.
    return round(width * height)
";

/// Stores in the home of icr that `area` is what it is for a reason.
fn note_about_area(icr: &Icr, fixture: &Fixture, text: &str) {
    let repo_id = icr.json(&["status"])["provenance"]["repo_id"].as_str().expect("a repository has an id").to_owned();
    let place = CodePlace {
        path: "src/floors/shapes.py".to_owned(),
        symbol: Some("area".to_owned()),
        blob: Some(fixture.git(&["rev-parse", "HEAD:src/floors/shapes.py"])),
        definition: None,
        found_in_text: false,
    };
    let new = NewMemory {
        project: ProjectKey::of_repository(&repo_id),
        topic: "choices".to_owned(),
        summary: text.to_owned(),
        code: Some(CodeBinding { places: vec![place], ..CodeBinding::default() }),
        ..NewMemory::default()
    };
    let database = MemoryDatabase::create(&icr.home().join("memory.db"), MemoryOptions::default());
    icr_memory::store(&mut database.expect("it can be made"), &new, UnixMillis(1_700_000_000_000))
        .expect("it can be stored");
}

/// From a title to the next one.
fn section<'a>(text: &'a str, title: &str) -> &'a str {
    let start = text.find(title).unwrap_or_else(|| panic!("no `{title}` in {text}"));
    let rest = &text[start..];
    rest[title.len()..].find("\n\n").map_or(rest, |end| &rest[..title.len() + end])
}

#[test]
fn what_is_noted_about_code_stands_in_impacts_packs_and_maps_of_it() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let question = ["pack", "area of width and height"];
    assert!(!icr.prints(&question).contains("Notes"), "nothing is noted yet");
    assert!(!icr.home().join("memory.db").exists());
    note_about_area(&icr, &fixture, "Rounding broke the <plans>\nof 2019; `area` is exact.");
    let pack = icr.prints(&question);
    insta::assert_snapshot!(pack.split_once("## Notes\n").expect("there are notes").1, @r##"- src/floors/shapes.py:area: Rounding broke the \<plans\> of 2019; area is exact."##);
    let map = icr.prints(&["context", "area of width and height"]);
    insta::assert_snapshot!(section(&map, "## Notes\n"), @r##"
    ## Notes
    - src/floors/shapes.py:area: Rounding broke the \<plans\> of 2019; area is exact.
    "##);
    fixture.write(ROUNDED);
    fixture.commit("round areas");
    let commit = ["impact", "HEAD~1..HEAD"];
    insta::assert_snapshot!(section(&icr.prints(&commit), "Memories about this code"), @r##"
    Memories about this code: 1
      changed  src/floors/shapes.py area  choices: Rounding broke the <plans> of 2019; `area` is exact. (2023-11-14)
    "##);
    let markdown = icr.prints(&["impact", "HEAD~1..HEAD", "--format", "markdown"]);
    insta::assert_snapshot!(markdown.split_once("**Memories about this code**\n\n").expect("it is noted").1.lines().next().unwrap_or_default(), @"- `src/floors/shapes.py` `area`, changed since: Rounding broke the &#60;plans&#62; of 2019; `area` is exact. (choices, 2023-11-14)");
    let memories = &icr.json(&commit)["memories"];
    assert_eq!((memories[0]["state"].as_str(), memories[0]["symbol"].as_str()), (Some("changed"), Some("area")));
    let elsewhere = icr.with_variable("ICM_DB", "/nowhere/memory.db");
    assert!(elsewhere.json(&commit).get("memories").is_none());
    std::fs::write(icr.home().join("memory.db"), "no database").expect("it can be written");
    assert!(icr.json(&commit).get("memories").is_none());
}
