// Elements of a drawing.
const SVG = "http://www.w3.org/2000/svg";
const px = (number) => String(Number(number.toFixed(1)));
function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? px(value) : value);
  made.append(...children);
  return made;
}
function html(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}
// What hides a name or changes the direction of text is replaced, as in the page.
const visible = (text) => text.replace(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, "\ufffd");
const wide = /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe10-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{10000}-\u{3ffff}]/u;
function elided(text, columns) {
  const characters = Array.from(visible(text)), widths = characters.map((character) => wide.test(character) ? 2 : 1);
  if (widths.reduce((sum, width) => sum + width, 0) <= columns) return characters.join("");
  const fits = (widths, columns) => {
    let width = 0, count = 0;
    while (count < widths.length && width + widths[count] <= columns) { width += widths[count]; count += 1; }
    return count;
  };
  const kept = Math.max(0, columns - 1), before = Math.floor(kept * 2 / 5);
  const start = fits(widths, before), end = fits(widths.slice().reverse(), kept - before);
  return characters.slice(0, start).join("") + "…" + characters.slice(characters.length - end).join("");
}
const line = (name, x, y, text, width, column) => element("text", { class: name, x, y }, elided(text, Math.max(1, Math.floor(width / column))));
function curve(points) {
  let path = `M${px(points[0][0])} ${px(points[0][1])}`;
  for (let at = 1; at < points.length; at += 1) {
    const [x, y] = points[at], [beforeX, beforeY] = points[at - 1], middle = px((beforeX + x) / 2);
    path += `C${middle} ${px(beforeY)} ${middle} ${px(y)} ${px(x)} ${px(y)}`;
  }
  return path;
}

const orRoot = (path) => path === "" ? "./" : path;
const nameOf = (part) => ({ outside: part.path || "elsewhere", filesof: `${orRoot(part.path)}*`, rest: `rest of ${orRoot(part.path)}` })[part.form] ?? part.path;
const shortName = (part) => elided(nameOf(part), 48);
function wordsOf(parts) {
  const end = (path, count) => path.match(new RegExp(`(?:[^/]*/){0,${count - 1}}[^/]*/?$`, "u"))?.[0] ?? path;
  const starred = (part) => part.form === "filesof" || part.form === "rest" ? "*" : part.form === "outside" ? part.incoming ? "<" : ">" : "";
  const known = new Map();
  const ends = parts.map((part) => [1, 2, 3].map((count) => end(part.path, count)));
  parts.forEach((part, no) => new Set(ends[no]).forEach((text) => known.set(starred(part) + text, (known.get(starred(part) + text) ?? 0) + 1)));
  return parts.map((part, no) => {
    const short = ends[no].find((text) => known.get(starred(part) + text) === 1) ?? ends[no][2];
    const above = orRoot(part.path.slice(0, part.path.length - short.length));
    switch (part.form) {
      case "file": return [short, above];
      case "directory": return [short, `${counted(length(part), "file")} · ${above}`];
      case "filesof": return [`${orRoot(short)}*`, `${counted(length(part), "file")} directly in it`];
      case "rest": return [`rest of ${orRoot(short)}`, counted(length(part), "file")];
      default: return [short || "elsewhere", `outside · ${counted(part.members.size, "file")}`];
    }
  });
}

