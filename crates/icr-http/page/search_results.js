// How results of a search look: a row with its facts and why it was found, the symbols beside, and the summary above.

import { ask } from "./api.js";
import { el, placeText, quoted } from "./dom.js";
import { address } from "./route.js";
import { fillFrom } from "./states.js";
import { count, MATCH, short, STRENGTH } from "./words.js";

/** Lines of a result's preview, and its further places, that a row shows. */
const SNIPPET_LINES = 3;
const FURTHER_PLACES_MOST = 2;

/** Where a result leads; `rev` is the revision that the question names, if it does. */
export function resultAddress(result, rev) {
  if (result.commit)
    return address("compare", { to: result.commit, file: result.path, line: String(result.start_line) });
  return fileAddress(result.path, result, rev);
}

function fileAddress(path, { start_line: start, end_line: end }, rev, more = {}) {
  return address("file", {
    path,
    lines: end > start ? `${start}-${end}` : String(start),
    ...(rev && { rev }),
    ...more,
  });
}

/** The strength of an answer in words, and how many results there are. */
export function strengthSummary({ strength, total_count: total, results }) {
  const [word, meaning] = STRENGTH[strength] ?? [strength, ""];
  const shown = total > results.length ? `, the first ${results.length} shown` : "";
  return [
    el("b", { class: `strength ${strength}` }, word),
    results.length > 0 ? ` ${count(total, "result")}${shown}; ` : ": ",
    el("span.quiet", `${meaning}.`),
  ];
}

/** A row of the list. `question` is what `search` was asked, to ask it again for the parts of the score. */
export function resultRow(result, question, signal, attributes) {
  const { path, symbol, language, match_type: match, commit, subject } = result;
  const further = (result.spans ?? []).filter((span) => span.start_line !== result.start_line && !commit);
  const place = (span) =>
    el(
      "a",
      { href: fileAddress(path, span, question.rev) },
      span.symbol ?? `lines ${span.start_line}\u2013${span.end_line}`,
    );
  return el(
    "li.result",
    attributes,
    el(
      "a.result-head",
      { href: resultAddress(result, question.rev) },
      placeText(path, result.start_line, result.end_line),
    ),
    el(
      "span.result-facts",
      symbol && el("span.symbol", symbol),
      commit && el("span.subject", el("span.path", short(commit)), " ", quoted(subject ?? "")),
      el("span.quiet", [language, MATCH[match] ?? match].filter(Boolean).join(", ")),
    ),
    el("pre.snippet", snippetLines(result)),
    el(
      "span.result-more",
      result.score !== undefined && !commit && match !== "grep" && whyDetails(result, question, signal),
      further.length > 0 &&
        el(
          "span.quiet.further",
          "also ",
          further.slice(0, FURTHER_PLACES_MOST).map((span, index) => [index > 0 && ", ", place(span)]),
        ),
    ),
  );
}

function snippetLines({ preview, commit }) {
  const style = (line) => (commit ? { "+": "added", "-": "removed" }[line[0]] : null);
  const lines = String(preview ?? "")
    .split("\n")
    .slice(0, SNIPPET_LINES);
  return lines.map((line) => el("span", { class: style(line) }, `${line}\n`));
}

/** What the score is made of; asked for when it is opened. */
function whyDetails(result, question, signal) {
  const body = el("div");
  const details = el("details.why", el("summary", "why"), body);
  const parts = (answer) => scoreParts(answer.results.find(({ id }) => id === result.id) ?? result);
  const load = () =>
    fillFrom(body, "Asking\u2026", () => ask("search", { ...question, explain: true }, signal), parts, signal);
  details.addEventListener("toggle", load, { once: true });
  return details;
}

function scoreParts({ score, explanation }) {
  const parts = (explanation ?? []).filter(([, value]) => value !== 0);
  if (parts.length === 0) return el("p.quiet", "There are no details about how this was found.");
  const most = Math.max(...parts.map(([, value]) => Math.abs(value)));
  const row = ([name, value]) =>
    el(
      "tr",
      el("th", { scope: "row" }, name),
      el("td.figure", value.toFixed(3)),
      el("td", el("span.bar", { variables: { "--share": `${(Math.abs(value) / most) * 100}%` } })),
    );
  return el("table.parts", el("caption", `Parts of the score ${score.toFixed(3)}`), el("tbody", parts.map(row)));
}

/** Definitions found by name, else those that results stand in: `{name, path, start_line, end_line, kind}`. */
export function symbolList(title, symbols, rev) {
  if (symbols.length === 0) return null;
  const entry = (one) =>
    el(
      "li",
      el("a", { href: fileAddress(one.path, one, rev), title: one.signature }, el("span.symbol", one.name)),
      el("span.quiet.symbol-place", one.kind && `${one.kind} in `, placeText(one.path, one.start_line)),
      el(
        "a.minor",
        {
          href: fileAddress(one.path, one, rev, { symbol: one.name.split(/::|[.#]/).pop() }),
          "aria-label": `references of ${one.name}`,
        },
        "references",
      ),
    );
  return [el("h2", title), el("ul", symbols.map(entry))];
}
