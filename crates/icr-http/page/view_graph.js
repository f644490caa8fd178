// The neighbourhood of a file as a graph to walk: who imports it on the left, what it imports on the right, and what
// changes with it in its own column. A list beside says the same.

import { ask } from "./api.js";
import { findFile } from "./dialogs.js";
import { announce, button, el, note, pathText, show } from "./dom.js";
import { drawPicture, edgeLegend, focusFile } from "./graph_picture.js";
import { address, go, noteInAddress } from "./route.js";
import { fillFrom, nothing } from "./states.js";
import { count } from "./words.js";

/** Most files drawn at once; more is a hairball. */
const NODES_MOST = 50;

/** Kinds of neighbours: their title, their column relative to the file, and how many one expansion draws at most. */
const KINDS = {
  importers: { title: "Imported by", step: -1, most: 10 },
  imports: { title: "Imports", step: 1, most: 10 },
  cochanges: { title: "Changes together with", step: 0, most: 4 },
};

export async function drawGraph({ main, route, signal, setTitle }) {
  const path = route.get("path");
  if (path === "") return void drawChoice(main);
  setTitle(`Graph of ${path}`);
  const graph = new Neighbourhood(path);
  const picture = el("div.picture", { tabindex: "0", role: "region", "aria-label": "Graph of imports" });
  const list = el("div.pane.graph-list");
  const actions = el(
    "span.actions",
    el("a", { href: address("file", { path }) }, "Open the file"),
    button("Another file\u2026", () => findFile("graph")),
  );
  show(
    main,
    el("div.bar", el("h1", { tabindex: "-1" }, pathText(path)), edgeLegend(), actions),
    el("div.split.graph-split", picture, list),
  );

  function draw() {
    const openFile = (one) => go("file", { path: one });
    drawPicture(picture, graph.drawnFiles(), [...graph.edges.values()], { expand, openFile });
    show(
      list,
      [...graph.answers].map(([from, answer]) => neighbourList(graph, from, answer, expand)),
    );
  }

  async function expand(from) {
    if (graph.answers.has(from)) return focusFile(picture, from);
    const before = graph.files.size;
    try {
      graph.add(from, await ask("neighbors", { path: from }, signal));
    } catch (error) {
      if (!signal.aborted) note(error.message);
      return;
    }
    noteInAddress("graph", { path, open: [...graph.answers.keys()].slice(1) });
    draw();
    focusFile(picture, from);
    const isFull = graph.files.size >= NODES_MOST;
    if (isFull) note(`The graph draws at most ${NODES_MOST} files. Centre it on another file to see more.`);
    else announce(`${count(graph.files.size - before, "file")} added`);
  }

  const waiting = el("div");
  show(picture, waiting);
  const answers = async () => {
    graph.add(path, await ask("neighbors", { path }, signal));
    for (const one of route.all("open")) {
      if (graph.files.has(one)) graph.add(one, await ask("neighbors", { path: one }, signal));
    }
  };
  await fillFrom(waiting, "Loading neighbours\u2026", answers, () => requestAnimationFrame(draw), signal);
}

function drawChoice(main) {
  const explanation =
    "The graph shows the files that import it, that it imports and that change with it. Each of them can be expanded.";
  const choose = button("Choose a file\u2026", () => findFile("graph"), { class: "main" });
  show(
    main,
    el("h1", { tabindex: "-1" }, "Graph"),
    nothing("Choose a file to start from.", el("p", explanation), choose),
  );
}

/** The files and edges that are drawn, and the answers that they came from. */
class Neighbourhood {
  constructor(path) {
    this.path = path;
    this.files = new Map([[path, { path, layer: 0 }]]);
    this.edges = new Map();
    this.answers = new Map();
  }

  drawnFiles() {
    const drawn = (one) => ({ ...one, isOpen: this.answers.has(one.path), isCentre: one.path === this.path });
    return [...this.files.values()].map(drawn);
  }

  /** Adds the neighbours of `from`; those that are too many are only listed. */
  add(from, answer) {
    const { layer } = this.files.get(from);
    this.answers.set(from, answer);
    for (const [kind, { step, most }] of Object.entries(KINDS)) {
      for (const [index, one] of answer[kind].entries()) {
        if (!this.files.has(one.path)) {
          if (index >= most || this.files.size >= NODES_MOST) continue;
          this.files.set(one.path, { path: one.path, layer: layer + step, isTest: one.test });
        }
        this.connect(kind, from, one);
      }
    }
  }

  connect(kind, from, { path, type_only: isTypeOnly }) {
    if (kind === "cochanges") {
      const [first, second] = [from, path].sort();
      this.edges.set(`${first}\0\0${second}`, { from: first, to: second, kind: "cochange" });
    } else {
      const [importer, target] = kind === "importers" ? [path, from] : [from, path];
      this.edges.set(`${importer}\0${target}`, { from: importer, to: target, kind: isTypeOnly ? "types" : "import" });
    }
  }
}

function neighbourList(graph, from, answer, expand) {
  const facts = (one) => [
    one.type_only && "types only",
    one.test && "test",
    one.count && `${one.count}\u00d7`,
    !graph.files.has(one.path) && "not drawn",
  ];
  const row = ({ path, ...one }) =>
    el(
      "li",
      el("a", { href: address("file", { path }) }, pathText(path)),
      el(
        "span.quiet",
        facts({ path, ...one })
          .filter(Boolean)
          .join(", "),
      ),
      graph.files.has(path) &&
        !graph.answers.has(path) &&
        button("expand", () => expand(path), { class: "minor", "aria-label": `expand ${path}` }),
      el("a.minor", { href: address("graph", { path }), "aria-label": `centre on ${path}` }, "centre"),
    );
  const group = ([kind, { title }]) =>
    answer[kind].length > 0 &&
    el(
      "details",
      { open: from === graph.path },
      el("summary", `${title} ${answer[kind].length}`),
      el("ul.files", answer[kind].map(row)),
    );
  const isAlone = Object.keys(KINDS).every((kind) => answer[kind].length === 0);
  return el(
    "section",
    el("h2", pathText(from)),
    Object.entries(KINDS).map(group),
    isAlone &&
      el("p.quiet", "Nothing imports it, it imports no file of this repository, and nothing changes with it."),
  );
}
