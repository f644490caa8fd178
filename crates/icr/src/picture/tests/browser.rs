//! What the script of a page does, in a browser without a window.
//!
//! The browser is the one that `ICR_TEST_BROWSER` names, else a Chromium that is found; without one these tests are skipped, under
//! continuous integration they fail.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use icr_fixture::{Fixture, skip};
use icr_impact::Impact;

use super::heading;
use super::impacts::{empty, hostile, sized, small};
use crate::picture::impact::html;

/// What cannot be tested without a browser.
const TEST: &str = "a page in a browser";

/// Names of Chromium, in the order in which they are looked for.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Writes what the page shows into an element of its own, so that it can be read from the page as text.
const REPORTER: &str = r##"<script>
"use strict";
const one = (selector) => document.querySelector(selector);
const all = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
const box = (name) => all(".box[id]").find((box) => box.querySelector(".name").textContent === name);
const key = (element, name) => element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const set = (id, value) => { const input = one(`#${id}`); input.value = value; input.dispatchEvent(new Event("input", { bubbles: true })); };
const names = (boxes) => boxes.map((box) => box.querySelector(".name").textContent).join(" ");
const facts = [];
const tell = (name, text) => facts.push(`${name}: ${String(text).replace(/\s+/g, " ").trim()}`);
const asked = {
  error: () => document.documentElement.dataset.error ?? "none",
  chosen: () => one("#chosen h2")?.textContent ?? "none",
  panel: () => all("#chosen h3").map((part) => part.textContent).join(", "),
  evidence: () => all("#chosen .reasons li").map((row) => Array.from(row.children, (part) => part.textContent).join(" ")).join("; "),
  commands: () => all("#chosen pre").map((part) => part.textContent).join("; "),
  links: () => all("#chosen .leading").map((part) => part.textContent).join(" "),
  counts: () => all("#roles output").map((output) => `${output.id.slice(6)} ${output.textContent}`).join(", "),
  said: () => one("#said").textContent,
  seen: () => names(all(".box[id]:not(.folded)")),
  total: () => all(".box[id]:not(.folded)").length,
  found: () => names(all(".box.found:not(.folded)")),
  lit: () => names(all(".box.lit")),
  edges: () => `${all(".edge[data-from]").length} drawn, ${all(".edge.lit").length} lit`,
  pinned: () => names(all(".box[aria-pressed=true]")),
  stop: () => names(all(".box[tabindex='0']")),
  focus: () => document.activeElement?.closest(".box")?.querySelector(".name").textContent ?? document.activeElement?.id ?? "",
  address: () => decodeURIComponent(location.hash),
  overlaps: () => {
    const places = all(".box[id]:not(.folded) .frame").map((frame) => frame.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return places.filter((a, at) => places.slice(0, at).some((b) => meet(a, b))).length;
  },
  unnamed: () => all(".box[id]").filter((box) => box.getAttribute("role") !== "button" || !box.getAttribute("aria-label")).length,
  controls: () => all(".controls:not([hidden])").length,
};
const report = (...questions) => { for (const question of questions) tell(question, asked[question]()); };
// What was asked for is told when the page has done all it does at its start.
addEventListener("load", async () => {
  try { await (ACTIONS)(); } catch (error) { tell("failed", error); }
  const told = document.createElement("pre");
  told.id = "told";
  told.textContent = facts.join("\n");
  document.body.append(told);
});
</script>
"##;

/// Keeps what is drawn before the script of the page runs.
const KEEPER: &str = r##"<script>
const drawn = () => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const edge = (path) => `${path.getAttribute("class")} ${path.dataset.from} ${path.dataset.to} ${path.getAttribute("stroke-width")} ${rounded(path.getAttribute("d"))}`;
  const rounded = (course) => course.replace(/\d+\.\d+/g, (number) => String(Math.round(number)));
  return {
    boxes: all(".box[id]:not(.folded)").map((box) => `${box.id} ${box.getAttribute("transform")}`),
    edges: all(".edge[data-from]").map(edge).sort(),
    size: document.getElementById("drawing").getAttribute("viewBox"),
  };
};
const before = drawn();
</script>
"##;

