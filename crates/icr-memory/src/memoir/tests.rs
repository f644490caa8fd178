use icr_model::UnixMillis;

use super::*;
use crate::{Author, Error, MemoryDatabase, MemoryOptions, operations, undo};

mod distillation;
mod inspection;
mod search;
mod undoing;

pub(super) fn database() -> MemoryDatabase {
    MemoryDatabase::in_memory(MemoryOptions::default()).unwrap()
}

/// A memoir with concepts, each defined as `the NAME`.
pub(super) fn memoir_of(names: &[&str]) -> MemoryDatabase {
    let mut database = database();
    create(&mut database, "system", "What the system is made of", Author::Person, UnixMillis(1)).unwrap();
    for name in names {
        add(&mut database, name, &format!("the {name}"), "").unwrap();
    }
    database
}

pub(super) fn add(database: &mut MemoryDatabase, name: &str, definition: &str, labels: &str) -> Result<Concept, Error> {
    let labels = labels_of(labels).unwrap();
    let new = NewConcept { name: name.into(), definition: definition.into(), labels, sources: Vec::new() };
    add_concept(database, "system", &new, Author::Person, UnixMillis(2))
}

pub(super) fn better(definition: &str) -> ConceptRefinement {
    ConceptRefinement { definition: definition.into(), ..ConceptRefinement::default() }
}

/// `a depends_on b`.
pub(super) fn ends(text: &str) -> LinkEnds {
    let [from, relation, to] = text.split(' ').collect::<Vec<_>>().try_into().unwrap();
    LinkEnds { from: from.into(), to: to.into(), relation: Relation::parse(relation).unwrap() }
}

pub(super) fn connect(database: &mut MemoryDatabase, text: &str) -> Result<LinkOutcome, Error> {
    link(database, "system", &ends(text), Author::Person, UnixMillis(3))
}

/// What is wrong, and what would be right.
fn advice(error: Error) -> String {
    match &error {
        Error::Invalid { right, .. } => format!("{error}: {right}"),
        Error::NotFound { similar, .. } => format!("{error}: {}", similar.join(" ")),
        _ => error.to_string(),
    }
}

fn links(database: &MemoryDatabase) -> Vec<String> {
    let links = graph(database, "system").unwrap().links;
    links.iter().map(|link| format!("{} {} {}", link.from, link.relation.name(), link.to)).collect()
}

#[test]
fn a_memoir_has_a_name_of_its_own() {
    let mut database = database();
    let made = create(&mut database, " system ", "What it is made of", Author::Agent, UnixMillis(5_000)).unwrap();
    assert_eq!((made.name.as_str(), made.consolidation_threshold, made.created_at.0), ("system", 50, 5_000));
    let refused = create(&mut database, "system", "", Author::Agent, UnixMillis(6_000)).unwrap_err();
    insta::assert_snapshot!(advice(refused), @"`name` is `system`, which another memoir has: use that memoir, or choose another name");
    create(&mut database, "System", "", Author::Agent, UnixMillis(6_000)).unwrap();
    let names: Vec<_> = list(&database).unwrap().into_iter().map(|memoir| memoir.name).collect();
    assert_eq!(names, ["System", "system"]);
    for name in ["", " ", "a\nb", "a\0", &"x".repeat(256)] {
        assert!(
            matches!(create(&mut database, name, "", Author::Agent, UnixMillis(7_000)), Err(Error::Invalid { .. })),
            "{name:?}"
        );
    }
    create(&mut database, "long", &"x".repeat(64 * 1024 + 1), Author::Agent, UnixMillis(7_000)).unwrap_err();
    assert_eq!(operations(&database, &crate::ListScope::All, 10).unwrap().len(), 2, "what is refused is no operation");
}

