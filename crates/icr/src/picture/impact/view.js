// What is seen of the drawing: which files pass the filters, which directories are open, and where that puts all boxes.
const svg = byId("drawing");
const { sizes, impact } = JSON.parse(byId("embedded").textContent);
const { nodes, edges } = impact.graph;
const ROLES = ["changed", "missing", "expected", "dependent", "transitive", "test"];
const KINDS = ["reference", "import", "cochange", "test"];
const CLASSES = { reference: "use", import: "import", cochange: "together", test: "test" };
const VERBS = { reference: "refers to", import: "imports", cochange: "changed together with", test: "tests" };
// More than these are not unfolded for a search; their directories tell how many are in them.
const MAX_REVEALED = 60;

const boxes = new Map(every(".box[id]", svg).map((element) => [element.id, boxOfElement(element)]));
const files = Array.from(boxes.values()).filter((box) => box.node !== null);
const groups = Array.from(boxes.values()).filter((box) => box.node === null);
const sections = every(".section", svg).map((element) => ({
  element, x: Number(element.dataset.column), boxes: Array.from(boxes.values()).filter((box) => box.section === element.id),
}));
const fileOf = new Map(files.map((box) => [box.node.path, box]));
const links = edges.map((edge) => ({ edge, from: fileOf.get(edge.from), to: fileOf.get(edge.to) })).filter(({ from, to }) => from && to && from !== to);
for (const file of files) file.words = searchable(file.node);

const state = { hidden: new Set(), least: 0, words: "", open: new Set() };

function boxOfElement(element) {
  const node = element.id.startsWith("n") ? nodes[Number(element.id.slice(1))] : null;
  const { section, parent = null } = element.dataset;
  return { id: element.id, element, node, section, parent, passes: true, found: false, shown: false, x: 0, y: 0 };
}

// Names of hidden or reversed text look like others; the page shows them as the rest of it does.
function visible(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufdd0-\ufdef\ufffe\uffff]/gu, "\ufffd");
}
// Numbers that are none are 0, as in the tables.
function shareOf(number) { return Math.min(1, Math.max(0, Number(number) || 0)); }
function percent(share) { return `${Math.round(100 * shareOf(share))} %`; }
function counted(count, noun) { return count === 1 ? `1 ${noun}` : `${count} ${noun}s`; }

// What a search looks through: the path, and the definitions that tie the file to the change.
function searchable(node) {
  const symbols = impact.changed_symbols.filter((symbol) => symbol.path === node.path).map((symbol) => symbol.qualified_name);
  const row = impact.direct_dependents.find((row) => row.path === node.path);
  return [node.path, ...symbols, ...(row?.symbols ?? [])].join("\n").toLowerCase();
}

// The boxes that a box is in, from the inside out.
function around(box) {
  const outer = [];
  for (let id = box.parent; id !== null; id = boxes.get(id).parent) outer.push(boxes.get(id));
  return outer;
}
// What is seen in the place of a file: itself, or the outermost of its directories that is closed.
function seenAs(file) {
  if (file.revealed) return file;
  return around(file).findLast((group) => !state.open.has(group.id)) ?? file;
}

function place() {
  const words = visible(state.words).toLowerCase().split(/\s+/u).filter(Boolean);
  for (const file of files) {
    const { role, strength } = file.node;
    file.passes = !state.hidden.has(role) && (role === "changed" || shareOf(strength) * 100 >= state.least);
    file.found = words.length > 0 && file.passes && words.every((word) => file.words.includes(word));
  }
  const found = files.filter((file) => file.found);
  for (const file of files) file.revealed = file.found && found.length <= MAX_REVEALED;
  for (const box of boxes.values()) { box.shown = false; box.held = 0; box.found &&= box.node !== null; }
  for (const file of files.filter((file) => file.passes)) {
    seenAs(file).shown = true;
    for (const group of around(file)) {
      group.held += 1;
      group.found ||= file.found;
      // An open directory stays above its files, so that it can be closed.
      if (state.open.has(group.id) && around(group).every((outer) => state.open.has(outer.id))) group.shown = true;
    }
  }
  layOut();
  drawEdges();
  tell(words, found.length);
}

