//! Pages about a change, as they are before their script runs.

use super::impacts::{empty, hostile, sized, small};
use super::markup::{Item, read};
use super::page::{items, texts_of, values_of};
use super::*;
use crate::picture::impact::html;

fn page(impact: &icr_impact::Impact) -> String {
    html(impact, &heading())
}

/// All of them, the ordinary ones first.
pub(super) fn pages() -> Vec<String> {
    [small(), empty(), sized(61, 90), sized(400, 1_600), hostile()].iter().map(page).collect()
}

/// The content of the element with `id`, its tags included; what is in scripts is left out.
fn inside(page: &str, id: &str) -> String {
    let start = page.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no element `{id}`"));
    let name: String = page[page[..start].rfind('<').expect("an id stands in a tag") + 1..]
        .chars()
        .take_while(|c| *c != ' ')
        .collect();
    let mut depth = 0;
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let body = &page[start..];
    for (at, _) in body.match_indices('<') {
        let rest = &body[at..];
        if rest.starts_with(&close) {
            if depth == 0 {
                return body[..at].to_owned();
            }
            depth -= 1;
        } else if rest.starts_with(&open) && !rest[..rest.find('>').unwrap_or(0)].ends_with('/') {
            depth += 1;
        }
    }
    panic!("`{id}` is not closed")
}

/// The data that the script reads.
fn embedded(page: &str) -> serde_json::Value {
    let raw = items(page).into_iter().find_map(|item| match item {
        Item::Raw(text) if text.starts_with('{') => Some(text),
        _ => None,
    });
    serde_json::from_str(&raw.expect("data stand in the page")).expect("they are JSON")
}

#[test]
fn nothing_in_a_page_leads_out_of_it() {
    for page in pages().iter().take(4) {
        let own = ["http-equiv", "http://www.w3.org/2000/svg", "url(#arrow-"];
        let rest = own.iter().fold(page.clone(), |page, own| page.replace(own, ""));
        for way in ["http", "src=", "@import", "url(", "href", "fetch", "import("] {
            assert!(!rest.contains(way), "`{way}` stands in the page");
        }
        assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"));
    }
}

#[test]
fn the_verdict_stands_before_the_drawing_and_the_drawing_before_the_tables() {
    let page = page(&small());
    let places = ["<p class=\"verdict\"><strong>Breaking</strong>", "id=\"stage\"", "id=\"panel\"", "<table>"];
    let places: Vec<Option<usize>> = places.iter().map(|part| page.find(part)).collect();
    // The parts of the risk are a table too, within the verdict.
    assert!(places[..3].is_sorted() && places.iter().all(Option::is_some), "{places:?}");
    assert!(page.rfind("<table>") > places[2]);
}

#[test]
fn what_breaks_and_what_to_run_stand_before_the_drawing() {
    let page = page(&small());
    let proof = "<code>src/checkout.ts&#58;17</code> <code>cart.add(item, 2)</code> <code>add</code> takes 1 argument";
    let places = [proof, "Tests to run: 1", "id=\"stage\""].map(|part| page.find(&part.replace(": ", "&#58; ")));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}");
}

#[test]
fn changes_of_one_definition_are_one_row_and_what_was_accepted_is_last() {
    let mut impact = small();
    let broken = impact.contract_impact.changes[0].clone();
    let other = |symbol: &str, detail: &str| icr_impact::ContractChange {
        symbol: symbol.to_owned(),
        detail: detail.to_owned(),
        ..broken.clone()
    };
    let accepted =
        icr_impact::ContractChange { accepted: Some("nobody `adds`".to_owned()), ..other("Cart.drop", "it is gone") };
    impact.contract_impact.changes.insert(0, accepted);
    impact.contract_impact.changes.push(other("Cart.add", "it returns nothing"));
    impact.verdict = icr_impact::Verdict::MayBreak;
    let page = page(&impact);
    assert!(texts_of(&page, "summary").contains(&"Contracts that changed, breaking risk high: 2".to_owned()));
    assert!(page.contains("<section class=\"lead may-break\""));
    let labels: Vec<usize> = [">breaks</span>", ">accepted</span>", " (accepted: nobody <code>adds</code>)"]
        .map(|label| page.find(label).unwrap_or_else(|| panic!("no `{label}`")))
        .into();
    assert!(labels.is_sorted(), "{labels:?}");
}

#[test]
fn the_numbers_of_the_verdict_are_those_of_the_answer() {
    let page = page(&small());
    assert_eq!(texts_of(&page, "dt"), ["Risk", "Impact", "Changed", "Contracts", "Forgotten", "Dependents", "Tests"]);
    let values = texts_of(&page, "dd");
    for value in ["high", "0.46", "2 files", "1 changed", "1 file", "2 direct", "1 of 41", "expected to find 93 %"] {
        assert!(values.iter().any(|known| known == value), "{value}: {values:?}");
    }
    assert!(values.iter().any(|known| known == "from 72 % on"), "{values:?}");
    let values = texts_of(&html(&empty(), &heading()), "dd");
    assert!(values.iter().any(|known| known == "not judged"), "nothing warns: {values:?}");
}

