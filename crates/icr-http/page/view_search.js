// Search as you type: results, symbols beside, and the code of the chosen one.

import { ask } from "./api.js";
import { codeBox } from "./code.js";
import { diffFiles, markPlace } from "./diff_view.js";
import { announce, el, placeText, show } from "./dom.js";
import { combobox } from "./picker.js";
import { restartProvenance } from "./provenance.js";
import { operatorSuggestions, parsedQuery, replaceWord } from "./query.js";
import { address, noteInAddress } from "./route.js";
import { resultAddress, resultRow, strengthSummary, symbolList } from "./search_results.js";
import { failure, fillFrom, loading, nothing } from "./states.js";
import { count, short } from "./words.js";

/** Milliseconds after the last key until the question is asked. */
const DEBOUNCE_MS = 140;

const RESULTS_MOST = 30;
const SYMBOLS_MOST = 6;

/** Lines of code shown around a result, and most lines shown of it. */
const AROUND_LINES = 4;
const PREVIEW_LINES_MOST = 80;

/** Lines read before a result, to tell whether it begins inside of a comment or string. */
const UNSEEN_LINES = 300;

const EXAMPLES = [
  ["where are errors reported", "what the code does, in words"],
  ["mode:grep TODO", "lines that contain a text"],
  ["scope:diffs fix crash", "what changed in commits"],
  ["scope:contracts config", "interfaces, types and schemas"],
  ["rev:HEAD~50 main", "any revision, without a checkout"],
  ["path:src/ parse", "only files below a path"],
];