function layOut() {
  let x = null, y = 0, bottom = 0;
  for (const section of sections) {
    y = section.x === x ? y + sizes.section_gap - sizes.gap : sizes.margin;
    x = section.x;
    section.element.querySelector("text").setAttribute("y", y + 13);
    y += sizes.heading;
    for (const box of section.boxes) {
      const open = state.open.has(box.id);
      box.element.classList.toggle("folded", !box.shown);
      box.element.classList.toggle("found", box.found);
      if (box.node === null) {
        box.element.classList.toggle("open", open);
        box.element.setAttribute("aria-expanded", String(open));
        box.element.querySelector(".held").textContent = box.held;
      }
      if (!box.shown) continue;
      const level = around(box).filter((outer) => outer.shown).length;
      box.x = x + Math.min(3, level) * sizes.indent;
      box.y = y;
      box.element.setAttribute("transform", `translate(${box.x} ${y})`);
      y += sizes.height + sizes.gap;
    }
    const passing = section.boxes.filter((box) => box.node !== null && box.passes).length;
    const total = section.boxes.filter((box) => box.node !== null).length;
    section.element.querySelector(".count").textContent = passing < total ? `${passing} of ${total}` : total;
    bottom = Math.max(bottom, y - sizes.gap);
  }
  const height = Math.ceil(Math.max(bottom, sizes.margin + sizes.height) + sizes.margin);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${height}`);
}

// Edges between what is seen, those of equal ends as one; the heaviest above the others.
function drawEdges() {
  const joined = new Map();
  let shown = 0;
  for (const { edge, from, to } of links) {
    if (!from.passes || !to.passes) continue;
    shown += 1;
    const [start, end] = [seenAs(from), seenAs(to)];
    if (start === end) continue;
    const key = `${start.id} ${end.id}`;
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { start, end, kind: KINDS.indexOf(edge.kind), edges: 1, label: edge.label });
    else { known.edges += 1; known.kind = Math.min(known.kind, KINDS.indexOf(edge.kind)); }
  }
  const drawn = Array.from(joined.values()).sort((a, b) => a.edges - b.edges || b.kind - a.kind);
  const layer = byId("edges");
  layer.classList.toggle("dense", drawn.length >= sizes.dense);
  layer.replaceChildren(...drawn.map(edgeElement));
  state.edges = shown;
}
function edgeElement({ start, end, kind, edges, label }) {
  const path = document.createElementNS(svg.namespaceURI, "path");
  const name = KINDS[kind];
  path.setAttribute("class", `edge ${CLASSES[name]}`);
  path.dataset.from = start.id;
  path.dataset.to = end.id;
  path.setAttribute("stroke-width", Number(Math.min(4, 1.3 + 0.5 * Math.log2(edges)).toFixed(1)));
  path.setAttribute("d", course(start, end));
  if (name !== "cochange") path.setAttribute("marker-end", `url(#arrow-${CLASSES[name]})`);
  const title = document.createElementNS(svg.namespaceURI, "title");
  const what = edges > 1 ? counted(edges, "connection") : visible(label);
  title.textContent = `${nameOf(start)} ${VERBS[name]} ${nameOf(end)}${what ? `\n${what}` : ""}`;
  path.append(title);
  return path;
}
function nameOf(box) { return box.node === null ? box.element.querySelector("title").textContent.split("\n")[0] : visible(box.node.label); }
function course(from, to) {
  const fromY = from.y + sizes.height / 2, toY = to.y + sizes.height / 2;
  let fromX = from.x, toX = to.x, bend;
  if (from.x + sizes.width <= to.x) { fromX += sizes.width; bend = (fromX + toX) / 2; }
  else if (to.x + sizes.width <= from.x) { toX += sizes.width; bend = (fromX + toX) / 2; }
  else { bend = Math.max(2, Math.min(fromX, toX) - sizes.swing); }
  return `M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${toY} ${toX} ${toY}`;
}

// What the controls say about what is seen.
function tell(words, found) {
  for (const role of ROLES) {
    const output = byId(`count-${role}`);
    if (output === null) continue;
    const all = files.filter((file) => file.node.role === role);
    const passing = all.filter((file) => file.passes).length;
    output.textContent = passing < all.length ? `${passing} of ${all.length}` : all.length;
  }
  byId("least-said").textContent = `${state.least} %`;
  const passing = files.filter((file) => file.passes).length;
  const seen = [`${passing} of ${counted(files.length, "file")}`, `${state.edges} of ${counted(links.length, "connection")}`];
  if (words.length > 0) seen.push(`${found} found`);
  byId("said").textContent = seen.join(", ");
  svg.classList.toggle("filtering", words.length > 0);
  byId("unfold")?.setAttribute("aria-pressed", String(groups.every((group) => state.open.has(group.id))));
}
