// The graph as SVG: files as buttons that the keyboard reaches, edges told apart by their stroke.

import { el, show, svg } from "./dom.js";
import { BOX, edgeCurve, layeredPositions } from "./layout.js";
import { count } from "./words.js";

/** Characters of a name and of a folder that fit into a box. */
const NAME_MOST = 23;
const FOLDER_MOST = 29;

/** Edges of imports leave above the middle of a box, those of common changes below, so that both are seen. */
const EDGE_DOWN = { import: -2, types: -2, cochange: 7 };

/**
 * Draws `nodes` (`{path, layer, isTest, isOpen, isCentre}`) and `edges` (`{from, to, kind}`) into `picture`. `expand`
 * and `openFile` are called with the path of a file.
 */
export function drawPicture(picture, nodes, edges, { expand, openFile }) {
  const { positions, width, height } = layeredPositions(nodes, edges);
  const middle = nodes.find((node) => node.isCentre).path;
  const curves = edges.map((edge) => edgeCurveOf(edge, positions, middle));
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const label = `${count(nodes.length, "file")}, ${count(edges.length, "connection")}`;
  const boxes = nodes.map((node) => fileBox(node, positions.get(node.path), edges, { picture, expand, openFile }));
  show(
    picture,
    svg(
      "svg",
      { ...size, role: "group", "aria-label": label },
      svg(
        "defs",
        svg(
          "marker",
          { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
          svg("path", { d: "M0 0.5L8 4L0 7.5z" }),
        ),
      ),
      svg("g.edges", { "aria-hidden": "true" }, curves),
      boxes,
    ),
  );
  const centre = positions.get(middle);
  picture.scrollLeft = centre.x - (picture.clientWidth - BOX.width) / 2;
  picture.scrollTop = centre.y - (picture.clientHeight - BOX.height) / 2;
}

/** Gives the box of the file at `path` the focus. */
export function focusFile(picture, path) {
  [...picture.querySelectorAll(".hit")].find((node) => node.dataset.path === path)?.focus();
}

/** What the strokes of edges mean. */
export function edgeLegend() {
  const entry = (kind, meaning) =>
    el(
      "span",
      svg(
        "svg",
        { width: 30, height: 10, "aria-hidden": "true" },
        svg("path", { class: `edge ${kind}`, d: "M1 5H29" }),
      ),
      meaning,
    );
  return el(
    "span.legend",
    entry("import", "imports"),
    entry("types", "imports types only"),
    entry("cochange", "changes together"),
  );
}

/** Common changes away from the centre are drawn only while one of their files has the focus or the pointer. */
function edgeCurveOf({ from, to, kind }, positions, centre) {
  const isFar = kind === "cochange" && from !== centre && to !== centre;
  return svg("path", {
    class: `edge ${kind}${isFar ? " far" : ""}`,
    d: edgeCurve(positions.get(from), positions.get(to), EDGE_DOWN[kind]),
    "marker-end": kind === "cochange" ? null : "url(#arrow)",
    "data-from": from,
    "data-to": to,
  });
}

function fileBox(node, { x, y }, edges, { picture, expand, openFile }) {
  const { path, isTest, isOpen, isCentre } = node;
  const { name, folder } = boxTexts(path);
  const connections = edges.filter(({ from, to }) => from === path || to === path).length;
  const light = (isLit) => () => {
    for (const edge of picture.querySelectorAll(".edge")) {
      edge.classList.toggle("lit", isLit && [edge.dataset.from, edge.dataset.to].includes(path));
    }
  };
  const keydown = (event) => {
    const action = keyAction(event, path, { picture, expand, openFile });
    if (!action) return;
    event.preventDefault();
    action();
  };
  const hit = svg(
    "rect.hit",
    {
      width: BOX.width,
      height: BOX.height,
      rx: isTest ? BOX.height / 2 : 5,
      tabindex: "0",
      role: "button",
      "aria-expanded": String(Boolean(isOpen)),
      "aria-label": [path, isTest && "test", count(connections, "connection")].filter(Boolean).join(", "),
      "data-path": path,
      on: {
        click: () => expand(path),
        keydown,
        focus: light(true),
        blur: light(false),
        mouseenter: light(true),
        mouseleave: light(false),
      },
    },
    svg("title", path),
  );
  return svg(
    "g",
    {
      class: ["node", isCentre && "centre", isTest && "test"].filter(Boolean).join(" "),
      transform: `translate(${x} ${y})`,
    },
    svg("rect", { width: BOX.width, height: BOX.height, rx: isTest ? BOX.height / 2 : 5 }),
    svg("text.name", { x: 10, y: 14 }, name),
    svg("text.in", { x: 10, y: 26 }, folder),
    svg("text.sign", { x: BOX.width - 14, y: 19 }, isOpen ? "" : "+"),
    hit,
  );
}

/** The name and the folder that a box shows, cut to its width. */
function boxTexts(path) {
  const slash = path.lastIndexOf("/");
  const [whole, place] = [path.slice(slash + 1), slash > 0 ? path.slice(0, slash) : "root"];
  const name = whole.length > NAME_MOST ? `${whole.slice(0, NAME_MOST - 1)}\u2026` : whole;
  const folder = place.length > FOLDER_MOST ? `\u2026${place.slice(1 - FOLDER_MOST)}` : place;
  return { name, folder };
}

function keyAction({ key, currentTarget }, path, { picture, expand, openFile }) {
  if (key === "Enter" || key === " ") return () => expand(path);
  if (key === "o") return () => openFile(path);
  return key in DIRECTIONS ? () => nextBox(picture, currentTarget, DIRECTIONS[key])?.focus() : null;
}

/** For each arrow: the coordinate along it, the one across it, and its sign. */
const DIRECTIONS = {
  ArrowLeft: ["x", "y", -1],
  ArrowRight: ["x", "y", 1],
  ArrowUp: ["y", "x", -1],
  ArrowDown: ["y", "x", 1],
};

/** The nearest box in a direction; distance across it counts twice. */
function nextBox(picture, from, [along, across, sign]) {
  const here = from.getBoundingClientRect();
  let best = { cost: Infinity, box: null };
  for (const box of picture.querySelectorAll(".hit")) {
    const there = box.getBoundingClientRect();
    const ahead = (there[along] - here[along]) * sign;
    const cost = ahead + Math.abs(there[across] - here[across]) * 2;
    if (ahead > 2 && cost < best.cost) best = { cost, box };
  }
  return best.box;
}