#[test]
fn lists_count_what_each_memoir_has() {
    let mut database = memoir_of(&["a", "b", "c"]);
    connect(&mut database, "a part_of b").unwrap();
    connect(&mut database, "b depends_on a").unwrap();
    create(&mut database, "empty", "", Author::Person, UnixMillis(4_000)).unwrap();
    let counts: Vec<_> = list(&database).unwrap().into_iter().map(|one| (one.name, one.concepts, one.links)).collect();
    assert_eq!(counts, [("empty".to_owned(), 0, 0), ("system".to_owned(), 3, 2)]);
}

#[test]
fn numbers_of_a_memoir() {
    let mut database = memoir_of(&["a"]);
    add(&mut database, "b", "second", "domain:auth,wip").unwrap();
    add(&mut database, "c", "third", "domain:auth").unwrap();
    refine(&mut database, "system", "c", &better("the third"), Author::Person, UnixMillis(9_000)).unwrap();
    for link in ["a part_of b", "b part_of c", "a related_to c"] {
        connect(&mut database, link).unwrap();
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&show(&database, "system").unwrap()).unwrap(), @r#"
{
  "name": "system",
  "description": "What the system is made of",
  "concepts": 3,
  "links": 3,
  "created_at": "1970-01-01T00:00:00Z",
  "updated_at": "1970-01-01T00:00:09Z",
  "average_confidence": 0.5333333333333333,
  "needs_consolidation": false,
  "labels": [
    {
      "label": "domain:auth",
      "count": 2
    },
    {
      "label": "wip",
      "count": 1
    }
  ],
  "relations": [
    {
      "relation": "part_of",
      "count": 2
    },
    {
      "relation": "related_to",
      "count": 1
    }
  ]
}
"#);
    insta::assert_snapshot!(advice(show(&database, "sistem").unwrap_err()), @"there is no memoir `sistem`: system");
    create(&mut database, "empty", "", Author::Person, UnixMillis(4_000)).unwrap();
    assert_eq!(show(&database, "empty").unwrap().average_confidence, 0.0);
}

#[test]
fn a_memoir_of_more_concepts_than_its_threshold_needs_consolidation() {
    let names: Vec<String> = (0..50).map(|at| format!("c{at}")).collect();
    let mut database = memoir_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!show(&database, "system").unwrap().needs_consolidation);
    add(&mut database, "one more", "d", "").unwrap();
    assert!(show(&database, "system").unwrap().needs_consolidation);
}

#[test]
fn a_concept_begins_half_sure_and_each_refinement_makes_it_surer() {
    let mut database = memoir_of(&[]);
    let added = add(&mut database, "cache", " first ", "wip").unwrap();
    assert_eq!((added.confidence, added.revision, added.definition.as_str()), (0.5, 1, "first"));
    let id = |text: &str| crate::RecordId::try_from(text).unwrap();
    let refinement = ConceptRefinement {
        definition: "second".into(),
        labels: labels_of("wip,domain:store").unwrap(),
        sources: vec![id("m1"), id("m2"), id("m1")],
    };
    let refined = refine(&mut database, "system", "cache", &refinement, Author::Person, UnixMillis(9)).unwrap();
    assert_eq!((refined.confidence, refined.revision, refined.definition.as_str()), (0.6, 2, "second"));
    assert_eq!(refined.sources, [id("m1"), id("m2")]);
    let again = ConceptRefinement { sources: vec![id("m2"), id("m3")], ..better("third") };
    let refined = refine(&mut database, "system", "cache", &again, Author::Person, UnixMillis(10)).unwrap();
    assert_eq!(refined.sources, [id("m1"), id("m2"), id("m3")]);
    assert_eq!(refined.labels, labels_of("wip,domain:store").unwrap());
    assert_eq!((refined.created_at.0, refined.updated_at.0), (2, 10));
    for _ in 0..8 {
        refine(&mut database, "system", "cache", &better("nth"), Author::Person, UnixMillis(11)).unwrap();
    }
    let concept = &graph(&database, "system").unwrap().concepts[0];
    assert_eq!((concept.confidence, concept.revision), (1.0, 11));
}

