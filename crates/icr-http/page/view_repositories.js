// Repositories: list, choose, register, index with progress, watch, remove; state and health of the chosen one.

import { ask, change, events, forgetKept } from "./api.js";
import { announce, button, el, note, pathText, show } from "./dom.js";
import { confirmed } from "./dialogs.js";
import { address, go } from "./route.js";
import { failure, fillFrom, nothing } from "./states.js";
import { bytes, count, duration, gapWords, percent } from "./words.js";

export async function drawRepositories({ main, route, signal }) {
  const chosen = route.get("repo");
  const list = el("section.pane", { "aria-label": "Registered repositories" });
  const detail = el("section.pane.detail", { "aria-label": "State of the chosen repository" });
  const path = el("input", {
    type: "text",
    id: "new-path",
    placeholder: "/path/to/a/repository",
    spellcheck: "false",
  });
  const outcome = el("div", { role: "status" });
  const register = el(
    "form.register",
    { on: { submit: registerPath } },
    el("label", { for: "new-path" }, "Register another"),
    path,
    el("button", { type: "submit" }, "Register"),
  );
  show(
    main,
    el("div.bar", el("h1", { tabindex: "-1" }, "Repositories"), register),
    outcome,
    el("div.split.repositories-split", list, detail),
  );

  async function registerPath(event) {
    event.preventDefault();
    if (path.value.trim() === "") return path.focus();
    show(outcome, el("p.quiet", "Registering and indexing; a large repository takes a minute\u2026"));
    try {
      await change("POST", "repos", { path: path.value.trim() });
      note("Registered");
      go("repositories", { repo: chosen });
      drawRepositories({ main, route, signal });
    } catch (error) {
      show(outcome, failure(error, null));
    }
  }

  async function remove(one) {
    const name = one.worktrees[0] ?? one.repo_id;
    if (
      !(await confirmed(
        "Remove this repository?",
        `This deletes the index of ${name} (${bytes(one.store_bytes)}). The repository, pins and memories stay.`,
        "Remove",
      ))
    )
      return;
    try {
      await change("DELETE", `repos/${one.repo_id}`);
      note("Removed");
      if (one.repo_id === chosen) go("repositories", { repo: "", rev: "" });
      else drawRepositories({ main, route, signal });
    } catch (error) {
      note(error.message);
    }
  }

  async function watch(one) {
    try {
      await change(one.watched ? "DELETE" : "PUT", `repos/${one.repo_id}/watch`);
      drawRepositories({ main, route, signal });
    } catch (error) {
      note(error.message);
    }
  }

  fillFrom(
    list,
    "Listing\u2026",
    () => ask("repos", { repo: "", rev: "" }, signal),
    ({ repositories, current }) =>
      repositories.length === 0
        ? nothing(
            "No repository is registered yet.",
            "Give a path above, or run ",
            el("code", "icr index"),
            " in a repository.",
          )
        : el(
            "ul.repositories-list",
            repositories.map((one) => {
              return el(
                "li",
                { class: `result ${one.repo_id === chosen ? "chosen" : ""}` },
                el(
                  "a.entry",
                  {
                    href: address("repositories", { repo: one.repo_id, rev: "" }),
                    "aria-current": one.repo_id === chosen ? "true" : null,
                  },
                  pathText(one.worktrees[0] ?? one.clones?.[0] ?? one.repo_id),
                ),
                el(
                  "span.result-facts.quiet",
                  el("span.path", one.repo_id),
                  el("span", bytes(one.store_bytes)),
                  el("span", count(one.views, "view")),
                  one.worktrees.length > 1 && el("span", count(one.worktrees.length, "worktree")),
                  one.repo_id === current && el("span.tag", "the server's own"),
                ),
                one.problem && el("p.bad", one.problem),
                one.worktrees.length === 0 && el("p.warn", "Its worktree no longer exists."),
                el(
                  "span.actions",
                  el("a", { href: address("search", { repo: one.repo_id, rev: "" }) }, "Search in it"),
                  button(one.watched ? "Stop watching" : "Keep up to date", () => watch(one), {
                    class: "minor",
                    "aria-pressed": one.watched ? "true" : "false",
                  }),
                  button("Remove", () => remove(one), {
                    class: "minor",
                    "aria-label": `Remove ${one.worktrees[0] ?? one.repo_id}`,
                  }),
                ),
              );
            }),
          ),
    signal,
  );
  if (!chosen) show(detail, nothing("Choose a repository.", "Its state and health are shown here."));
  else drawState(detail, signal);
  return {};
}

