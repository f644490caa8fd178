// What stands beside a file: outline, references, importers and imports, what changes with it, its commits.

import { ask } from "./api.js";
import { button, el, note, pathText, placeText, quoted } from "./dom.js";
import { address, here, noteInAddress, sameView } from "./route.js";
import { fillFrom } from "./states.js";
import { ago, count, percent, short } from "./words.js";

/** Entries of a list before "and … more", and lines of a file among its references. */
const ENTRIES_MOST = 12;
const REFERENCE_LINES_MOST = 40;

const COMMITS_MOST = 8;

/** When the sidebar stands beside the code, its sections are open at first. */
const WIDE = matchMedia("(min-width: 900px)");

/**
 * The sidebar of the file at `path`; `openLines(from, to)` is called for a definition that is chosen in the outline.
 * References of `symbol` are shown at once if it is not empty.
 */
export function fileSidebar({ path, signal, symbol, openLines }) {
  let outline = [];
  let tellOutline;
  const outlineReady = new Promise((resolve) => (tellOutline = resolve));
  const neighbours = ask("neighbors", { path }, signal);
  neighbours.catch(() => {});
  const field = el("input", { type: "text", id: "symbol", value: symbol, placeholder: "Name", spellcheck: "false" });
  const referenceList = el("div");
  const referenceForm = el(
    "form",
    { on: { submit: (event) => (event.preventDefault(), askReferences(field.value.trim())) } },
    el("label.unseen", { for: "symbol" }, "References of"),
    field,
    el("button", { type: "submit" }, "Find"),
  );
  const references = el(
    "details.section",
    { open: symbol !== "" },
    el("summary", el("h2", "References")),
    referenceForm,
    el("p.quiet.tip", "Or double-click a name in the code."),
    referenceList,
  );

  function askReferences(name, line) {
    if (!name) return note("Select a name in the code, or type one under References");
    references.open = true;
    field.value = name;
    noteInAddress("file", { path, symbol: name, lines: here().get("lines") });
    references.scrollIntoView({ block: "nearest" });
    const question = { symbol: name, ...(line && { path, line }) };
    return fillFrom(referenceList, "Asking\u2026", () => ask("refs", question, signal), referenceGroups, signal);
  }

  function outlineEntry(one, index) {
    const open = (event) => {
      event.preventDefault();
      openLines(one.start_line, one.end_line);
    };
    const href = sameView({ lines: `${one.start_line}-${one.end_line}` });
    return el(
      "li",
      { class: one.parent ? "inner" : null },
      el(
        "a",
        { href, "data-symbol": index, title: one.signature, on: { click: open } },
        el("span.symbol", one.name),
        " ",
        el("span.quiet", one.kind),
      ),
      button("refs", () => askReferences(one.name, one.start_line), {
        class: "minor",
        "aria-label": `refs of ${one.name}`,
      }),
    );
  }

  function section(title, answer, draw) {
    const body = el("div");
    const details = el("details.section", { open: WIDE.matches }, el("summary", el("h2", title)), body);
    const load = () => fillFrom(body, "Asking\u2026", answer, draw, signal);
    if (details.open) load();
    else details.addEventListener("toggle", load, { once: true });
    return details;
  }

  const aside = el(
    "aside.pane.sidebar",
    { "aria-label": "About this file" },
    section(
      "Outline",
      () => ask("outline", { path }, signal),
      ({ symbols }) => {
        outline = symbols;
        requestAnimationFrame(tellOutline);
        if (symbols.length === 0) return el("p.quiet", "No definitions were found in this file.");
        return el("ul.outline", symbols.map(outlineEntry));
      },
    ),
    references,
    section("Imported by", () => neighbours, importerList),
    section("Imports", () => neighbours, importList),
    section("Changes together with", () => neighbours, cochangeList),
    section(
      "Last changed",
      () => ask("commits", { path, limit: COMMITS_MOST }, signal),
      (answer) => commitList(answer, path),
    ),
  );
  if (symbol) askReferences(symbol);

  /** Marks the innermost definition around `line` in the outline, and gives its name. */
  function follow(line) {
    const index = outline.findLastIndex((one) => one.start_line <= line && one.end_line >= line);
    aside.querySelector(".outline [aria-current]")?.removeAttribute("aria-current");
    const entry = aside.querySelector(`[data-symbol="${index}"]`);
    if (!entry) return "";
    entry.setAttribute("aria-current", "location");
    const list = entry.closest("ul");
    if (!list.contains(document.activeElement))
      list.scrollTop = entry.parentElement.offsetTop - list.clientHeight / 3;
    return [outline[index].parent, outline[index].name].filter(Boolean).join(" \u203a ");
  }

  function openLastCommit() {
    const link = aside.querySelector(".history a");
    if (link) location.hash = link.hash;
  }

  return { aside, askReferences, follow, outlineReady, openLastCommit };
}

