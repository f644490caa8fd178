// Sizes as the drawing has them; see the layout it came with.
const svg = byId("drawing");
const MARGIN = 16, HEADING = 32, GAP = 10, WIDTH = 236, MORE = 28, LOW = 42, LABELS = 20;
const boxes = every(".box", svg).map((element) => ({ element, column: element.dataset.column, ...size(element) }));
const mores = every(".more", svg).map((element) => ({ element, column: element.dataset.column, ...size(element) }));
const unfolded = new Set();
const initially = new Map(boxes.map((box) => [box, box.element.classList.contains("folded")]));

function size(element) {
  const frame = element.querySelector(".frame");
  const [x, y] = element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
  return { x, y, width: Number(frame.getAttribute("width")), height: Number(frame.getAttribute("height")) };
}
function move(part, x, y) {
  part.x = x;
  part.y = y;
  part.element.setAttribute("transform", `translate(${x} ${y})`);
}

// Places everything again after the set of shown boxes has changed.
function place() {
  for (const box of boxes) box.element.classList.toggle("folded", initially.get(box) && !unfolded.has(box.column) && !box.element.classList.contains("found"));
  const shown = boxes.filter((box) => !box.element.classList.contains("folded"));
  const columns = new Map();
  for (const box of boxes) {
    if (!columns.has(box.column)) columns.set(box.column, { x: box.column === "together1" ? MARGIN : box.x, boxes: [] });
  }
  for (const box of shown) columns.get(box.column).boxes.push(box);
  for (const more of mores) {
    const folded = boxes.filter((box) => box.column === more.column && box.element.classList.contains("folded")).length;
    const undrawn = Number(more.element.dataset.undrawn);
    more.element.classList.toggle("folded", folded + undrawn === 0);
    more.element.querySelector("text").textContent = folded > 0 ? `and ${folded + undrawn} more` : `and ${undrawn} more in the table`;
    columns.get(more.column).more = folded + undrawn > 0 ? more : undefined;
  }
  const height = ({ boxes, more }) => Math.max(LOW, boxes.reduce((sum, box) => sum + box.height + GAP, more ? MORE + GAP : 0) - GAP);
  const together = columns.get("together1");
  columns.delete("together1");
  const tallest = Math.max(...Array.from(columns.values(), height));
  const top = MARGIN + HEADING;
  for (const column of columns.values()) {
    let y = top + Math.min(400, Math.floor((tallest - height(column)) / 2));
    for (const box of column.boxes) { move(box, column.x, y); y += box.height + GAP; }
    if (column.more) move(column.more, column.x, y);
  }
  // Texts of empty columns stay in the middle.
  for (const none of every(".none", svg)) none.setAttribute("y", top + Math.min(400, Math.floor((tallest - LOW) / 2)) + LOW / 2 + 4);
  const width = Number(svg.getAttribute("width"));
  let bottom = top + tallest + MARGIN;
  if (together) {
    const start = bottom + HEADING + GAP;
    const centre = boxes.find((box) => box.element.id === "c");
    const rule = start - HEADING - 4;
    byId("rule").setAttribute("d", `M${centre.x + centre.width / 2} ${centre.y + centre.height}V${rule}M${MARGIN} ${rule}H${width - MARGIN}`);
    byId("together").setAttribute("y", start - 12);
    let x = MARGIN, y = start;
    for (const box of together.boxes) {
      if (x > MARGIN && x + WIDTH > width - MARGIN) { x = MARGIN; y += LOW + LABELS + GAP; }
      move(box, x, y);
      x += WIDTH + GAP;
    }
    bottom = x > MARGIN ? y + LOW + LABELS : y;
    if (together.more) { move(together.more, MARGIN, bottom + GAP); bottom += GAP + MORE; }
    bottom += MARGIN;
  }
  svg.setAttribute("height", Math.ceil(bottom));
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(bottom)}`);
  const placed = new Map(boxes.map((box) => [box.element.id, box]));
  for (const edge of every(".edge[data-from]", svg)) {
    const from = placed.get(edge.dataset.from), to = placed.get(edge.dataset.to);
    edge.classList.toggle("folded", [from, to].some((box) => box.element.classList.contains("folded")));
    edge.setAttribute("d", course(from, to));
  }
  unfold.hidden = mores.every((more) => unfolded.has(more.column));
}
function course(from, to) {
  const fromY = from.y + from.height / 2, toY = to.y + to.height / 2;
  let fromX = from.x, toX = to.x, bend;
  if (from.x + from.width <= to.x) { fromX += from.width; bend = (fromX + toX) / 2; }
  else if (to.x + to.width <= from.x) { toX += to.width; bend = (fromX + toX) / 2; }
  else { bend = Math.min(fromX, toX) - 44; }
  return `M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${toY} ${toX} ${toY}`;
}

operable(boxes.map((box) => box.element), (element) => pin(element.id));
operable(mores.map((more) => more.element), (element) => { unfolded.add(element.dataset.column); place(); });
const unfold = byId("unfold");
unfold.hidden = mores.length === 0;
unfold.addEventListener("click", () => { mores.forEach((more) => unfolded.add(more.column)); place(); });
byId("search").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { element } of boxes) {
    const text = element.querySelector("title").textContent.toLowerCase();
    const matches = words.length > 0 && words.every((word) => text.includes(word));
    element.classList.toggle("found", matches);
    if (matches) found += 1;
  }
  svg.classList.toggle("filtering", words.length > 0);
  byId("said").textContent = words.length > 0 ? `${found} of ${boxes.length} boxes` : "";
  place();
});