/// Opens the page of `impact` at `#fragment`, runs `actions`, a function of the script above, and compares what is told.
#[track_caller]
fn check(impact: &Impact, fragment: &str, actions: &str, expected: &[&str]) {
    let Some(browser) = browser() else { return };
    let data = "<script type=\"application/json\"";
    let page = html(impact, &heading())
        .replacen(data, &format!("{KEEPER}{data}"), 1)
        .replace("</body>", &format!("{}</body>", REPORTER.replace("ACTIONS", actions)));
    let fixture = Fixture::empty();
    let file = fixture.home().join("page.html");
    std::fs::write(&file, page).expect("a page can be written");
    let dom = dom(&browser, &file, fragment, &fixture.home().join("profile"));
    let told = dom.split_once("<pre id=\"told\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (told, _) =
        told.unwrap_or_else(|| panic!("the page told nothing: {}", dom.chars().take(2_000).collect::<String>()));
    let told = told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
}

/// The browser to use; `None`, and the test is skipped, where there is none. An empty `ICR_TEST_BROWSER` means none.
#[expect(clippy::disallowed_methods, reason = "the environment says which browser there is")]
fn browser() -> Option<OsString> {
    if let Some(named) = std::env::var_os("ICR_TEST_BROWSER") {
        if named.is_empty() {
            skip(TEST, "ICR_TEST_BROWSER is empty");
            return None;
        }
        return Some(named);
    }
    let directories: Vec<PathBuf> =
        std::env::var_os("PATH").map_or(Vec::new(), |path| std::env::split_paths(&path).collect());
    let found = BROWSERS
        .iter()
        .flat_map(|name| directories.iter().map(move |directory| directory.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        skip(TEST, &format!("neither ICR_TEST_BROWSER nor PATH leads to one of {}", BROWSERS.join(", ")));
    }
    found.map(PathBuf::into_os_string)
}

/// The page as it is after its scripts ran, as text.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a browser runs the scripts")]
fn dom(browser: &OsString, file: &Path, fragment: &str, profile: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--window-size=1280,900", "--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}#{fragment}", file.display()))
        .output()
        .unwrap_or_else(|error| panic!("the browser `{}` does not start: {error}", browser.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_address_chooses_a_file_and_the_panel_tells_why_it_is_there() {
    check(
        &small(),
        "node=src/checkout.ts",
        "() => report('error', 'chosen', 'panel', 'evidence', 'links', 'counts', 'said', 'lit', 'edges', 'pinned')",
        &[
            "error: none",
            "chosen: src/checkout.ts",
            "panel: Refers to the change, It, What leads here",
            "evidence: +2.1 calls Cart.add in 3 places reference",
            "links: cart.ts cart.ts app.tsx",
            "counts: changed 2, missing 1, expected 1, dependent 2, transitive 1, test 1",
            "said: 8 of 8 files, 8 of 8 connections",
            "lit: cart.ts checkout.ts app.tsx",
            "edges: 7 drawn, 2 lit",
            "pinned: checkout.ts",
        ],
    );
}

#[test]
fn a_page_opens_without_anything_chosen() {
    check(
        &small(),
        "",
        "() => report('error', 'chosen', 'seen', 'edges', 'stop', 'controls', 'overlaps', 'unnamed')",
        &[
            "error: none",
            "chosen: none",
            "seen: cart.md en.json cart.ts rules.ts checkout.ts basket.tsx cart.test.ts app.tsx",
            "edges: 7 drawn, 0 lit",
            "stop: cart.md",
            "controls: 2",
            "overlaps: 0",
            "unnamed: 0",
        ],
    );
    check(
        &empty(),
        "node=gone.rs",
        "() => report('error', 'chosen', 'seen', 'said', 'controls')",
        &["error: none", "chosen: none", "seen: ", "said: 0 of 0 files, 0 of 0 connections", "controls: 0"],
    );
}

#[test]
fn clicks_and_keys_choose_files() {
    check(
        &small(),
        "",
        "() => {
            click(box('cart.md'));
            report('chosen', 'panel', 'evidence', 'pinned', 'address');
            click(all('#chosen .leading')[0]);
            report('chosen', 'pinned', 'address');
            box('cart.ts').focus();
            key(box('cart.ts'), 'ArrowDown');
            report('focus', 'chosen', 'lit');
            key(box('rules.ts'), 'ArrowRight');
            report('focus', 'chosen');
            key(document.activeElement, 'End');
            report('focus', 'stop', 'commands');
            key(box('cart.test.ts'), 'Enter');
            report('pinned');
            key(document.activeElement, 'Escape');
            report('chosen', 'pinned', 'address', 'error');
        }",
        &[
            "chosen: docs/cart.md",
            "panel: May have been forgotten, Changed together, What leads here",
            "evidence: +2.4 11 of the 13 commits that touched src/cart.ts touched this too history; +0.6 its name is that of src/cart.ts name",
            "pinned: cart.md",
            "address: #node=docs/cart.md",
            "chosen: src/cart.ts",
            "pinned: cart.ts",
            "address: #node=src/cart.ts",
            "focus: rules.ts",
            "chosen: src/cart/rules.ts",
            "lit: cart.ts rules.ts",
            "focus: basket.tsx",
            "chosen: src/pages/basket.tsx",
            "focus: cart.test.ts",
            "stop: cart.test.ts",
            "commands: npx vitest run test/cart.test.ts",
            "pinned: cart.test.ts",
            "chosen: none",
            "pinned: ",
            "address: ",
            "error: none",
        ],
    );
}

#[test]
fn filters_hide_files_and_count_what_is_left() {
    check(
        &small(),
        "hide=test,expected&least=50",
        "() => {
            report('counts', 'said', 'seen', 'edges');
            click(one('#reset'));
            report('said', 'address');
            set('least', '90');
            click(one('#roles input[value=changed]'));
            report('counts', 'seen', 'edges', 'address', 'error');
        }",
        &[
            "counts: changed 2, missing 1, expected 0 of 1, dependent 2, transitive 0 of 1, test 0 of 1",
            "said: 5 of 8 files, 5 of 8 connections",
            "seen: cart.md cart.ts rules.ts checkout.ts basket.tsx",
            "edges: 4 drawn, 0 lit",
            "said: 8 of 8 files, 8 of 8 connections",
            "address: ",
            "counts: changed 0 of 2, missing 0 of 1, expected 0 of 1, dependent 1 of 2, transitive 0 of 1, test 1",
            "seen: checkout.ts cart.test.ts",
            "edges: 0 drawn, 0 lit",
            "address: #hide=changed&least=90",
            "error: none",
        ],
    );
}

#[test]
fn a_search_finds_paths_and_definitions_in_closed_directories() {
    check(
        &sized(400, 1_600),
        "",
        "() => {
            report('total', 'overlaps');
            set('search', 'AREA3 component_39.');
            report('found', 'said', 'overlaps');
            set('search', 'cart.add');
            report('said', 'total', 'overlaps', 'error');
        }",
        &[
            "total: 79",
            "overlaps: 0",
            "found: area3/ component_39.tsx",
            "said: 400 of 400 files, 1546 of 1546 connections, 1 found",
            "overlaps: 0",
            "said: 400 of 400 files, 1546 of 1546 connections, 131 found",
            "total: 79",
            "overlaps: 0",
            "error: none",
        ],
    );
}

#[test]
fn directories_open_and_close() {
    check(
        &sized(400, 1_600),
        "",
        "() => {
            const group = one('.box.group:not(.folded)');
            const name = group.querySelector('.name').textContent;
            report('total');
            click(group);
            tell('open', `${name} ${group.getAttribute('aria-expanded')}`);
            report('total', 'overlaps');
            click(group);
            report('total');
            click(one('#unfold'));
            report('total', 'edges', 'said', 'overlaps', 'address');
            click(one('#unfold'));
            report('total', 'error');
        }",
        &[
            "total: 79",
            "open: area1/ true",
            "total: 83",
            "overlaps: 0",
            "total: 79",
            "total: 460",
            "edges: 1546 drawn, 0 lit",
            "said: 400 of 400 files, 1546 of 1546 connections",
            "overlaps: 0",
            "address: #open=all",
            "total: 79",
            "error: none",
        ],
    );
}

