// The lines of a file: numbered, linked, chosen with mouse and keys, with the definition that they belong to.

import { codeBox } from "./code.js";
import { button, copy, el, note, show } from "./dom.js";
import { fileSidebar } from "./file_sidebar.js";
import { address, here, noteInAddress, sameView } from "./route.js";
import { count } from "./words.js";

/** Fills `main` with `heading` and the lines of `file`, an answer to `read` with all of its lines; gives the keys. */
export function drawLines({ main, route, signal }, file, heading) {
  const { path, total_file_lines: linesTotal } = file;
  let [anchor, caret] = linesOf(route.get("lines"));
  const scope = el("span.scope.quiet", { "aria-hidden": "true" });
  const wholeFile = sameView({ lines: "" });
  const code = codeBox(file.content, { path, hrefOf: (line) => `${wholeFile}&lines=${line}` });
  const sidebar = fileSidebar({ path, signal, symbol: route.get("symbol"), openLines });
  const actions = el(
    "span.actions",
    el("span.quiet", count(linesTotal, "line")),
    button("Copy citation", cite, { title: "path:line (c)" }),
    el("a", { href: address("graph", { path }) }, "Graph"),
  );
  show(main, el("div.bar", heading, scope, actions), el("div.split.file-split", code, sidebar.aside));

  const first = () => Math.min(anchor, caret);
  const last = () => Math.max(anchor, caret);
  const asText = () => (anchor === caret ? String(anchor) : `${first()}-${last()}`);

  /** Marks the chosen lines; the first one is brought to the middle, or the last moved one just into sight. */
  function mark(isCentred) {
    code.querySelectorAll(".marked").forEach((row) => row.classList.remove("marked"));
    for (let line = first(); line <= Math.min(last(), linesTotal); line++) rowOf(line).classList.add("marked");
    const row = rowOf(isCentred ? first() : caret);
    if (row) row.scrollIntoView({ block: isCentred ? "center" : "nearest", inline: "nearest" });
    else note(`The file has ${count(linesTotal, "line")} at this revision`);
  }

  const rowOf = (line) => code.querySelector(`[data-row="${line}"]`);

  function choose(from, to, isCentred = false) {
    [anchor, caret] = [from, to];
    noteInAddress("file", { path, symbol: here().get("symbol"), lines: asText() });
    mark(isCentred);
  }

  function openLines(from, to) {
    choose(from, to, true);
  }

  function cite() {
    copy(anchor ? `${path}:${asText()}` : path, "the citation");
  }

  function move(by, isRange) {
    const line = caret ? Math.min(Math.max(caret + by, 1), linesTotal) : topLine(code);
    choose(isRange && anchor ? anchor : line, line);
  }

  code.addEventListener("click", (event) => {
    const number = event.target.closest("a.number");
    if (!number || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const line = Number(number.dataset.line);
    choose(event.shiftKey && anchor ? anchor : line, line);
  });
  code.addEventListener("dblclick", (event) => {
    if (!event.target.closest(".number")) sidebar.askReferences(selectedName());
  });
  const follow = () => show(scope, sidebar.follow(topLine(code)));
  code.addEventListener("scroll", oncePerFrame(follow), { passive: true });
  sidebar.outlineReady.then(follow);
  if (anchor) requestAnimationFrame(() => mark(true));

  return {
    j: () => move(1, false),
    k: () => move(-1, false),
    J: () => move(1, true),
    K: () => move(-1, true),
    c: cite,
    r: () => sidebar.askReferences(selectedName()),
    b: () => sidebar.openLastCommit(),
  };
}

/** `10` or `10-20` as first and last line; nothing for anything else. */
function linesOf(text) {
  const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text);
  if (!match || Number(match[1]) === 0) return [];
  return [Number(match[1]), Math.max(Number(match[1]), Number(match[2] ?? match[1]))];
}

/** The line at the top of what is seen of `code`. */
function topLine(code) {
  const row = code.querySelector(".line");
  return row ? Math.floor(code.scrollTop / (row.offsetHeight || 18)) + 2 : 1;
}

/** The first name in what is selected on the page. */
const selectedName = () => /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(getSelection().toString())?.[0] ?? "";

function oncePerFrame(action) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      action();
    });
  };
}
