// A pack: the code that answers a question under a budget of tokens, and what another budget would change.

import { ask } from "./api.js";
import { announce, button, copy, el, placeText, show } from "./dom.js";
import { restartProvenance } from "./provenance.js";
import { address, noteInAddress } from "./route.js";
import { failure, loading, nothing } from "./states.js";
import { count, duration, STRENGTH } from "./words.js";

/** Bounds of the budget, in model tokens. */
const TOKENS = { least: 512, most: 32_000, usual: 4000 };

/** Steps of the slider; each is the same factor. */
const STEPS = 100;

/** Milliseconds after the last change until the pack is asked for. */
const DEBOUNCE_MS = 250;

const budgetAt = (step) => roundBudget(TOKENS.least * (TOKENS.most / TOKENS.least) ** (step / STEPS));
const stepOf = (budget) =>
  Math.round((STEPS * Math.log(budget / TOKENS.least)) / Math.log(TOKENS.most / TOKENS.least));
const roundBudget = (tokens) => (tokens < 1000 ? Math.round(tokens / 8) * 8 : Math.round(tokens / 50) * 50);

export async function drawPack({ main, route, signal, setTitle }) {
  let budget = Math.min(Math.max(Number(route.get("budget")) || TOKENS.usual, TOKENS.least), TOKENS.most);
  const prompt = el("textarea", {
    id: "query",
    rows: 2,
    placeholder: "What do you want to know or change?",
    value: route.get("q"),
  });
  const slider = el("input", {
    type: "range",
    id: "budget",
    min: 0,
    max: STEPS,
    step: 1,
    value: String(stepOf(budget)),
  });
  const output = el("output", { for: "budget" });
  const copyButton = button(
    "Copy pack",
    () => copy(pack.pack_content, `the pack, ${count(pack.metadata.tokens_used, "token")}`),
    { class: "main", disabled: true },
  );
  const body = el("div.split");
  let pack = null;
  let asked = new AbortController();
  let timer = 0;
  signal.addEventListener("abort", () => {
    asked.abort();
    clearTimeout(timer);
  });
  show(
    main,
    el("h1.unseen", "Pack"),
    el(
      "form.pack-form",
      { on: { submit: (event) => event.preventDefault() } },
      el("label", { for: "query" }, "Question"),
      prompt,
      el("div.budget", el("label", { for: "budget" }, "Budget"), slider, output, copyButton),
    ),
    body,
  );
  drawBudget();

  function drawBudget() {
    show(output, count(budget, "token"));
    slider.setAttribute("aria-valuetext", count(budget, "token"));
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(askPack, DEBOUNCE_MS);
  }

  async function askPack() {
    asked.abort();
    asked = new AbortController();
    const mine = asked.signal;
    const query = prompt.value.trim();
    restartProvenance();
    noteInAddress("pack", { q: query, budget: String(budget) });
    if (query === "") {
      pack = null;
      copyButton.disabled = true;
      return void show(
        body,
        nothing(
          "Ask something.",
          "The pack holds the code that answers the question, verbatim and with citations, as an agent would get it.",
        ),
      );
    }
    setTitle(`Pack: ${query}`);
    if (!pack) show(body, loading("Packing\u2026"));
    body.setAttribute("aria-busy", "true");
    try {
      const answer = await ask("pack", { query, budget }, mine);
      if (mine.aborted) return;
      drawAnswer(answer, pack?.question === query ? pack : null);
      pack = { ...answer, question: query };
    } catch (error) {
      if (mine.aborted) return;
      pack = null;
      show(body, failure(error, askPack));
    } finally {
      copyButton.disabled = !pack?.sources.length;
      if (!mine.aborted) body.removeAttribute("aria-busy");
    }
  }

  /** Shows `answer`; `before` is the pack for the same question under another budget, or null. */
  function drawAnswer(answer, before) {
    const { sources, metadata, strength } = answer;
    if (sources.length === 0) {
      const why = STRENGTH[strength]?.[1] ?? "";
      return show(body, nothing("Nothing fits.", why, ". Try other words or a larger budget."));
    }
    const changes = before ? differences(before.sources, sources) : { state: () => "", gone: [] };
    const cameIn = sources.filter((one) => changes.state(one) === "came in").length;
    const since = before && `compared with ${count(before.metadata.tokens_budget, "token")}`;
    const difference = before ? `${cameIn} came in, ${changes.gone.length} fell out ${since}.` : "";
    announce(`${count(sources.length, "span")}, ${count(metadata.tokens_used, "token")}. ${difference}`);
    const spans = el(
      "section.pane",
      { "aria-label": "Spans in the pack" },
      el(
        "p.summary",
        el("b", { class: `strength ${strength}` }, STRENGTH[strength]?.[0] ?? ""),
        ` ${metadata.tokens_used.toLocaleString("en")} of ${count(metadata.tokens_budget, "token")} `,
        `in ${count(sources.length, "span")}. `,
        el("span.quiet", difference || `Found in ${duration(metadata.duration_ms)}.`),
      ),
      answer.warnings.map((warning) => el("p.warn", typeof warning === "string" ? warning : JSON.stringify(warning))),
      spanTable(sources, changes),
      omittedSpans(answer.omitted),
    );
    const text = el("pre.code.pack-text", { tabindex: "0" }, answer.pack_content);
    show(body, spans, el("section.pane", { "aria-label": "Text of the pack" }, text));
  }

  slider.addEventListener("input", () => {
    budget = budgetAt(Number(slider.value));
    drawBudget();
    later();
  });
  prompt.addEventListener("input", later);
  prompt.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      askPack();
    }
  });
  if (!route.get("q")) prompt.focus();
  askPack();
  return { c: () => copyButton.click() };
}