let shown;
function draw(root) {
  const whole = root.path === "" && length(root) === paths.length;
  const { all, edges, drawn, arranged } = readable(root);
  const old = byId("drawing");
  const svg = old.cloneNode(false);
  svg.classList.remove("looking", "filtering");
  const [width, height] = [Math.ceil(arranged.width), Math.ceil(arranged.height)];
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const description = `${counted(all.length, "box")} and ${counted(edges.length, "edge")} between them.`;
  const place = whole ? "" : `: inside of ${visible(root.path) || "the root"}`;
  svg.append(element("title", { id: "drawing-title" }, byId("drawing-title").textContent.replace(/: inside of .*$/, "") + place));
  svg.append(element("desc", { id: "drawing-desc" }, description), old.querySelector("defs"));
  const lines = element("g", { id: "edges" });
  for (const edge of drawn.slice().reverse()) {
    const kind = edge.back ? "back" : edge.kind;
    const counts = Array.from(edge.counts).sort((a, b) => a[0] - b[0]).map(([kind, count]) => `${kinds[kind][1]} ${count}`).join(", ");
    const path = element("path", { class: `edge ${kind}`, "data-from": `b${edge.from}`, "data-to": `b${edge.to}`, "marker-end": `url(#arrow-${kind})`,
      "stroke-width": 0.8 + 3.2 * Math.sqrt(edge.count / Math.max(1, edges[0].count)), d: curve(edge.points) });
    path.append(element("title", {}, `${shortName(all[edge.from])} → ${shortName(all[edge.to])}: ${counts}`));
    lines.append(path);
  }
  svg.append(lines);
  if (arranged.loose !== null) {
    svg.append(element("text", { class: "heading", x: MARGIN, y: arranged.loose - 14 }, edges.length > 0 ? "Without edges to the others" : "No edges between these"));
  }
  const words = wordsOf(all);
  all.forEach((part, no) => svg.append(boxed(part, no, words[no], arranged)));
  old.replaceWith(svg);
  shown = { root, all, edges, arranged };
  pinned = null;
  byId("said").textContent = edges.length > drawn.length ? `${edges.length - drawn.length} lighter edges stand in the matrix` : "";
  matrix(all, edges, arranged);
  table(all, edges);
  crumbs();
  makeOperable();
  mark();
  fitIfReadable();
  stage.scrollLeft = 0;
}
function boxed(part, no, [name, second], { places, cycles }) {
  const width = WIDTH - SHEET, height = HEIGHT - SHEET, cycle = cycles[no];
  const isStack = part.form !== "file" && part.form !== "outside";
  let title = nameOf(part);
  if (isStack) title += `\n${counted(length(part), "file")}, ${part.inside} counted on edges inside`;
  if (cycle !== null) title += `\npart of cycle ${cycle + 1}`;
  const kind = part.form === "outside" ? "outside" : isStack ? "files" : "file";
  const box = element("g", { id: `b${no}`, class: `box ${kind}${cycle === null ? "" : " cycle"}`, transform: `translate(${px(places[no].x)} ${px(places[no].y)})` },
    element("title", {}, title.split("\n").map(visible).join("\n")));
  if (isStack) box.append(element("rect", { class: "second", x: SHEET, y: SHEET, width, height, rx: 6 }));
  box.append(element("rect", { class: "frame", width, height, rx: 6 }));
  box.append(line("name", 10, 18, name, width - 20 - (cycle === null ? 0 : 20), COLUMN), line("faint", 10, 33, second, width - 20, SMALL_COLUMN));
  if (cycle !== null) {
    box.append(element("circle", { class: "badge", cx: width - 14, cy: 14, r: 8 }));
    box.append(element("text", { class: "badge-text", x: width - 14, y: 17.5 }, String(cycle + 1)));
  }
  return box;
}
function matrix(all, edges, { columnOf, places }) {
  const sorted = all.flatMap((_, no) => columnOf[no] === null ? [] : [no]);
  sorted.sort((a, b) => columnOf[a] - columnOf[b] || places[a].y - places[b].y);
  const at = new Map(sorted.map((no, place) => [no, place]));
  const side = sorted.length * CELL, width = NAMES + side + 8, height = CELL + side + 8;
  const svg = element("svg", { role: "img", "aria-label": "Matrix of the same edges", class: "matrix", width, height, viewBox: `0 0 ${width} ${height}` });
  sorted.forEach((no, place) => {
    const x = NAMES + place * CELL, y = CELL + place * CELL;
    svg.append(line("faint", 4, y + 12, `${String(place + 1).padStart(2)} ${nameOf(all[no])}`, NAMES - 12, SMALL_COLUMN));
    svg.append(element("text", { class: "column", x: x + CELL / 2, y: 12 }, String(place + 1)));
    svg.append(element("rect", { class: "diagonal", x, y, width: CELL, height: CELL }));
  });
  const largest = Math.max(1, ...edges.map((edge) => edge.count));
  for (const edge of edges) {
    const from = at.get(edge.from), to = at.get(edge.to);
    const shade = 0.25 + 0.75 * Math.min(1, Math.log(edge.count + 1) / Math.log(largest + 1));
    const cell = element("rect", { class: to < from ? "cell back" : "cell", x: NAMES + to * CELL + 1, y: CELL + from * CELL + 1, width: CELL - 2, height: CELL - 2, "fill-opacity": shade.toFixed(2) });
    cell.append(element("title", {}, `${shortName(all[edge.from])} → ${shortName(all[edge.to])}: ${edge.count}`));
    svg.append(cell);
  }
  let grid = "";
  for (let no = 0; no <= sorted.length; no += 1) grid += `M${NAMES + no * CELL} ${CELL}v${side}M${NAMES} ${CELL + no * CELL}h${side}`;
  svg.append(element("path", { class: "grid", d: grid }));
  document.querySelector(".matrix").replaceWith(svg);
}
function table(all, edges) {
  const details = byId("matrix").nextElementSibling;
  details.querySelector("summary").textContent = edges.length <= MAX_TABLE_ROWS ? `All ${counted(edges.length, "edge")} between the boxes`
    : `The ${MAX_TABLE_ROWS} heaviest of ${edges.length} edges between the boxes`;
  details.querySelector("tbody").replaceChildren(...edges.slice(0, MAX_TABLE_ROWS).map((edge) => html("tr",
    ...[edge.from, edge.to].map((no) => html("td", html("code", visible(nameOf(all[no]))))),
    html("td", String(edge.count)),
    html("td", Array.from(edge.counts.keys()).sort((a, b) => a - b).map((kind) => kinds[kind][1]).join(", ")))));
}