#[test]
fn a_second_concept_of_one_name_is_refused_and_refining_is_named() {
    let mut database = memoir_of(&["cache"]);
    insta::assert_snapshot!(advice(add(&mut database, "cache ", "other", "").unwrap_err()), @"`name` is `cache`, which `system` has a concept for: refine that concept, or choose another name");
    insta::assert_snapshot!(advice(refine(&mut database, "system", "cashe", &better("x"), Author::Person, UnixMillis(9)).unwrap_err()), @"there is no concept `cashe`: cache");
    assert_eq!(graph(&database, "system").unwrap().concepts[0].definition, "the cache");
}

#[test]
fn what_no_concept_may_be_is_refused() {
    let mut database = memoir_of(&["a"]);
    let many: Vec<String> = (0..51).map(|at| format!("l{at}")).collect();
    let long = "x".repeat(64 * 1024 + 1);
    for (name, definition, labels) in
        [("", "d", ""), ("b", " ", ""), ("b\u{2028}c", "d", ""), ("b", &long, ""), ("b", "d", &many.join(","))]
    {
        assert!(matches!(add(&mut database, name, definition, labels), Err(Error::Invalid { .. })), "{name:?}");
    }
    let more = ConceptRefinement { labels: labels_of(&many.join(",")).unwrap(), ..better("d") };
    refine(&mut database, "system", "a", &more, Author::Person, UnixMillis(9)).unwrap_err();
    refine(&mut database, "system", "a", &better(" "), Author::Person, UnixMillis(9)).unwrap_err();
    add(&mut database, &"é".repeat(127), &"x".repeat(64 * 1024), &many[..50].join(",")).unwrap();
    assert_eq!(graph(&database, "system").unwrap().concepts.len(), 2);
}

#[test]
fn a_link_that_is_there_is_the_same_link() {
    let mut database = memoir_of(&["a", "b"]);
    let first = connect(&mut database, "a depends_on b").unwrap();
    let second = connect(&mut database, "a dependsOn b").unwrap();
    assert_eq!((first.is_new, second.is_new, &first.link), (true, false, &second.link));
    connect(&mut database, "b depends_on a").unwrap();
    connect(&mut database, "a related_to b").unwrap();
    assert_eq!(links(&database), ["a depends_on b", "a related_to b", "b depends_on a"]);
}

#[test]
fn links_without_sense_are_refused() {
    let mut database = memoir_of(&["a", "b", "c"]);
    let mut refusal = |text: &str| advice(connect(&mut database, text).unwrap_err());
    insta::assert_snapshot!(refusal("a related_to a"), @"`to` is `a` itself: link it to another concept");
    insta::assert_snapshot!(refusal("a related_to d"), @"there is no concept `d`: a b c");
}

#[test]
fn cycles_are_refused_where_a_relation_leads_upwards_only() {
    for relation in Relation::ALL {
        let mut database = memoir_of(&["a", "b", "c"]);
        let name = relation.name();
        connect(&mut database, &format!("a {name} b")).unwrap();
        connect(&mut database, &format!("b {name} c")).unwrap();
        let closing = connect(&mut database, &format!("c {name} a"));
        assert_eq!(closing.is_err(), relation.is_hierarchical(), "{name}");
        let both = connect(&mut database, &format!("b {name} a"));
        assert_eq!(both.is_err(), relation.is_hierarchical(), "{name}");
    }
    let mut database = memoir_of(&["a", "b", "c"]);
    for link in ["a part_of b", "b part_of c"] {
        connect(&mut database, link).unwrap();
    }
    insta::assert_snapshot!(advice(connect(&mut database, "c part_of a").unwrap_err()), @"`relation` would close a cycle: `c` part_of `a` part_of `b` part_of `c`: remove one of these links first, or use `related_to`");
    connect(&mut database, "c refines a").unwrap();
}

