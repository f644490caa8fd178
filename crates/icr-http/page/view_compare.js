// Two revisions compared: the impact of the change on one side, its diff on the other.

import { ask } from "./api.js";
import { diffFiles, goToPlace } from "./diff_view.js";
import { button, el, quoted, show } from "./dom.js";
import { impactReport } from "./impact_report.js";
import { listKeys } from "./keys.js";
import { combobox, revisions } from "./picker.js";
import { address, go, noteInAddress } from "./route.js";
import { fillFrom, nothing } from "./states.js";
import { ago, at, short } from "./words.js";

/** Sides that are no revision: what is on disk and what is staged, both compared with HEAD. */
const UNCOMMITTED = { worktree: "files on disk, compared with HEAD", staged: "staged changes, compared with HEAD" };

/** Commits that are offered to look at. */
const COMMITS_MOST = 60;

export async function drawCompare({ main, route, signal, setTitle }) {
  const [from, to] = [route.get("from"), route.get("to")];
  /** What stands in the field of a side, chosen or not: who goes on to the other one has not given it up. */
  const typed = (side) => main.querySelector(`#side-${side}`).value.trim();
  const compare = (changes) => go("compare", { from: typed("from"), to: typed("to"), ...changes });
  const fixed = Object.entries(UNCOMMITTED).map(([value, detail]) => ({ value, detail }));
  const pickTo = (value) => compare(value in UNCOMMITTED ? { from: "", to: value } : { to: value });
  show(
    main,
    el(
      "div.bar",
      el("h1", { tabindex: "-1" }, "Compare"),
      sidePicker("from", "From", { value: from, placeholder: baseWords(to) }, [], (value) =>
        compare({ from: value }),
      ),
      sidePicker("to", "To", { value: to, placeholder: "commit, branch, worktree\u2026" }, fixed, pickTo),
      from &&
        to &&
        el(
          "span.actions",
          button("Swap", () => compare({ from: to, to: from })),
        ),
    ),
  );
  if (to === "") return drawChoices(main, signal, from);

  setTitle(`${from ? `${from}..` : ""}${to}`);
  const impact = el("section.pane.impact", { "aria-label": "Impact" });
  const diff = el("section.pane.diffs", { "aria-label": "Diff" });
  main.append(el("div.split.compare-split", impact, diff));
  const rev = to in UNCOMMITTED ? "" : to;
  const question = questionOf(from, to);

  /** A link to a place of the diff, which goes there without drawing the view again. */
  function jump(path, line, side, ...content) {
    const parameters = { from, to, file: path, line: String(line), side };
    const open = (event) => {
      event.preventDefault();
      noteInAddress("compare", parameters);
      goToPlace(diff, path, line, side);
    };
    return el("a.jump", { href: address("compare", parameters), on: { click: open } }, ...content);
  }

  const waiting = "Computing the impact\u2026";
  const report = (answer) => impactReport(answer, rev, jump);
  await Promise.all([
    fillFrom(impact, waiting, () => ask("impact", question, signal), report, signal),
    fillFrom(
      diff,
      "Comparing\u2026",
      () => ask("diff", question, signal),
      (answer) => diffFiles(answer, rev),
      signal,
    ),
  ]);
  const file = route.get("file");
  if (file && !signal.aborted) goToPlace(diff, file, Number(route.get("line")), route.get("side") || "new");

  return listKeys(diff, "details[open] .hunk");
}

/** What an empty first side stands for. */
function baseWords(to) {
  if (to in UNCOMMITTED) return "HEAD";
  return to ? "its parent" : "base";
}

/** The parameters of `impact` and `diff` for two sides. */
function questionOf(from, to) {
  if (to in UNCOMMITTED) return { [to]: "true", rev: "" };
  return from ? { range: `${from}..${to}`, rev: "" } : { rev: to };
}

function sidePicker(name, label, { value, placeholder }, fixed, pick) {
  const input = el("input", { type: "text", id: `side-${name}`, value, placeholder });
  const box = el("div");
  combobox(box, input, {
    suggest: () => revisions(input.value === value ? "" : input.value, fixed),
    pick: (option) => pick(option ? option.value : input.value.trim()),
  });
  input.addEventListener("focus", () => input.select());
  return el("div.field", el("label", { for: input.id }, label), box);
}

async function drawChoices(main, signal, from) {
  const body = el("div.pane");
  main.append(body);
  const link = (to, ...content) => el("a", { href: address("compare", { from, to }) }, ...content);
  const row = (one) =>
    el(
      "tr",
      el("td", link(one.commit, quoted(one.subject))),
      el("td", one.author),
      el("td", el("time", { title: at(Date.parse(one.time)) }, ago(Date.parse(one.time)))),
      el("td.path", short(one.commit)),
    );
  const titles = ["Subject", "Author", "When", "Commit"].map((title) => el("th", { scope: "col" }, title));
  const draw = ({ commits }) => [
    el(
      "p.lead",
      "See ",
      el("a", { href: address("compare", { to: "worktree" }) }, "the uncommitted changes"),
      ", ",
      el("a", { href: address("compare", { to: "staged" }) }, "the staged changes"),
      ", or one of these commits",
      from ? ` compared with ${from}.` : ". You can also choose two revisions above.",
    ),
    commits.length === 0
      ? nothing("There is no commit yet.")
      : el("table.listing.commits", el("thead", el("tr", titles)), el("tbody", commits.map(row))),
  ];
  await fillFrom(
    body,
    "Listing commits\u2026",
    () => ask("commits", { limit: COMMITS_MOST, rev: "" }, signal),
    draw,
    signal,
  );
  return listKeys(body, "td a");
}
