// What agents asked and what came back: calls newest first, one call whole, and the measures over sessions.

import { ask } from "./api.js";
import { el, show, svg } from "./dom.js";
import { address, noteInAddress } from "./route.js";
import { fillFrom, nothing } from "./states.js";
import { listKeys } from "./keys.js";
import { ago, at, count, duration, percent } from "./words.js";

const CALLS_MOST = 200;

/** The measures, their meaning after the percentage, and the share above which they are too high. */
const MEASURES = [
  {
    name: "ewr_tokens",
    title: "Exploration waste",
    limit: 0.7,
    says: "of the tokens that icr showed were not used afterwards",
  },
  {
    name: "ewr_calls",
    title: "Searches without icr",
    limit: 0.1,
    says: "of the look-ups did not use icr, but grep, cat or whole files",
  },
  {
    name: "imr",
    title: "Impact misses",
    limit: 0.2,
    says: "of the files that had to change were not in the impact report",
  },
];

/** A measure is a number, or an object with `value`; null where there was nothing to count. */
const valueOf = (measure) => (typeof measure === "number" ? measure : (measure?.value ?? null));

export async function drawTraces({ main, route, signal }) {
  const measures = el("section.measures", { "aria-label": "Measures" });
  const filters = el("form.filters", { on: { submit: (event) => event.preventDefault() } });
  const list = el("section.pane", { "aria-label": "Calls" });
  const detail = el("section.pane.detail", { "aria-label": "One call" });
  show(
    main,
    el("div.bar", el("h1", { tabindex: "-1" }, "Agents"), filters),
    measures,
    el("div.split.traces-split", list, detail),
  );
  fillFrom(measures, "Measuring\u2026", () => ask("metrics", { rev: "" }, signal), drawMeasures, signal);
  await fillFrom(
    list,
    "Listing calls\u2026",
    () => ask("traces", { last: CALLS_MOST, rev: "" }, signal),
    ({ traces }) => {
      const chosen = { door: route.get("door"), tool: route.get("tool"), session: route.get("session") };
      let id = route.get("id");
      if (traces.length === 0)
        return nothing(
          "No agent has asked anything yet.",
          "Calls show up here when an agent uses icr over MCP, when you use the command line, or when this page asks. ",
          el("code", "icr init"),
          " connects the agents of this machine.",
        );
      const rows = el("div");

      function drawRows() {
        const calls = traces.filter((one) =>
          Object.entries(chosen).every(([field, value]) => !value || one[field] === value),
        );
        noteInAddress("agents", { ...chosen, id });
        if (calls.length === 0) return void show(rows, nothing("No call matches these filters."));
        const titles = { When: null, Call: null, Tokens: "figure", Took: "figure", Outcome: null };
        show(
          rows,
          el("p.summary", { role: "status" }, `${count(calls.length, "call")}, newest first`),
          el(
            "table.listing.calls",
            el(
              "thead",
              el(
                "tr",
                Object.entries(titles).map(([title, style]) => el("th", { scope: "col", class: style }, title)),
              ),
            ),
            el("tbody", calls.map(callRow)),
          ),
        );
        const one = calls.find((call) => call.id === id) ?? calls[0];
        open(one);
      }

      function callRow(one) {
        const name = el(
          "a.entry.symbol",
          {
            href: address("agents", { ...chosen, id: one.id }),
            on: {
              click: (event) => {
                event.preventDefault();
                open(one);
              },
              focus: () => open(one),
            },
          },
          one.tool,
        );
        return el(
          "tr",
          { "data-id": one.id },
          el("td.quiet.when", el("time", { title: at(one.time_ms) }, ago(one.time_ms))),
          el(
            "td.asked",
            name,
            " ",
            askedText(one),
            el("div.quiet", [one.task, one.door].filter(Boolean).join(" \u00b7 ")),
          ),
          el("td.figure", one.output_tokens?.toLocaleString("en")),
          el("td.figure", duration(one.duration_ms)),
          el("td", outcome(one)),
        );
      }

      function open(one) {
        id = one.id;
        noteInAddress("agents", { ...chosen, id });
        rows.querySelectorAll(".chosen").forEach((row) => row.classList.remove("chosen"));
        rows.querySelector(`[data-id="${CSS.escape(id)}"]`)?.classList.add("chosen");
        show(detail, callDetail(one, traces, open));
      }

      show(
        filters,
        Object.keys(chosen).map((field) => {
          const values = [...new Set(traces.map((one) => one[field]).filter(Boolean))].sort();
          const select = el(
            "select",
            { id: `filter-${field}` },
            el("option", { value: "" }, `any ${field}`),
            values.map((value) => el("option", { value }, value)),
          );
          select.value = values.includes(chosen[field]) ? chosen[field] : "";
          chosen[field] = select.value;
          select.addEventListener("change", () => {
            chosen[field] = select.value;
            drawRows();
          });
          return [el("label.unseen", { for: select.id }, `Filter by ${field}`), select];
        }),
      );
      drawRows();
      return rows;
    },
    signal,
  );
  return listKeys(list, ".entry");
}

