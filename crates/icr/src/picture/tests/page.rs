//! HTML pages.

use super::markup::{Item, read};
use super::*;

#[track_caller]
pub(super) fn items(page: &str) -> Vec<Item> {
    read(page).unwrap_or_else(|error| panic!("{error}"))
}

/// Texts of the elements called `name`, one per element.
pub(super) fn texts_of(page: &str, name: &str) -> Vec<String> {
    let items = items(page);
    let is_text = |item: &Item| match item {
        Item::Text(text) => Some(text.clone()),
        _ => None,
    };
    items
        .windows(2)
        .filter(|pair| matches!(&pair[0], Item::Open(open, _) if open == name))
        .filter_map(|pair| is_text(&pair[1]))
        .collect()
}

/// Values of `attribute` in all elements that have it.
pub(super) fn values_of(page: &str, attribute: &str) -> Vec<String> {
    let attributes = items(page).into_iter().filter_map(|item| match item {
        Item::Open(_, attributes) => Some(attributes),
        _ => None,
    });
    attributes.flatten().filter(|(name, _)| name == attribute).map(|(_, value)| value).collect()
}

fn pages() -> Vec<String> {
    let (neighbourhood, graph) = hostile();
    let tiny = Neighbourhood { centre: "a".to_owned(), ..Neighbourhood::default() };
    vec![
        neighbourhood.html(),
        graph.html(),
        tiny.html(),
        FileGraph::default().html(),
        large(400, 3_000).html(),
        super::neighbourhood("< src/main.rs 1 - -\n> src/b.rs 1 - -\n~ c.rs 1 - 1_of_2_commits").html(),
    ]
}

