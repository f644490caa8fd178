// The impact of a change in words: verdict first, then broken contracts, forgotten files, dependents, and tests to run.

import { button, copy, el, placeText, quoted } from "./dom.js";
import { address } from "./route.js";
import { count, percent, short, VERDICT } from "./words.js";

/** Rows of a list before "and … more". */
const ROWS_MOST = 8;

const EFFECTS = { breaks: ["breaks", "bad"], may_break: ["may break", "warn"], holds: ["holds", "good"] };

/** Parts of the report on `answer`. Files are linked at `rev`; `jump(path, line, side)` gives a link into the diff. */
export function impactReport(answer, rev, jump) {
  const { changes } = answer.contract_impact;
  const isOpen = ({ effect, accepted }) => effect !== "holds" && !accepted;
  const contract = (one) => contractRow(one, rev, jump);
  const dependent = (one) => [
    fileAt(one.path, rev, one.lines[0]),
    facts(`${percent(one.probability)} likely to need review; ${evidenceWords(one)}`),
  ];
  const forgotten = (one) => [fileAt(one.path, rev), facts(evidenceWords(one))];
  const noneForgotten = answer.warning
    ? "No file seems forgotten."
    : "The history is too short to tell what was forgotten.";
  const outside = answer.direct_dependents.filter((one) => !one.in_change);
  const inside = answer.direct_dependents.filter((one) => one.in_change);
  return [
    verdict(answer),
    folded("Not analysed", answer.incomplete, (one) => [fileAt(one.path, rev), facts(one.reason)]),
    section("Broken contracts", changes.filter(isOpen), contract, "No contract is broken."),
    section("Seem forgotten", answer.missing, forgotten, noneForgotten),
    section(
      "Depend on the change, but were not changed",
      outside,
      dependent,
      "No file outside the change refers to it.",
    ),
    testsToRun(answer, rev),
    folded("Memories about this code", answer.memories ?? [], (one) => [el("span", one.summary), facts(one.topic)]),
    folded(
      "Changed contracts that hold",
      changes.filter((one) => !isOpen(one)),
      contract,
    ),
    folded("Dependents that were also changed", inside, dependent),
    folded("Indirect dependents", answer.transitive_dependents, (one) => [
      fileAt(one.path, rev),
      facts(`${one.depth} steps, ${percent(one.probability)}`),
    ]),
    folded("Changed definitions", answer.changed_symbols, (one) => [
      jump(one.path, one.line, one.change === "removed" ? "old" : "new", el("span.symbol", one.qualified_name)),
      facts(`${one.kind}, ${one.change.replaceAll("_", " ")}`),
    ]),
    answer.cuts.length > 0 && el("p.quiet", `${answer.cuts.map(cutWords).join("; ")}.`),
  ];
}

function verdict({ verdict: name, summary, risk, sides }) {
  const [words, tone] = VERDICT[name] ?? [name, "plain"];
  const end = (text, commit) => [
    el("span.path", text),
    commit && !commit.startsWith(text.slice(0, 7)) && ` (${short(commit)})`,
  ];
  const notes = sides.notes.map((one) => ` ${typeof one === "string" ? one : JSON.stringify(one)}.`);
  return el(
    "div",
    { class: `verdict ${tone}` },
    el("h2", words),
    el("p", quoted(summary)),
    el(
      "p.quiet",
      `Risk ${risk.level}. From `,
      end(sides.base, sides.base_commit),
      " to ",
      end(sides.head, sides.head_commit),
      ".",
      quoted(notes.join("")),
    ),
    risk.parts.length > 0 &&
      el(
        "details",
        el("summary", "why this risk"),
        el(
          "ul",
          risk.parts.map((one) => el("li", quoted(`${one.name}: ${one.reason}`))),
        ),
      ),
  );
}

function testsToRun({ tests, test_plan: plan }, rev) {
  const selected = tests.filter((one) => one.selected);
  const command = (text) =>
    el(
      "div.command",
      el("code", { tabindex: "0" }, text),
      button("Copy", () => copy(text, "the command")),
    );
  return el(
    "section",
    el("h2", "Tests to run", plan.total > 0 && el("span.quiet", ` ${plan.selected} of ${plan.total}`)),
    plan.commands.map(command),
    tests.length === 0
      ? el("p.quiet", "No test reaches the changed code.")
      : rows(selected, (one) => [fileAt(one.path, rev), facts(`${percent(one.probability)}, ${one.reason}`)]),
  );
}

function contractRow(one, rev, jump) {
  const [word, tone] = EFFECTS[one.effect] ?? [one.effect, "warn"];
  const users =
    one.consumers === 0
      ? "no user in this repository"
      : `${count(one.consumers, "file uses", "files use")} it, ${one.consumers_untouched} unchanged`;
  const use = ({ path, line, text, reason }) => el("li", fileAt(path, rev, line), el("code", text), facts(reason));
  return [
    jump(one.path, one.line, one.class.startsWith("removed") ? "old" : "new", el("span.symbol", one.symbol)),
    el("span", { class: `tag ${tone}` }, word),
    el("span.change-words", quoted(one.detail)),
    facts(one.accepted ? `${users}; accepted: ${one.accepted}` : users),
    one.uses.length > 0 && el("ul.uses", one.uses.map(use)),
  ];
}

const evidenceWords = ({ evidence }) => evidence.map(({ text }) => text).join("; ");
const cutWords = ({ list, shown, total }) => `${list.replaceAll("_", " ")}: ${shown} of ${total} shown`;
const facts = (text) => el("span.quiet", quoted(text));

function fileAt(path, rev, line) {
  return el("a", { href: address("file", { path, rev, lines: line ? String(line) : "" }) }, placeText(path, line));
}

/** A heading with the number of its rows, or `otherwise` where there are none. */
function section(title, members, row, otherwise) {
  return el("section", heading(title, members), members.length > 0 ? rows(members, row) : el("p.quiet", otherwise));
}

/** A section that opens on demand; nothing where there are no rows. */
function folded(title, members, row) {
  return members.length > 0 && el("details.folded", el("summary", heading(title, members)), rows(members, row));
}

const heading = (title, { length }) => el("h2", title, length > 0 && el("span.quiet", ` ${length}`));

function rows(members, row) {
  const list = (some) =>
    el(
      "ul.findings",
      some.map((one) => el("li", row(one))),
    );
  const rest = members.slice(ROWS_MOST);
  return [
    list(members.slice(0, ROWS_MOST)),
    rest.length > 0 && el("details.more", el("summary", `and ${rest.length} more`), list(rest)),
  ];
}
