// Memories by topic or by question, with the code that they are about and what became of it.

import { ask } from "./api.js";
import { announce, el, pathText, show } from "./dom.js";
import { address, noteInAddress } from "./route.js";
import { failure, fillFrom, loading, nothing } from "./states.js";
import { drawMemoirs } from "./view_memoirs.js";
import { listKeys } from "./keys.js";
import { ago, at, count, percent, PLACE_STATE, STRENGTH } from "./words.js";

/** Milliseconds after the last key until memories are recalled. */
const DEBOUNCE_MS = 200;

export async function drawMemory({ main, route, signal, setTitle }) {
  const isMemoirs = route.get("tab") === "memoirs";
  const tab = (name, title) =>
    el(
      "a",
      { href: address("memory", { tab: name }), "aria-current": isMemoirs === (name === "memoirs") ? "true" : null },
      title,
    );
  show(
    main,
    el(
      "div.bar",
      el("h1", { tabindex: "-1" }, "Memory"),
      el(
        "div.tabs",
        { role: "group", "aria-label": "Kinds of memory" },
        tab("", "Memories"),
        tab("memoirs", "Memoirs"),
      ),
    ),
  );
  return isMemoirs ? drawMemoirs({ main, route, signal, setTitle }) : drawMemories(main, route, signal);
}

async function drawMemories(main, route, signal) {
  const topic = route.get("topic");
  const input = el("input", {
    type: "search",
    id: "query",
    value: route.get("q"),
    placeholder: "Recall: a question or words\u2026",
    "aria-label": "Recall memories",
  });
  const topics = el("nav.pane", { "aria-label": "Topics" });
  const list = el("div.results");
  const detail = el("section.pane.detail", { "aria-label": "One memory" });
  main.append(
    el("form", { role: "search", class: "recall", on: { submit: (event) => event.preventDefault() } }, input),
    el("div.split.memory-split", topics, el("section.pane", { "aria-label": "Memories" }, list), detail),
  );
  let asked = new AbortController();
  let timer = 0;
  signal.addEventListener("abort", () => {
    asked.abort();
    clearTimeout(timer);
  });

  fillFrom(
    topics,
    "Listing topics\u2026",
    async () => [await ask("memory/topics", {}, signal), await ask("memory/stats", {}, signal).catch(() => null)],
    ([answer, stats]) => {
      const link = (name, number) =>
        el(
          "li",
          el(
            "a",
            { href: address("memory", { topic: name }), "aria-current": name === topic ? "true" : null },
            el("span", name || "All topics"),
            el("span.quiet", number),
          ),
        );
      return [
        el("h2", "Topics"),
        el(
          "ul.topics",
          link("", String(answer.topics.reduce((sum, one) => sum + one.count, 0))),
          answer.topics.map((one) => link(one.topic, String(one.count))),
        ),
        stats &&
          el(
            "p.quiet",
            `${count(stats.memories, "memory", "memories")}, ${count(stats.memoirs, "memoir")} in all projects.`,
          ),
      ];
    },
    signal,
  );

  async function drawMemoryList() {
    asked.abort();
    asked = new AbortController();
    const mine = asked.signal;
    const query = input.value.trim();
    noteInAddress("memory", { topic, q: query, id: route.get("id") });
    if (!list.firstChild) list.append(loading("Recalling\u2026"));
    try {
      const answer = query ? await ask("memory/recall", { query }, mine) : await ask("memory/list", { topic }, mine);
      if (mine.aborted) return;
      drawList(answer, query);
    } catch (error) {
      if (!mine.aborted) show(list, failure(error, drawMemoryList));
    }
  }

  function drawList({ memories, strength, hidden }, query) {
    const words = query ? (STRENGTH[strength]?.[0] ?? "") : count(memories.length, "memory", "memories");
    announce(query ? `${words}: ${count(memories.length, "memory", "memories")}` : words);
    if (memories.length === 0) {
      show(
        list,
        query
          ? nothing("No memory was found about this.", "Try other words, or choose a topic.")
          : nothing(
              "There are no memories yet.",
              "Agents store memories through icr. You can store one with ",
              el("code", "icr store --topic decisions --content \u2026"),
              ".",
            ),
      );
      return show(detail);
    }
    const open = (one) => {
      noteInAddress("memory", { topic, q: query, id: one.id });
      list.querySelectorAll(".chosen").forEach((row) => row.classList.remove("chosen"));
      list.querySelector(`[data-id="${CSS.escape(one.id)}"]`)?.classList.add("chosen");
      show(detail, memoryDetail(one));
    };
    show(
      list,
      query &&
        el(
          "p.summary",
          el("b", { class: `strength ${strength}` }, words),
          hidden > 0 && el("span.quiet", ` ${hidden} hidden: their code is not in the worktree`),
        ),
      el(
        "ul",
        memories.map((one) =>
          el(
            "li.result",
            { "data-id": one.id, on: { focusin: () => open(one) } },
            el(
              "a.memory-summary",
              {
                href: address("memory", { topic, q: query, id: one.id }),
                on: {
                  click: (event) => {
                    event.preventDefault();
                    open(one);
                  },
                },
              },
              one.summary.length > 220 ? `${one.summary.slice(0, 219)}\u2026` : one.summary,
            ),
            el(
              "span.result-facts.quiet",
              el("span", one.topic),
              el("span", one.kind),
              el("span", `${one.importance} importance`),
              el("span", ago(Date.parse(one.updated_at))),
              staleness(one),
            ),
          ),
        ),
      ),
    );
    open(memories.find(({ id }) => id === route.get("id")) ?? memories[0]);
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(drawMemoryList, DEBOUNCE_MS);
  });
  await drawMemoryList();
  return listKeys(list, ".memory-summary");
}

/** Whether code that a memory is about is not what it was, in a word. */
function staleness({ code = [] }) {
  const worst = ["absent", "changed"].find((state) => code.some((place) => place.state === state));
  return worst && el("span", { class: `tag ${PLACE_STATE[worst][1]}` }, `code ${PLACE_STATE[worst][0]}`);
}

function memoryDetail(one) {
  const fact = (name, value) =>
    value !== undefined && value !== null && value !== "" && el("div", el("dt", name), el("dd", value));
  return [
    el("h2", one.topic),
    el("p.memory-text", one.summary),
    one.raw_excerpt && el("blockquote", one.raw_excerpt),
    el("h3", "Code that this memory is about"),
    (one.code ?? []).length === 0
      ? el("p.quiet", "It names no file or definition.")
      : el(
          "ul.places",
          one.code.map((place) => {
            const [words, tone] = PLACE_STATE[place.state] ?? ["not compared", "quiet"];
            const line = /:(\d+) /.exec(place.now ?? "")?.[1] ?? "";
            return el(
              "li",
              el("a", { href: address("file", { path: place.path, lines: line }) }, pathText(place.path)),
              place.symbol && el("span.symbol", place.symbol),
              el("span", { class: `tag ${tone}` }, words),
              place.now && el("code.now", place.now.slice(place.now.indexOf(" ") + 1)),
            );
          }),
        ),
    el(
      "dl.facts",
      fact("Kind", one.kind),
      fact("Importance", one.importance),
      fact("Weight", percent(one.weight)),
      fact("Keywords", one.keywords.join(", ")),
      fact("Author", one.author),
      fact("Source", one.source),
      fact("Stored", at(Date.parse(one.created_at))),
      fact("Changed", one.updated_at === one.created_at ? "" : at(Date.parse(one.updated_at))),
      fact("Recalled", count(one.access_count, "time")),
      fact("Id", el("span.path", one.id)),
    ),
  ];
}
