// The files and hunks of a diff, and how to go to one line of it.

import { codeText } from "./code.js";
import { colouredLine } from "./colours.js";
import { el, note, pathText, show } from "./dom.js";
import { address } from "./route.js";
import { nothing } from "./states.js";
import { count } from "./words.js";

/** Lines of diff that are open at first; files after them open on demand. */
const OPEN_LINES_MOST = 2500;

const SIGNS = { "+": "added", "-": "removed" };

/** Parts of the view of an answer to `diff`; files are linked at `rev`. */
export function diffFiles({ files, truncated }, rev) {
  if (files.length === 0) return nothing("No line differs between these two.");
  const sum = (field) => files.reduce((total, file) => total + file[field], 0);
  let lines = 0;
  return [
    el(
      "p.quiet.totals",
      `${count(files.length, "file")}, `,
      figures(sum("added"), sum("removed")),
      truncated && ". The diff is cut: there is more.",
    ),
    files.map((file) => {
      lines += file.hunks.reduce((total, hunk) => total + hunk.lines.length, 0);
      return fileDiff(file, rev, lines <= OPEN_LINES_MOST);
    }),
  ];
}

/** Opens the file with `path` in `diff`, and goes to the hunk with `line` of its old or new side, or to its head. */
export function goToPlace(diff, path, line, side) {
  const place = markPlace(diff, path, line, side);
  if (place === null) return note(`${path} is not in the diff`);
  place.focus({ preventScroll: true });
}

/** As `goToPlace`, without the focus: gives the element that may get it, or null. */
export function markPlace(diff, path, line, side) {
  const files = [...diff.querySelectorAll(".diff-file")];
  const file = files.find((one) => one.dataset.path === path || one.dataset.old === path);
  if (!file) return null;
  file.open = true;
  file.dispatchEvent(new Event("toggle"));
  diff.querySelectorAll(".marked").forEach((one) => one.classList.remove("marked"));
  const row = line > 0 ? rowWith(file, line, side) : null;
  const hunk = row?.closest(".hunk") ?? (line > 0 ? nearestHunk(file, line, side) : null);
  row?.classList.add("marked");
  hunk?.classList.add("marked");
  (hunk ?? file).scrollIntoView({ block: "start" });
  row?.scrollIntoView({ block: "nearest" });
  return hunk ?? file.querySelector("summary");
}

const otherSide = (side) => (side === "old" ? "new" : "old");

function rowWith(file, line, side) {
  const on = (one) => file.querySelector(`[data-${one}="${line}"]`)?.parentElement;
  return on(side) ?? on(otherSide(side));
}

/** The hunk that begins nearest to `line`: a definition may begin above the lines that changed. */
function nearestHunk(file, line, side) {
  const distance = (hunk) => Math.abs(Number(hunk.dataset[`${side}Start`]) - line);
  return [...file.querySelectorAll(".hunk")].sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

function figures(added, removed) {
  return el("span.figures", el("span.good", `+${added}`), " ", el("span.bad", `\u2212${removed}`));
}

function fileDiff(file, rev, isOpen) {
  const body = el("div");
  const details = el(
    "details.diff-file",
    { "data-path": file.path, "data-old": file.old_path },
    el(
      "summary",
      el("h2", pathText(file.path)),
      file.status !== "modified" && el("span.tag", file.status),
      file.old_path && el("span.quiet", "from ", pathText(file.old_path)),
      figures(file.added, file.removed),
    ),
    body,
  );
  const fill = () => {
    if (!details.open || body.firstChild) return;
    show(
      body,
      file.status !== "deleted" &&
        el("a.minor", { href: address("file", { path: file.path, rev }) }, "open the file"),
      file.opaque && el("p.quiet", `Its lines are not shown: ${file.opaque}.`),
      !file.opaque &&
        file.added + file.removed > 0 &&
        file.hunks.length === 0 &&
        el("p.quiet", "Too many lines to show here."),
      !file.opaque &&
        file.added + file.removed === 0 &&
        file.hunks.length === 0 &&
        el("p.quiet", "No line differs: only its name or mode changed."),
      file.hunks.map((hunk) => hunkBox(hunk, file.path)),
    );
  };
  details.addEventListener("toggle", fill);
  details.open = isOpen;
  fill();
  return details;
}

function hunkBox(hunk, path) {
  const place = { "data-old-start": hunk.old_start, "data-new-start": hunk.new_start, tabindex: "-1" };
  let [old, now] = [hunk.old_start, hunk.new_start];
  const rows = hunk.lines.map((line) => {
    const sign = line[0];
    const hasOld = sign === "-" || sign === " ";
    const hasNew = sign === "+" || sign === " ";
    return hunkRow(line, hasOld ? old++ : null, hasNew ? now++ : null, path);
  });
  return el(
    "div.hunk",
    place,
    el("p.hunk-heading", `@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@`),
    el(
      "div.code.diff",
      { role: "region", tabindex: "0", "aria-label": `Lines of ${path} from ${hunk.new_start}` },
      el("div.lines", rows),
    ),
  );
}

/** A row with both line numbers, null where the line is not on that side. */
function hunkRow(line, old, now, path) {
  const word = SIGNS[line[0]];
  return el(
    "div",
    { class: `line ${word ?? ""}` },
    el("span.number", { "data-old": old }, String(old ?? "")),
    el("span.number", { "data-new": now }, String(now ?? "")),
    el("span.sign", word && el("span.unseen", word), el("span", { "aria-hidden": "true" }, word ? line[0] : "")),
    codeText(colouredLine(line.slice(1), path)),
  );
}
