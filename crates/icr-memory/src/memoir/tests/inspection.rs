//! What is around a concept.

use super::*;

fn around(database: &MemoryDatabase, name: &str, depth: u32, relation: Option<Relation>) -> Vec<String> {
    let neighbourhood = inspect(database, "system", name, NeighbourhoodReach { depth, relation }).unwrap();
    neighbourhood.neighbours.iter().map(|near| format!("{}{}", near.concept.name, near.distance)).collect()
}

fn chain() -> MemoryDatabase {
    let mut database = memoir_of(&["a", "b", "c", "d", "e", "f", "g", "alone"]);
    for link in [
        "a part_of b",
        "c part_of b",
        "c depends_on d",
        "d related_to e",
        "e part_of f",
        "f part_of g",
        "a related_to c",
    ] {
        connect(&mut database, link).unwrap();
    }
    database
}

#[test]
fn links_are_followed_in_both_directions_up_to_a_depth() {
    let database = chain();
    assert_eq!(around(&database, "b", 1, None), ["a1", "c1"]);
    assert_eq!(around(&database, "b", 2, None), ["a1", "c1", "d2"]);
    assert_eq!(around(&database, "b", 5, None), ["a1", "c1", "d2", "e3", "f4", "g5"]);
    assert_eq!(around(&database, "alone", 5, None), Vec::<String>::new());
}

#[test]
fn all_links_between_what_is_shown_are_shown() {
    let neighbourhood = inspect(&chain(), "system", "b", NeighbourhoodReach::default()).unwrap();
    let links: Vec<_> =
        neighbourhood.links.iter().map(|link| format!("{} {} {}", link.from, link.relation.name(), link.to)).collect();
    assert_eq!(links, ["a part_of b", "a related_to c", "c part_of b"]);
    assert_eq!((neighbourhood.memoir.as_str(), neighbourhood.concept.name.as_str()), ("system", "b"));
    assert_eq!((neighbourhood.left_out, neighbourhood.note()), (0, None));
}

#[test]
fn one_relation_is_followed_alone() {
    let database = chain();
    assert_eq!(around(&database, "b", 5, Some(Relation::PartOf)), ["a1", "c1"]);
    assert_eq!(around(&database, "d", 5, Some(Relation::RelatedTo)), ["e1"]);
    assert_eq!(around(&database, "d", 5, Some(Relation::Contradicts)), Vec::<String>::new());
}

#[test]
fn many_neighbours_are_cut_and_the_answer_says_how_many() {
    let names: Vec<String> = (0..250).map(|at| format!("c{at:03}")).collect();
    let mut database = memoir_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for name in &names[1..] {
        connect(&mut database, &format!("c000 related_to {name}")).unwrap();
    }
    let neighbourhood = inspect(&database, "system", "c000", NeighbourhoodReach::default()).unwrap();
    assert_eq!((neighbourhood.neighbours.len(), neighbourhood.links.len()), (199, 199));
    assert_eq!(neighbourhood.neighbours[198].concept.name, "c199");
    assert_eq!(
        neighbourhood.note().as_deref(),
        Some("50 more concepts are within reach and left out; the 200 nearest are shown.")
    );
    let far = inspect(&database, "system", "c001", NeighbourhoodReach { depth: 2, relation: None }).unwrap();
    assert_eq!((far.neighbours[0].concept.name.as_str(), far.left_out), ("c000", 50));
}

#[test]
fn depths_have_bounds_and_names_must_exist() {
    let database = chain();
    for depth in [0, 6] {
        let reach = NeighbourhoodReach { depth, relation: None };
        let refused = inspect(&database, "system", "a", reach).unwrap_err();
        assert_eq!(advice(refused), format!("`depth` is {depth}: between 1 and 5"));
    }
    let refused = inspect(&database, "system", "allone", NeighbourhoodReach::default()).unwrap_err();
    assert_eq!(advice(refused), "there is no concept `allone`: alone");
}
