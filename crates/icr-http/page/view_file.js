// A file or folder at any revision; what is not there says when it was.

import { ask } from "./api.js";
import { findFile } from "./dialogs.js";
import { button, el, pathText, quoted, show } from "./dom.js";
import { drawLines } from "./file_lines.js";
import { fileTree, nodeAt } from "./files.js";
import { listKeys } from "./keys.js";
import { address, sameView } from "./route.js";
import { fillFrom, loading, nothing } from "./states.js";
import { ago, bytes, count } from "./words.js";

/** Lines that are read at once; longer files are read in pieces of so many. */
const LINES_AT_ONCE = 5000;

export async function drawFile(view) {
  const { main, route, signal, setTitle } = view;
  const path = route.get("path");
  setTitle(path || "Files");
  if (path === "" || path.endsWith("/")) return drawFolder(view, path);
  show(main, heading(path), loading("Reading\u2026"));
  try {
    const file = await readWhole(path, signal);
    return drawLines(view, file, heading(path));
  } catch (error) {
    if (signal.aborted || error.code !== "NOT_FOUND") throw error;
    const tree = await fileTree();
    if (signal.aborted) return {};
    if (nodeAt(tree, path)?.type === "directory") return drawFolder(view, `${path}/`);
    return drawAbsence(view, path);
  }
}

async function readWhole(path, signal) {
  const file = await ask("read", { path }, signal);
  while (file.truncated && file.end_line < file.total_file_lines) {
    const more = await ask("read", { path, start: file.end_line + 1, end: file.end_line + LINES_AT_ONCE }, signal);
    if (more.end_line <= file.end_line) break;
    file.content += more.content;
    file.end_line = more.end_line;
  }
  return file;
}

function heading(path) {
  const parts = path.split("/").filter(Boolean);
  return el(
    "h1",
    { tabindex: "-1", class: "crumbs" },
    el("a", { href: address("file"), "aria-label": "Root of the repository" }, "root"),
    parts.map((part, index) => [
      el("span.quiet", { "aria-hidden": "true" }, "/"),
      index === parts.length - 1
        ? el("span", part)
        : el("a", { href: address("file", { path: `${parts.slice(0, index + 1).join("/")}/` }) }, part),
    ]),
  );
}

async function drawFolder({ main, signal }, path) {
  const body = el("div.pane");
  show(
    main,
    el(
      "div.bar",
      heading(path),
      el(
        "span.actions",
        button("Open a file\u2026", () => findFile()),
      ),
    ),
    body,
  );
  await fillFrom(
    body,
    "Listing\u2026",
    fileTree,
    (tree) => {
      const node = nodeAt(tree, path);
      if (!node)
        return nothing(
          `There is no folder ${path} at this revision.`,
          el("a", { href: address("file") }, "Show the root"),
        );
      const children = [...node.children].sort((a, b) =>
        a.type === b.type ? (a.name < b.name ? -1 : 1) : a.type === "directory" ? -1 : 1,
      );
      if (children.length === 0) return nothing("There are no files here.");
      return el(
        "table.listing",
        el(
          "thead",
          el(
            "tr",
            ["Name", "Language", "Lines", "Size"].map((name, index) =>
              el("th", { scope: "col", class: index > 1 ? "figure" : null }, name),
            ),
          ),
        ),
        el(
          "tbody",
          children.map((child) =>
            el(
              "tr",
              el(
                "td",
                el(
                  "a",
                  {
                    class: `entry ${child.type}`,
                    href: address("file", { path: `${path}${child.name}${child.type === "directory" ? "/" : ""}` }),
                  },
                  pathText(child.name),
                  child.type === "directory" && "/",
                ),
                child.type === "directory" && el("span.quiet", count(child.files, "file")),
              ),
              el("td", child.language),
              el("td.figure", child.lines?.toLocaleString("en")),
              el("td.figure", bytes(child.size_bytes)),
            ),
          ),
        ),
      );
    },
    signal,
  );
  return listKeys(main, ".entry");
}

async function drawAbsence({ main, route, signal }, path) {
  const { commits } = await ask("commits", { path, limit: 1 }, signal).catch(() => ({ commits: [] }));
  const where = route.get("rev") ? `at ${route.get("rev")}` : "in the worktree";
  if (signal.aborted) return;
  show(main, heading(path), commits.length > 0 ? deletedFile(path, where, commits[0]) : neverThere(where));
}

function deletedFile(path, where, last) {
  return nothing(
    `This file does not exist ${where}: it was deleted or moved.`,
    el(
      "p",
      `Last changed ${ago(Date.parse(last.time))} by ${last.author}: `,
      el("a", { href: address("compare", { to: last.commit, file: path }) }, quoted(last.subject)),
    ),
    el("p.actions", el("a", { href: sameView({ rev: `${last.commit}~1` }) }, "Show it before that commit")),
  );
}

function neverThere(where) {
  return nothing(
    `There is no such file ${where}, nor in the history of this revision.`,
    "Perhaps it has another name. ",
    button("Open a file\u2026", () => findFile()),
  );
}