/** The first text of what a call was given: its query, path, or command. */
function askedText({ input }) {
  const text =
    typeof input === "string"
      ? input
      : Object.values(input ?? {}).find((value) => typeof value === "string" || Array.isArray(value));
  return Array.isArray(text) ? text.join(" ") : (text ?? "");
}

function outcome(one) {
  const tone = one.outcome === "ok" ? "good" : ["gap", "cancelled"].includes(one.outcome) ? "warn" : "bad";
  return el("span", { class: tone }, { ok: "answered", gap: "answered in part" }[one.outcome] ?? one.outcome);
}

function callDetail(one, traces, open) {
  const fact = (name, value) =>
    value !== null && value !== undefined && value !== "" && el("div", el("dt", name), el("dd", value));
  const link = (call) =>
    el(
      "button",
      { type: "button", class: "jump", on: { click: () => open(call) } },
      `${call.tool}, ${at(call.time_ms)}`,
    );
  const parent = traces.find(({ id }) => id === one.parent);
  const parts = traces.filter((call) => call.parent === one.id);
  return [
    el("h2.title", one.tool, " ", outcome(one)),
    one.task && el("p.memory-text", one.task),
    el("h3", "Input"),
    el(
      "pre.code.asked-whole",
      { tabindex: "0" },
      typeof one.input === "string" ? one.input : JSON.stringify(one.input, null, 2),
    ),
    el(
      "dl.facts",
      fact("When", at(one.time_ms)),
      fact("Took", duration(one.duration_ms)),
      fact("Answer", one.output_tokens !== null && count(one.output_tokens ?? 0, "token")),
      fact("Gaps", one.gaps.join(", ").replaceAll("_", " ")),
      fact("Door", one.door),
      fact("Client", one.client),
      fact("Session", one.session && el("a", { href: address("agents", { session: one.session }) }, one.session)),
      fact("Part of", parent ? link(parent) : one.parent),
      parts.length > 0 &&
        fact(
          "Its parts",
          el(
            "ul",
            parts.map((call) => el("li", link(call))),
          ),
        ),
      fact("Id", el("span.path", one.id)),
    ),
  ];
}

function drawMeasures(metrics) {
  return [
    ...MEASURES.map(({ name, title, limit, says }) => {
      const value = valueOf(metrics[name]);
      const trend = (metrics.trend ?? []).map((session) => valueOf(session[name]));
      if (value === null) return el("div.measure", el("h2", title), el("p.quiet", "Nothing to count yet."));
      return el(
        "div.measure",
        el("h2", title),
        el("p", el("b", { class: value > limit ? "warn" : "good" }, percent(value)), " ", says),
        el("p.quiet", `${value > limit ? "Above" : "Within"} the limit of ${percent(limit)}.`),
        trendLine(trend, limit, title),
      );
    }),
    (metrics.advice ?? []).length > 0 &&
      el(
        "div.measure",
        el("h2", "Advice"),
        el(
          "ul",
          metrics.advice.map((advice) => el("li", advice)),
        ),
        metrics.dropped > 0 && el("p.warn", `${count(metrics.dropped, "call")} could not be recorded.`),
      ),
  ];
}

/** A small line through the values of the last sessions, oldest first; sessions without a value are left out. */
function trendLine(values, limit, title) {
  const known = values.map((value, index) => [index, value]).filter(([, value]) => value !== null);
  if (known.length < 2) return null;
  const [width, height] = [220, 34];
  const point = ([index, value]) => [
    4 + (index / (values.length - 1)) * (width - 8),
    height - 4 - value * (height - 8),
  ];
  const level = height - 4 - limit * (height - 8);
  return svg(
    "svg.trend",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${title} of the last sessions: ${known.map(([, value]) => percent(value)).join(", ")}`,
    },
    svg("path.limit", { d: `M0 ${level}H${width}` }),
    svg("polyline", { points: known.map((one) => point(one).join(",")).join(" ") }),
    svg("circle", { cx: point(known.at(-1))[0], cy: point(known.at(-1))[1], r: 3 }),
  );
}