function importerList({ importers }) {
  return fileList(importers, "Nothing imports this file, as far as imports can be resolved.", (one) => [
    one.depth > 1 && `${one.depth} steps`,
    one.test && "test",
  ]);
}

/** The line of an import is one of this file, so links to what is imported carry none. */
function importList({ imports, external, unresolved }) {
  const names = (members) => [...new Set(members.map(({ specifier }) => specifier))].join(", ");
  const targets = imports.map((one) => ({ ...one, line: null }));
  return [
    fileList(targets, "It imports no file of this repository.", (one) => [
      one.kind !== "import" && one.kind,
      one.type_only && "types only",
    ]),
    external.length > 0 && el("p.quiet.external", `External: ${names(external)}`),
    unresolved.length > 0 && el("p.warn", `Unresolved: ${names(unresolved)}`),
  ];
}

function cochangeList({ cochanges }) {
  return fileList(cochanges, "No file often changed together with this one.", (one) => [
    `${one.count}\u00d7`,
    percent(one.confidence),
  ]);
}

function commitList({ commits }, path) {
  if (commits.length === 0) return el("p.quiet", "No commit has this file yet.");
  return el(
    "ul.history",
    commits.map((one) =>
      el(
        "li",
        el("a", { href: address("compare", { to: one.commit, file: path }) }, quoted(one.subject)),
        el("span.quiet", `${short(one.commit)}, ${one.author}, ${ago(Date.parse(one.time))} `),
        el(
          "a.minor",
          { href: sameView({ rev: one.commit }), "aria-label": `file then, at ${short(one.commit)}` },
          "file then",
        ),
      ),
    ),
  );
}

function fileList(files, otherwise, facts) {
  if (files.length === 0) return el("p.quiet", otherwise);
  const row = (one) =>
    el(
      "li",
      el("a", { href: address("file", { path: one.path, lines: String(one.line ?? "") }) }, pathText(one.path)),
      el("span.quiet", facts(one).filter(Boolean).join(", ")),
    );
  const rest = files.slice(ENTRIES_MOST);
  return [
    el("ul.files", files.slice(0, ENTRIES_MOST).map(row)),
    rest.length > 0 && el("details.more", el("summary", `and ${rest.length} more`), el("ul.files", rest.map(row))),
  ];
}

/** References in two groups: those that can mean nothing else, and those that may mean a namesake. */
function referenceGroups({ definitions, references }) {
  const sure = references.filter(({ share }) => share === 1);
  const likely = references.filter(({ share }) => share < 1);
  return [
    el("h3", count(definitions.length, "definition")),
    el(
      "ul.references",
      definitions.map((one) => {
        const href = address("file", { path: one.path, lines: `${one.start_line}-${one.end_line}` });
        return el(
          "li",
          el("a", { href }, placeText(one.path, one.start_line)),
          el("span.quiet", `${one.kind} ${one.qualified_name}`),
        );
      }),
    ),
    referenceGroup("Sure", "only this definition can be meant", sure),
    referenceGroup("Likely", "another definition has the same name", likely),
    references.length === 0 && el("p.quiet", "No references were found."),
  ];
}

function referenceGroup(title, meaning, files) {
  if (files.length === 0) return null;
  const line = (path, number) => {
    const href = address("file", { path, lines: String(number) });
    return el("a", { href, "aria-label": `${path} line ${number}` }, String(number));
  };
  return [
    el("h3", title, el("span.quiet", ` ${meaning}`)),
    el(
      "ul.references",
      files.map((one) =>
        el(
          "li",
          pathText(one.path),
          one.share < 1 && el("span.quiet", `${percent(one.share)} likely`),
          el(
            "span.line-links",
            one.lines.slice(0, REFERENCE_LINES_MOST).map((number) => line(one.path, number)),
          ),
        ),
      ),
    ),
  ];
}