/** The spans in their order with the tokens of each, then those that fell out. */
function spanTable(sources, { state, gone }) {
  const most = Math.max(...sources.map((one) => one.token_count));
  const title = (name, style) => el("th", { scope: "col", class: style }, name);
  return el(
    "table.listing.spans",
    el("thead", el("tr", title("#", "figure"), title("Lines"), title("Tokens", "figure"))),
    el(
      "tbody",
      sources.map((one, index) => spanRow(one, String(index + 1), state(one), most)),
      gone.map((one) => spanRow(one, "", "fell out", most)),
    ),
  );
}

function spanRow(one, number, state, most) {
  const style = state.replace(" ", "-");
  const tags = [one.is_pinned && "pinned", one.is_contract && "contract", one.cut_from_end_line && "cut"].filter(
    Boolean,
  );
  return el(
    "tr",
    { class: style || null },
    el("td.figure.quiet", number),
    el(
      "td",
      spanLink(one),
      one.symbol && el("span.symbol", one.symbol),
      tags.map((tag) => el("span.tag", tag)),
      state && el("span", { class: `tag state-${style}` }, state),
    ),
    el(
      "td.figure",
      one.token_count.toLocaleString("en"),
      el("span.bar", { variables: { "--share": `${(one.token_count / most) * 100}%` } }),
    ),
  );
}

function omittedSpans(omitted) {
  if (omitted.length === 0) return null;
  const title = el("summary", `${count(omitted.length, "span")} did not fit`);
  return el(
    "details.more",
    title,
    el(
      "ul.files",
      omitted.map((one) => el("li", spanLink(one))),
    ),
  );
}

function spanLink({ path, start_line: start, end_line: end }) {
  return el("a", { href: address("file", { path, lines: `${start}-${end}` }) }, placeText(path, start, end));
}

/** How spans differ from those of the pack before. They are the same when their lines overlap: budgets move ends. */
function differences(before, now) {
  const overlaps = (a) => (b) => a.path === b.path && a.start_line <= b.end_line && b.start_line <= a.end_line;
  const lines = (spans) => spans.reduce((sum, one) => sum + one.end_line - one.start_line + 1, 0);
  return {
    gone: before.filter((one) => !now.some(overlaps(one))),
    state: (one) => {
      const old = before.filter(overlaps(one));
      if (old.length === 0) return "came in";
      const grown = one.end_line - one.start_line + 1 - lines(old);
      return grown > 0 ? "grew" : grown < 0 ? "shrank" : "";
    },
  };
}