// Going into directories and out again.
const everything = { form: "directory", path: "", files: [[0, paths.length]] };
const trail = [everything];
function open(part) { trail.push(part); draw(part); }
function crumbs() {
  const steps = trail.slice(0, -1).map((part, at) => {
    const button = html("button", at === 0 ? "all files" : visible(nameOf(part)));
    button.type = "button";
    button.addEventListener("click", () => { trail.length = at + 1; draw(part); });
    return button;
  });
  const here = html("code", trail.length === 1 ? "" : visible(nameOf(trail.at(-1))));
  byId("crumbs").replaceChildren(...steps.flatMap((step) => [step, " › "]), here);
}
function makeOperable() {
  const boxes = every(".box", byId("drawing"));
  operable(boxes, (element) => {
    const part = shown.all[Number(element.id.slice(1))];
    if (part.form === "file" || part.form === "outside") { pin(element.id); return; }
    open(part);
    byId("crumbs").querySelector("button:last-of-type")?.focus({ preventScroll: true });
  });
}

// Finding: boxes that hold what is looked for stay bright. Enter goes to the first file found.
const search = byId("search");
function found() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return paths.flatMap((path, no) => { const lower = path.toLowerCase(); return words.every((word) => lower.includes(word)) ? [no] : []; });
}
function mark() {
  const hits = found();
  const svg = byId("drawing");
  svg.classList.toggle("filtering", hits !== null);
  if (hits === null) return;
  const all = new Set(hits);
  let boxes = 0;
  shown.all.forEach((part, no) => {
    const holds = part.files.some(([start, end]) => { for (let file = start; file < end; file += 1) if (all.has(file)) return true; return false; });
    if (holds) boxes += 1;
    byId(`b${no}`).classList.toggle("found", holds);
  });
  byId("said").textContent = `${counted(hits.length, "file")} found, in ${counted(boxes, "box")} here`;
}
search.addEventListener("input", () => { if (search.value === "") byId("said").textContent = ""; mark(); });
search.addEventListener("keydown", (event) => {
  const first = event.key === "Enter" ? found()?.[0] : undefined;
  if (first === undefined) return;
  const holds = (part) => part.files.some(([start, end]) => start <= first && first < end);
  trail.length = 1;
  draw(everything);
  for (;;) {
    const no = shown.all.findIndex(holds), part = shown.all[no];
    if (part.form === "file") { pin(`b${no}`); byId(`b${no}`).scrollIntoView({ block: "nearest", inline: "center" }); return; }
    open(part);
  }
});

// The drawing that came with the page is the one that would be drawn, so it stays until something is opened.
shown = { root: everything, ...readable(everything) };
makeOperable();