#[test]
fn a_page_without_script_is_a_report() {
    let page = page(&small());
    let captions = texts_of(&page, "summary");
    let expected = [
        "What the risk is made of (rule 1)",
        "Contracts that changed, breaking risk high: 1",
        "Tests to run: 1",
        "Files that seem forgotten, from 72 % on (false alarms at 4 % of 312 past commits, 66 % of warnings right, \
         28 % of forgotten files named): 1",
        "Files that refer to the change: 2",
        "Files that reach the change through others: 1",
        "Files that often change too: 1",
        "Memories about this code: 1",
        "Files that changed together with these: 1",
        "Changed files: 2",
        "Changed definitions: 1",
    ];
    assert_eq!(captions, expected);
    let cells = texts_of(&page, "td");
    for cell in ["3 files, ", "3, 17, 204", "2025-12-31", "12.3 times", "+12 −3", "signature"] {
        assert!(cells.iter().any(|known| known == cell), "{cell}: {cells:?}");
    }
    // What does nothing without the script is not to be seen.
    let controls = items(&page).into_iter().filter(|item| match item {
        Item::Open(_, attributes) => attributes.iter().any(|(_, value)| value.starts_with("controls")),
        _ => false,
    });
    let is_hidden =
        |item: &Item| matches!(item, Item::Open(_, attributes) if attributes.iter().any(|(name, _)| name == "hidden"));
    assert_eq!(controls.map(|item| is_hidden(&item)).collect::<Vec<_>>(), [true, true]);
}

#[test]
fn a_directory_that_moved_is_one_row() {
    let mut impact = small();
    let file = impact.changed[0].clone();
    let moved = ["one", "three", "two"].map(|name| icr_impact::ChangedFile {
        path: format!("lib/{name}.ts"),
        old_path: Some(format!("src/{name}.ts")),
        status: icr_impact::FileStatus::Renamed,
        ..file.clone()
    });
    impact.changed.splice(0..0, moved);
    let page = page(&impact);
    let captions = texts_of(&page, "summary");
    assert!(captions.ends_with(
        &["Moved or copied together: 1", "Other changed files: 2", "Changed definitions: 1"].map(str::to_owned)
    ));
    let row = "<td><code>src/</code> → <code>lib/</code> (3 files)</td><td>+36 −9</td>";
    assert!(page.contains(row) && !page.contains("<td><code>lib/"), "{captions:?}");
}

#[test]
fn what_a_change_reverts_is_one_line() {
    let mut impact = small();
    let (id, subject) = ("0123456789abcdef".to_owned(), "add <b>".to_owned());
    impact.sides.reverts = Some(icr_impact::RevertedCommit { id, subject });
    let page = page(&impact);
    assert_eq!(page.matches("<li>Reverts 0123456789 &quot;add &lt;b&gt;&quot;</li>").count(), 1);
}

