// Memoirs: concepts and how they belong together.

import { ask } from "./api.js";
import { el, quoted } from "./dom.js";
import { listKeys } from "./keys.js";
import { address, here } from "./route.js";
import { fillFrom, nothing } from "./states.js";
import { count, percent } from "./words.js";

/** Adds the memoirs to `main`; the chosen one is opened, else the first. */
export async function drawMemoirs({ main, route, signal, setTitle }) {
  const name = route.get("memoir");
  const list = el("nav.pane", { "aria-label": "Memoirs" });
  const body = el("section.pane", { "aria-label": "Concepts" });
  main.append(el("div.split.memoir-split", list, body));
  let first = "";
  await fillFrom(
    list,
    "Listing memoirs\u2026",
    () => ask("memoirs", {}, signal),
    ({ memoirs }) => {
      first = memoirs[0]?.name ?? "";
      if (memoirs.length === 0)
        return nothing(
          "There are no memoirs yet.",
          "A memoir stores knowledge as concepts and links between them: ",
          el("code", "icr memoir create --name \u2026"),
          ".",
        );
      return [
        el("h2", "Memoirs"),
        el(
          "ul.topics",
          memoirs.map((one) =>
            el(
              "li",
              el(
                "a",
                {
                  href: address("memory", { tab: "memoirs", memoir: one.name }),
                  "aria-current": one.name === (name || first) ? "true" : null,
                },
                el("span", one.name),
                el("span.quiet", `${one.concepts}`),
              ),
            ),
          ),
        ),
      ];
    },
    signal,
  );
  if (signal.aborted || !(name || first)) return {};
  setTitle(`Memoir ${name || first}`);
  await fillFrom(
    body,
    "Reading\u2026",
    () => ask(`memoirs/${encodeURIComponent(name || first)}`, {}, signal),
    (memoir) => memoirParts(memoir),
    signal,
  );
  if (route.get("concept"))
    body.querySelector(`[data-concept="${CSS.escape(route.get("concept"))}"]`)?.scrollIntoView();
  return listKeys(body, ".concept h3 a");
}

function memoirParts(memoir) {
  const concepts = memoir.concept_list ?? [];
  const links = memoir.link_list ?? [];
  const to = (concept) => address("memory", { tab: "memoirs", memoir: memoir.name, concept });
  const chosen = here().get("concept");
  return [
    el("h2.title", memoir.name),
    el("p", quoted(memoir.description)),
    el("p.quiet", `${count(concepts.length, "concept")}, ${count(links.length, "link")}.`),
    el(
      "div.concepts",
      concepts.map((one) =>
        el(
          "article",
          { class: `concept ${one.name === chosen ? "chosen" : ""}`, "data-concept": one.name },
          el("h3", el("a", { href: to(one.name) }, one.name)),
          el("p", quoted(one.definition)),
          el(
            "p.quiet",
            [
              one.labels.join(", "),
              `confidence ${percent(one.confidence)}`,
              one.revision > 1 && `revision ${one.revision}`,
            ]
              .filter(Boolean)
              .join("; "),
          ),
          el(
            "ul.links",
            links
              .filter(({ from }) => from === one.name)
              .map((link) =>
                el(
                  "li",
                  el("span.quiet", `${link.relation.replaceAll("_", " ")} \u2192 `),
                  el("a", { href: to(link.to) }, link.to),
                ),
              ),
            links
              .filter((link) => link.to === one.name)
              .map((link) =>
                el(
                  "li",
                  el("a", { href: to(link.from) }, link.from),
                  el("span.quiet", ` ${link.relation.replaceAll("_", " ")} this`),
                ),
              ),
          ),
        ),
      ),
    ),
  ];
}