#[test]
fn five_hundred_files_and_two_thousand_edges_can_all_be_seen() {
    check(
        &sized(500, 2_200),
        "open=all",
        "() => report('total', 'said', 'overlaps', 'error')",
        &["total: 562", "said: 500 of 500 files, 2122 of 2122 connections", "overlaps: 0", "error: none"],
    );
}

#[test]
fn hostile_names_do_nothing() {
    check(
        &hostile(),
        "node=%3Cscript%3Ealert(1)%3C/script%3E&hide=%&find=&least=x",
        "() => {
            report('chosen', 'panel', 'error');
            for (const name of all('.box[id]')) { click(name); }
            tell('scripts', all('script').length);
            tell('images', all('img, image, iframe, object, embed, link').length);
            report('chosen', 'error');
        }",
        &[
            "chosen: <script>alert(1)</script>",
            "panel: Changed here, Contracts that changed, May have been forgotten, Refers to the change, Reaches the change through others, Test, Changed together, It, What leads here",
            "error: none",
            "scripts: 5",
            "images: 0",
            "chosen: http://example.org//x.js",
            "error: none",
        ],
    );
}

#[test]
fn what_goes_wrong_is_noted_and_nothing_is_loaded() {
    check(
        &small(),
        "",
        "async () => {
            dispatchEvent(new ErrorEvent('error', { message: 'a name is not defined' }));
            report('error');
        }",
        &["error: a name is not defined"],
    );
    check(
        &small(),
        "",
        "async () => {
            const refused = new Promise((done) => addEventListener('securitypolicyviolation', done));
            document.body.append(Object.assign(new Image(), { src: 'image.png' }));
            await refused;
            report('error');
        }",
        &["error: img-src"],
    );
}

#[test]
fn what_the_page_draws_first_is_what_its_script_draws() {
    for impact in [small(), sized(60, 140), sized(400, 1_600)] {
        check(
            &impact,
            "",
            "() => {
                const after = drawn();
                tell('boxes', before.boxes.length > 0 && before.boxes.join() === after.boxes.join());
                tell('edges', before.edges.length > 0 && before.edges.join() === after.edges.join());
                tell('size', before.size === after.size);
            }",
            &["boxes: true", "edges: true", "size: true"],
        );
    }
}