function drawState(detail, signal) {
  const progress = el("div", { role: "status", class: "progress" });
  const state = el("div");
  const start = button(
    "Bring the index up to date",
    () => index(progress, start, signal, () => drawStatus(state, signal)),
    { class: "main" },
  );
  show(detail, el("p.actions", start), progress, state);
  drawStatus(state, signal);
}

function drawStatus(state, signal) {
  return fillFrom(
    state,
    "Asking for its state\u2026",
    async () => [await ask("status", { rev: "" }, signal), await ask("health", { repo: "", rev: "" }, signal)],
    ([status, health]) => {
      const { gaps, dirty, commit } = status.provenance;
      const most = Math.max(1, ...status.languages.map(({ lines }) => lines));
      const fact = (name, value) => el("div", el("dt", name), el("dd", value));
      return [
        el(
          "p",
          { class: gaps.length > 0 || health.status !== "ok" ? "warn" : "good" },
          gaps.length > 0
            ? `The index lacks: ${gaps.map(gapWords).join("; ")}.`
            : health.status === "ok"
              ? "Healthy: the index is complete."
              : `The service says: ${health.status}.`,
        ),
        el(
          "dl.facts",
          fact("Where", el("span.path", status.root)),
          fact("View", status.view.replaceAll("`", "")),
          fact("Commit", el("span.path", commit ?? "none yet")),
          fact("Uncommitted", count(dirty, "file")),
          fact("Files", count(status.files_indexed, "file")),
          fact("Definitions", status.symbols.toLocaleString("en")),
          fact("Contracts", status.contracts_detected.toLocaleString("en")),
          fact("Chunks", status.chunks_stored.toLocaleString("en")),
          fact(
            "Not read",
            [
              status.binary_files && `${status.binary_files} binary`,
              status.oversize_files && `${status.oversize_files} too large`,
              status.unparsed_files && `${status.unparsed_files} not parsed`,
            ]
              .filter(Boolean)
              .join(", ") || "nothing",
          ),
          fact("Store", [el("span.path", status.store), ` ${bytes(status.store_bytes)}`]),
          status.vectors
            .filter((one) => one.in_use)
            .map((one) =>
              fact(
                "By meaning",
                `${one.model}: ${percent(one.chunks_total ? one.chunks_covered / one.chunks_total : 1)} of the chunks`,
              ),
            ),
          fact("Service", `icr ${health.version}`),
        ),
        el("h2", "Languages"),
        el(
          "table.parts",
          el(
            "tbody",
            status.languages.map((one) =>
              el(
                "tr",
                el("th", { scope: "row" }, one.language),
                el("td.figure", count(one.files, "file")),
                el("td.figure", count(one.lines, "line")),
                el("td", el("span.bar", { variables: { "--share": `${(one.lines / most) * 100}%` } })),
              ),
            ),
          ),
        ),
      ];
    },
    signal,
  );
}

async function index(box, start, signal, after) {
  start.disabled = true;
  const bar = el("progress", { max: 1, "aria-label": "Progress of the index" });
  const words = el("span.quiet", "Looking for changes\u2026");
  show(box, bar, words);
  try {
    for await (const { name, data } of events("index", { rev: "" }, signal)) {
      if (name === "progress") {
        if (data.total > 0) bar.value = data.done / data.total;
        show(words, `${data.done.toLocaleString("en")} of ${count(data.total, "file")}`);
      } else if (name === "done") {
        forgetKept();
        show(
          box,
          el(
            "span.good",
            data.blobs_read > 0
              ? `Read ${count(data.blobs_read, "new file content")} in ${duration(data.elapsed_ms)}.`
              : "The index was already up to date.",
          ),
        );
        await after();
      } else if (name === "error") {
        show(box, failure({ message: data.message ?? "Indexing failed.", hints: data.hints }, null));
      }
    }
  } catch (error) {
    if (!signal.aborted) show(box, failure(error, null));
  }
  start.disabled = false;
}