export async function drawSearch({ main, route, signal, setTitle }) {
  const input = el("input", {
    id: "query",
    type: "search",
    placeholder: "Words, a question, a name\u2026",
    "aria-label": "Search",
    value: route.get("q"),
  });
  const box = el("div.search-box");
  const summary = el("p.summary");
  const results = el("ol.results");
  const list = el("section.pane", { "aria-label": "Results" }, results);
  const symbols = el("section.symbols", { "aria-label": "Symbols" });
  const preview = el("section.preview", { "aria-label": "Code of the chosen result" });
  show(
    main,
    el("h1.unseen", { tabindex: "-1" }, "Search"),
    el("form", { role: "search", on: { submit: (event) => event.preventDefault() } }, box, summary),
    el("div.split", list, el("div.pane.beside", symbols, preview)),
  );

  let asked = new AbortController();
  let timer = 0;
  let askedText = "";
  let question = {};
  let found = [];
  let chosen = -1;
  signal.addEventListener("abort", () => {
    asked.abort();
    clearTimeout(timer);
  });

  async function search() {
    asked.abort();
    asked = new AbortController();
    const mine = asked.signal;
    question = { limit: RESULTS_MOST, ...parsedQuery(input.value) };
    noteInAddress("search", { q: input.value });
    restartProvenance();
    askedText = input.value;
    [found, chosen] = [[], -1];
    if (question.query === "") return drawHints();
    setTitle(question.query);
    list.setAttribute("aria-busy", "true");
    if (!results.querySelector(".result")) show(results, el("li", loading("Searching\u2026")));
    try {
      const answer = ask(...placeOf(question), mine);
      drawSymbols(answer, mine);
      const { results: ranked } = await answer;
      if (mine.aborted) return;
      found = ranked;
      drawResults(await answer);
    } catch (error) {
      if (mine.aborted) return;
      for (const part of [summary, symbols, preview]) show(part);
      show(results, el("li", failure(error, search)));
    } finally {
      if (!mine.aborted) list.removeAttribute("aria-busy");
    }
  }

  function drawHints() {
    for (const part of [summary, symbols, preview]) show(part);
    const example = ([text, meaning]) =>
      el("li", el("a", { href: address("search", { q: text }) }, el("code", text)), el("span.quiet", meaning));
    show(results, el("li.hints", el("h2", "Ask a question, or search for a name"), el("ul", EXAMPLES.map(example))));
  }

  function drawResults(answer) {
    show(summary, strengthSummary(answer));
    announce(summary.textContent);
    show(preview);
    if (found.length === 0) {
      return show(
        results,
        el("li", nothing("Nothing found.", "Try other words, another scope, or remove an operator.")),
      );
    }
    const row = (result, index) =>
      resultRow(result, question, signal, { "data-index": index, on: { focusin: () => choose(index, false) } });
    show(results, found.map(row));
    choose(0, false);
  }

  function choose(index, isFocused) {
    const row = results.querySelector(`[data-index="${index}"]`);
    if (!row) return;
    if (isFocused) row.querySelector("a").focus();
    if (index === chosen) return;
    chosen = index;
    results.querySelector(".chosen")?.classList.remove("chosen");
    row.classList.add("chosen");
    if (isFocused) row.scrollIntoView({ block: "nearest" });
    drawPreview(found[index]);
  }

  function drawPreview(result) {
    if (getComputedStyle(preview).display === "none") return;
    const body = el("div");
    const at = result.commit ? el("span.quiet", ` at ${short(result.commit)}`) : null;
    const place = placeText(result.path, result.start_line, result.end_line);
    show(preview, el("h2", el("a", { href: resultAddress(result, question.rev) }, place), at), body);
    const mine = asked.signal;
    if (result.commit) {
      const diff = () => ask("diff", { rev: result.commit, path: result.path }, mine);
      const draw = (answer) => diffFiles(answer, result.commit);
      const goToHunk = () => !mine.aborted && markPlace(body, result.path, result.start_line, "new");
      return fillFrom(body, "Comparing\u2026", diff, draw, mine).then(goToHunk);
    }
    const start = Math.max(1, result.start_line - UNSEEN_LINES);
    const end = Math.min(result.end_line + AROUND_LINES, result.start_line + PREVIEW_LINES_MOST);
    const read = () =>
      ask("read", { path: result.path, start, end, ...(question.rev && { rev: question.rev }) }, mine);
    return fillFrom(body, "Reading\u2026", read, (answer) => previewCode(answer, result), mine);
  }

  function previewCode(answer, result) {
    const rev = question.rev && { rev: question.rev };
    const hrefOf = (line) => address("file", { path: result.path, lines: String(line), ...rev });
    const from = Math.max(answer.start_line, result.start_line - AROUND_LINES);
    const code = codeBox(answer.content, { path: result.path, start: answer.start_line, from, hrefOf });
    for (const row of code.querySelectorAll(".line")) {
      const line = Number(row.dataset.row);
      row.classList.toggle("marked", line >= result.start_line && line <= result.end_line);
    }
    return code;
  }

  /** Definitions that are called like the question; where there are none, those that its results stand in. */
  async function drawSymbols(answer, mine) {
    const isOfCode = question.mode !== "grep" && !["diffs", "transcript"].includes(question.scope);
    const { query, rev } = question;
    const asking = isOfCode
      ? ask("symbols", { query, limit: SYMBOLS_MOST, ...(rev && { rev }) }, mine)
      : { symbols: [] };
    const [named, ranked] = await Promise.all([asking, answer]).catch(() => [{ symbols: [] }, { results: [] }]);
    if (mine.aborted) return;
    const byName = named.symbols.map((one) => ({ ...one, name: one.qualified_name, kind: one.type }));
    const inResults = ranked.results.filter((one) => one.symbol && isOfCode).slice(0, SYMBOLS_MOST);
    const byResult = byName.length > 0 ? [] : await Promise.all(inResults.map((one) => definitionOf(one, rev, mine)));
    if (mine.aborted) return;
    const [title, members] =
      byName.length > 0 ? ["Symbols of this name", byName] : ["Symbols among the results", byResult];
    symbols.classList.toggle("of-results", byName.length === 0);
    show(symbols, symbolList(title, members.slice(0, SYMBOLS_MOST), rev));
  }

  /** The definition that a result stands in, with its own line; a result begins at its best lines. */
  async function definitionOf(result, rev, mine) {
    const { symbol, path } = result;
    const asking = ask("symbols", { query: symbol, path, limit: 1, ...(rev && { rev }) }, mine);
    const [found] = (await asking.catch(() => ({ symbols: [] }))).symbols;
    return found ? { ...found, name: symbol, kind: found.type } : { ...result, name: symbol };
  }

  combobox(box, input, {
    suggest: operatorSuggestions,
    onFocus: false,
    pick: (option) => {
      clearTimeout(timer);
      if (option) replaceWord(input, option.value);
      if (!option && chosen >= 0 && askedText === input.value) choose(chosen, true);
      else search().then(() => !option && choose(0, true));
    },
  });
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, DEBOUNCE_MS);
  });
  if (route.get("q") === "") input.focus();
  search();

  return {
    j: () => choose(Math.min(list.contains(document.activeElement) ? chosen + 1 : chosen, found.length - 1), true),
    k: () => choose(Math.max(chosen - 1, 0), true),
    o: () => results.querySelector(".chosen .why summary")?.click(),
    Enter: () => {
      if (found[chosen]) location.hash = resultAddress(found[chosen], question.rev);
    },
  };
}

/** Where a question is asked, and with what: lines are found by a question of their own. */
function placeOf(question) {
  if (question.mode !== "grep") return ["search", question];
  const { query, language, path, limit, rev } = question;
  return ["search/lines", { query, language, path, limit, ...(rev && { rev }) }];
}