#[test]
fn a_long_cycle_is_named_by_its_ends() {
    let names: Vec<String> = (0..20).map(|at| format!("c{at}")).collect();
    let mut database = memoir_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for at in 1..20 {
        connect(&mut database, &format!("c{} instance_of c{at}", at - 1)).unwrap();
    }
    insta::assert_snapshot!(connect(&mut database, "c19 instance_of c0").unwrap_err(), @"`relation` would close a cycle: `c19` instance_of `c0` instance_of `c1` instance_of `c2` instance_of (13 more) instance_of `c16` instance_of `c17` instance_of `c18` instance_of `c19`");
}

#[test]
fn a_link_can_be_removed() {
    let mut database = memoir_of(&["a", "b"]);
    connect(&mut database, "a part_of b").unwrap();
    let refused = unlink(&mut database, "system", &ends("b part_of a"), Author::Person, UnixMillis(9)).unwrap_err();
    assert_eq!(refused.to_string(), "there is no link `b part_of a`");
    let removed = unlink(&mut database, "system", &ends("a part_of b"), Author::Person, UnixMillis(9)).unwrap();
    assert_eq!(removed.relation, Relation::PartOf);
    assert!(links(&database).is_empty());
    connect(&mut database, "b part_of a").unwrap();
}

#[test]
fn a_concept_goes_with_its_links_and_no_others() {
    let mut database = memoir_of(&["a", "b", "c"]);
    for link in ["a part_of b", "b part_of c", "a related_to c"] {
        connect(&mut database, link).unwrap();
    }
    let removed = remove_concept(&mut database, "system", "b", Author::Person, UnixMillis(9)).unwrap();
    assert_eq!((removed.name.as_str(), links(&database)), ("b", vec!["a related_to c".to_owned()]));
    undo(&mut database, None, Author::Person, UnixMillis(10)).unwrap();
    assert_eq!(links(&database), ["a part_of b", "a related_to c", "b part_of c"]);
}

#[test]
fn names_can_be_changed_and_links_stay() {
    let mut database = memoir_of(&["a", "b"]);
    connect(&mut database, "a part_of b").unwrap();
    rename_concept(&mut database, "system", "a", "z", Author::Person, UnixMillis(9)).unwrap();
    rename_concept(&mut database, "system", "z", "z", Author::Person, UnixMillis(9)).unwrap();
    assert_eq!(links(&database), ["z part_of b"]);
    insta::assert_snapshot!(advice(rename_concept(&mut database, "system", "z", "b", Author::Person, UnixMillis(9)).unwrap_err()), @"`name` is `b`, which `system` has a concept for: refine that concept, or choose another name");
    create(&mut database, "other", "", Author::Person, UnixMillis(9)).unwrap();
    insta::assert_snapshot!(advice(rename(&mut database, "other", "system", Author::Person, UnixMillis(9)).unwrap_err()), @"`name` is `system`, which another memoir has: use that memoir, or choose another name");
    let renamed = rename(&mut database, "other", "third", Author::Person, UnixMillis(10)).unwrap();
    assert_eq!((renamed.name.as_str(), renamed.updated_at.0), ("third", 10));
}

#[test]
fn a_deleted_memoir_comes_back_with_all_that_it_had() {
    let mut database = memoir_of(&["a", "b", "c"]);
    for link in ["a part_of b", "b related_to a", "c contradicts a"] {
        connect(&mut database, link).unwrap();
    }
    let before = graph(&database, "system").unwrap();
    let removal = delete(&mut database, "system", Author::Person, UnixMillis(9)).unwrap();
    assert_eq!((removal.memoir.name.as_str(), removal.concepts, removal.links), ("system", 3, 3));
    assert!(list(&database).unwrap().is_empty());
    assert_eq!(operations(&database, &crate::ListScope::All, 1).unwrap()[0].records.len(), 7);
    undo(&mut database, None, Author::Person, UnixMillis(10)).unwrap();
    assert_eq!(graph(&database, "system").unwrap(), before);
}