#[test]
fn pages_are_well_formed_and_load_nothing() {
    for page in pages().into_iter().chain(impact::pages()) {
        let items = items(&page);
        let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!elsewhere.contains("http://") && !elsewhere.contains("https://"), "an address stands in the page");
        let names: Vec<&str> = items
            .iter()
            .filter_map(|item| match item {
                Item::Open(name, _) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        for loading in ["link", "img", "image", "iframe", "object", "embed", "base", "use", "a"] {
            assert!(!names.contains(&loading), "`{loading}` may load something");
        }
        assert_eq!(names.iter().filter(|name| **name == "style").count(), 1);
        for item in &items {
            let Item::Open(name, attributes) = item else { continue };
            for (attribute, value) in attributes {
                let is_forbidden = attribute == "style" || attribute.starts_with("on") || attribute.contains("src");
                assert!(!is_forbidden, "`{name}` has `{attribute}`");
                assert!(!value.contains("NaN") && !value.contains("inf "), "{attribute}: {value}");
            }
        }
    }
}

#[test]
fn hostile_paths_stay_text() {
    let replaced = |path: &str| path.replace(['\n', '\u{0}', '\u{1b}', '\u{202e}'], "\u{fffd}");
    let (neighbourhood, graph) = hostile();
    for page in [neighbourhood.html(), graph.html()] {
        let titles = texts_of(&page, "title").join("\n");
        for path in HOSTILE.iter().filter(|path| !path.contains("line")) {
            assert!(titles.contains(&replaced(path)), "{path}");
        }
        let scripts =
            items(&page).into_iter().filter(|item| matches!(item, Item::Raw(text) if text.contains("alert(1)")));
        assert!(scripts.into_iter().all(|item| matches!(item, Item::Raw(text) if !text.contains('<'))));
        assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{0}']));
    }
}

#[test]
fn the_order_of_lists_does_not_matter() {
    let (mut neighbourhood, mut graph) = hostile();
    let before = [neighbourhood.html(), neighbourhood.dot(), graph.html(), graph.dot()];
    for list in [&mut neighbourhood.importers, &mut neighbourhood.imports, &mut neighbourhood.changed_together] {
        list.reverse();
    }
    neighbourhood.links.reverse();
    graph.nodes.reverse();
    graph.edges.reverse();
    assert!(before == [neighbourhood.html(), neighbourhood.dot(), graph.html(), graph.dot()]);
    let mut large = large(300, 2_000);
    let before = large.html();
    large.edges.reverse();
    large.nodes.reverse();
    assert!(before == large.html());
}

#[test]
fn a_hundred_thousand_edges_fit_in_two_megabytes() {
    let graph = large(10_000, 100_000);
    let page = graph.html();
    assert!(page.len() <= 2 << 20, "{} bytes", page.len());
    let boxes = values_of(&page, "class").iter().filter(|class| class.starts_with("box ")).count();
    assert!(boxes <= 60, "{boxes} boxes");
}

#[test]
fn the_script_reads_all_files_and_edges() {
    let graph = large(50, 200);
    let page = graph.html();
    let embedded = items(&page).into_iter().find_map(|item| match item {
        Item::Raw(text) if text.starts_with('{') => Some(text),
        _ => None,
    });
    let embedded: serde_json::Value = serde_json::from_str(&embedded.expect("data stand in the page")).expect("JSON");
    let mut paths: Vec<Vec<u16>> = Vec::new();
    for pair in embedded["paths"].as_array().expect("a list").chunks(2) {
        let shared = pair[0].as_u64().expect("a number") as usize;
        let mut path = paths.last().map_or(Vec::new(), |before| before[..shared].to_vec());
        path.extend(pair[1].as_str().expect("a text").encode_utf16());
        paths.push(path);
    }
    let paths: Vec<String> = paths.iter().map(|path| String::from_utf16_lossy(path)).collect();
    let mut expected: Vec<&str> = graph.nodes.iter().map(|node| node.path.as_str()).collect();
    expected.sort_unstable();
    assert_eq!(paths, expected);
    let numbers: Vec<u64> =
        embedded["edges"].as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number")).collect();
    let (mut at, mut from, mut counted) = (0, 0, 0);
    while at < numbers.len() {
        from += numbers[at];
        let run = &numbers[at + 2..at + 2 + 2 * numbers[at + 1] as usize];
        for pair in run.chunks(2) {
            assert_ne!(paths[from as usize], paths[pair[0] as usize / 7]);
            counted += pair[1];
        }
        at += 2 + run.len();
    }
    let expected: u32 = graph.edges.iter().filter(|edge| edge.from != edge.to).map(|edge| edge.count).sum();
    assert_eq!(counted, u64::from(expected));
}

#[test]
fn long_lists_are_folded_and_say_how_many_are_hidden() {
    let line = |no: usize| format!("< f{no:03}.rs 1 - -\n");
    let page = neighbourhood(&(0..13).map(line).collect::<String>()).html();
    assert!(!values_of(&page, "class").iter().any(|class| class.contains("folded")));
    let page = neighbourhood(&(0..49).map(line).collect::<String>()).html();
    assert!(texts_of(&page, "text").contains(&"and 37 more".to_owned()));
    assert_eq!(values_of(&page, "class").iter().filter(|class| *class == "box import folded").count(), 37);
    let page = neighbourhood(&(0..200).map(line).collect::<String>()).html();
    assert!(texts_of(&page, "text").contains(&"and 188 more".to_owned()));
    assert!(texts_of(&page, "li").contains(&"80 of 200 files are drawn, the rest stands in the tables.".to_owned()));
    assert_eq!(texts_of(&page, "code").iter().filter(|text| text.starts_with('f')).count(), 200);
}

#[test]
fn kinds_shape_boxes_edges_and_the_legend() {
    let page =
        neighbourhood("< t.rs 1 - test,re-export\n< r.rs 1 - re-export\n> y.ts 1 - type_only\n> i.rs 1 - 3_names")
            .html();
    let classes = values_of(&page, "class");
    for class in ["box test", "box reexport", "box typeonly", "box import", "box centre", "edge test", "second"] {
        assert!(classes.iter().any(|known| known == class), "{class}");
    }
    let legend = texts_of(&page, "text");
    assert!(legend.contains(&"3 names".to_owned()));
    let words = items(&page).into_iter().filter(|item| matches!(item, Item::Text(text) if text == "type only")).count();
    assert_eq!(words, 3, "in the legend, on the box and in the table");
}

#[test]
fn edges_follow_the_files_that_lead_on() {
    let mut neighbourhood = neighbourhood(
        "< near.rs 1 - -\n< far.rs 2 near.rs -\n< lost.rs 2 gone.rs -\n< farther.rs 9 far.rs -\n> near.rs 1 - -\n> b.rs 1 - -",
    );
    neighbourhood.links =
        vec![NeighbourLink { from: "b.rs".to_owned(), to: "near.rs".to_owned(), kind: DependencyKind::Import }];
    let page = neighbourhood.html();
    let boxes: std::collections::BTreeMap<String, String> = items(&page)
        .windows(3)
        .filter_map(|part| match part {
            [Item::Open(_, box_of), Item::Open(title, _), Item::Text(text)] if title == "title" => {
                let id = box_of.iter().find(|(name, _)| name == "id")?;
                Some((id.1.clone(), text.lines().next()?.to_owned()))
            }
            _ => None,
        })
        .collect();
    let ends = values_of(&page, "data-from").into_iter().zip(values_of(&page, "data-to"));
    let mut edges: Vec<String> = ends.map(|(from, to)| format!("{} > {}", boxes[&from], boxes[&to])).collect();
    edges.sort();
    let expected = [
        "b.rs > near.rs",
        "far.rs > near.rs",
        "farther.rs > far.rs",
        "near.rs > src/a.rs",
        "src/a.rs > b.rs",
        "src/a.rs > near.rs",
    ];
    assert_eq!(edges, expected);
    assert_eq!(texts_of(&page, "text").iter().filter(|text| *text == "both ways").count(), 2);
}

#[test]
fn hubs_and_cycles_are_listed_and_marked() {
    let page = graph(
        "a.rs hub.rs import 1
         b.rs hub.rs import 1
         b.rs hub.rs reference 4
         hub.rs c.rs import 5
         c.rs hub.rs import 1",
    )
    .html();
    let faint: Vec<String> = texts_of(&page, "span").into_iter().filter(|text| text.contains("file")).collect();
    assert_eq!(faint, ["from 3 files", "from 1 file", "2 files"]);
    assert_eq!(
        texts_of(&page, "text").iter().filter(|text| *text == "1").count(),
        2 + 1,
        "two badges, one column of the matrix"
    );
    let classes = values_of(&page, "class");
    assert_eq!(classes.iter().filter(|class| *class == "box file cycle").count(), 2);
    assert_eq!(classes.iter().filter(|class| *class == "edge back").count(), 1 + 1, "the edge and the legend");
}

#[test]
fn what_is_lacking_is_said() {
    let mut neighbourhood = neighbourhood("");
    neighbourhood.truncated = Some("Stopped after 2 steps.".to_owned());
    let page = neighbourhood.html();
    assert_eq!(texts_of(&page, "li")[..2], ["2 files were not read.", "Stopped after 2 steps."]);
    let texts = texts_of(&page, "text");
    assert!(texts.contains(&"No file imports it.".to_owned()) && texts.contains(&"It imports no file.".to_owned()));
    assert!(texts_of(&page, "span").contains(&"with uncommitted changes".to_owned()));
}