#[test]
fn sections_stand_in_columns_by_role_and_steps() {
    let drawing = inside(&page(&small()), "stage");
    let texts: Vec<String> =
        read(&format!("<!DOCTYPE html>\n{}", &drawing[drawing.find("<svg").expect("a drawing")..]))
            .expect("the drawing is well-formed")
            .windows(2)
            .filter_map(|pair| match pair {
                [Item::Open(name, _), Item::Text(text)] if name == "text" || name == "tspan" => {
                    Some(text.trim().to_owned())
                }
                _ => None,
            })
            .collect();
    let expected = [
        "Seem forgotten",
        "1",
        "Often change too",
        "1",
        "Changed",
        "2",
        "Refer to the change",
        "2",
        "Tests, 1 step",
        "1",
        "2 steps away",
        "1",
        "cart.md",
        "!",
        "en.json",
        "cart.ts",
        "M",
        "rules.ts",
        "A",
        "checkout.ts",
        "basket.tsx",
        "cart.test.ts",
        "app.tsx",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn the_answer_is_in_the_page_as_it_is() {
    for impact in [small(), hostile()] {
        assert_eq!(embedded(&page(&impact))["impact"], serde_json::to_value(&impact).expect("an answer is JSON"));
    }
}

#[test]
fn hostile_names_stay_text() {
    let page = page(&hostile());
    let replaced = |path: &str| path.replace(['\n', '\u{0}', '\u{1b}', '\u{202e}'], "\u{fffd}");
    let codes = texts_of(&page, "code").join("\n");
    let titles = texts_of(&page, "title").join("\n");
    for path in HOSTILE {
        assert!(codes.contains(&replaced(path)), "{path:?} in the tables");
        assert!(titles.contains(&replaced(path)), "{path:?} in the drawing");
    }
    assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{0}']));
    assert!(!page.contains("alert(1)</script>"));
    for item in items(&page) {
        if let Item::Raw(text) = item {
            assert!(!text.contains("alert(1)") || !text.contains('<'), "a script holds markup of a name");
        }
    }
}

#[test]
fn few_files_stand_for_themselves_and_many_in_directories() {
    // Boxes of the legend have a class and no place.
    let seen = |page: &str| {
        let opens = |item: Item| match item {
            Item::Open(_, attributes) if attributes.iter().any(|(name, _)| name == "transform") => Some(attributes),
            _ => None,
        };
        let classes = items(page).into_iter().filter_map(opens).flatten().filter(|(name, _)| name == "class");
        classes.filter(|(_, class)| class.starts_with("box ") && !class.ends_with("folded")).count()
    };
    for (files, expected, groups) in
        [(1, 1..=1, false), (60, 60..=60, false), (61, 40..=61, true), (500, 60..=100, true)]
    {
        let page = page(&sized(files, files * 2));
        let seen = seen(&page);
        assert!(expected.contains(&seen), "{files} files in {seen} boxes");
        assert_eq!(page.contains("class=\"box group"), groups, "{files} files");
        let drawn =
            values_of(&page, "id").iter().filter(|id| id[1..].parse::<usize>().is_ok() && id.starts_with('n')).count();
        assert_eq!(drawn, files, "all files are in the page");
    }
}

#[test]
fn five_hundred_files_and_two_thousand_edges_fit_in_two_megabytes() {
    let mut impact = sized(500, 2_200);
    assert!(impact.graph.edges.len() >= 2_000);
    impact.graph.edges.truncate(2_000);
    let page = page(&impact);
    assert!(page.len() <= 2 << 20, "{} bytes", page.len());
}

#[test]
fn long_lists_are_cut_in_tables_and_say_so() {
    let mut impact = small();
    let row = impact.direct_dependents[0].clone();
    let rows = (0..620).map(|no| icr_impact::Dependent { path: format!("f{no}.ts"), ..row.clone() });
    impact.direct_dependents = rows.collect();
    let page = page(&impact);
    assert!(texts_of(&page, "summary").contains(&"Files that refer to the change: the first 500 of 620".to_owned()));
    let shown = texts_of(&page, "code").iter().filter(|text| text.starts_with('f') && text.ends_with(".ts")).count();
    assert_eq!(shown, 500);
}

#[test]
fn cuts_and_gaps_are_said() {
    let mut impact = small();
    impact.sides.notes = vec!["`main` is no ancestor of `HEAD`".to_owned()];
    impact.cuts.push(icr_impact::TruncatedList { list: "direct_dependents", shown: 2, total: 900 });
    let said = texts_of(&page(&impact), "li");
    for words in [
        "2 files have no grammar",
        "2 files were not read.",
        "8 of 9 files of the graph are drawn.",
        "2 of 900 direct dependents are listed.",
    ] {
        assert!(said.iter().any(|known| known == words), "{words}: {said:?}");
    }
    assert!(page(&impact).contains("<li><code>main</code> is no ancestor of <code>HEAD</code></li>"));
    let page = page(&sized(200, 400));
    assert!(texts_of(&page, "li").iter().any(|text| text.ends_with("boxes stand for 200 files of the graph.")));
}

#[test]
fn equal_answers_give_equal_pages() {
    assert!(page(&sized(300, 900)) == page(&sized(300, 900)));
}

#[test]
fn colours_of_text_and_lines_stand_out_in_both_schemes() {
    /// Least contrast of text, and of what is no text, by the Web Content Accessibility Guidelines 2.1, level AA.
    const LEAST: [(f64, &[&str]); 2] = [
        (4.5, &["ink", "faint", "high", "raised", "medium", "low", "back", "together", "test", "changed", "focus"]),
        (3.0, &["import", "module", "reference"]),
    ];
    let page = page(&small());
    for (scheme, name) in ["light", "dark"].iter().enumerate() {
        for (least, foregrounds) in LEAST {
            for (foreground, background) in foregrounds
                .iter()
                .flat_map(|foreground| ["paper", "panel", "box"].map(|background| (*foreground, background)))
            {
                let [one, other] = [foreground, background].map(|variable| luminance(&page, variable, scheme));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= least, "{foreground} on {background}, {name}: {contrast:.2}");
            }
        }
    }
}

/// Relative luminance of a variable of the style sheet, by the same guidelines; the light scheme stands first.
fn luminance(page: &str, variable: &str, scheme: usize) -> f64 {
    let declared = format!("--{variable}: #");
    let colour = page.match_indices(&declared).nth(scheme).map(|(at, found)| &page[at + found.len()..][..6]);
    let colour = u32::from_str_radix(colour.expect("both schemes declare it"), 16).expect("a colour has six digits");
    let channel = |shift: u32| {
        let share = f64::from(colour >> shift & 0xff) / 255.0;
        if share <= 0.03928 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

#[test]
fn what_is_noted_about_the_code_is_a_table() {
    let cells = texts_of(&page(&small()), "td");
    assert!(cells.iter().any(|cell| cell == "The cart keeps its order."), "{cells:?}");
    assert!(!page(&empty()).contains("Noted about"));
}
