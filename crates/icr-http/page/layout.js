// Where the files of the graph stand: one column for each step from the file in the centre, importers to the left.

/** The box of a file and the gaps between boxes, in CSS pixels. */
export const BOX = { width: 188, height: 32, across: 74, down: 8, margin: 16 };

/** Rounds of sorting columns by their neighbours; two settle graphs of this size. */
const ROUNDS = 3;

/** Positions of the upper left corners by path, and the size of the picture. `nodes` have `path` and `layer`. */
export function layeredPositions(nodes, edges) {
  const layers = [...new Set(nodes.map(({ layer }) => layer))].sort((a, b) => a - b);
  const columns = layers.map((layer) => nodes.filter((node) => node.layer === layer));
  const place = new Map();
  const setPlaces = () =>
    columns.forEach((column) => column.forEach(({ path }, index) => place.set(path, index - column.length / 2)));
  setPlaces();
  for (let round = 0; round < ROUNDS; round++) {
    for (const column of columns) {
      const wanted = new Map(column.map(({ path, layer }) => [path, meanPlace(path, edges, place, layer === 0)]));
      column.sort((a, b) => wanted.get(a.path) - wanted.get(b.path) || (a.path < b.path ? -1 : 1));
    }
    setPlaces();
  }
  const rows = Math.max(...columns.map(({ length }) => length));
  const height = rows * (BOX.height + BOX.down) + 2 * BOX.margin;
  const positions = new Map();
  columns.forEach((column, index) =>
    column.forEach(({ path }, row) =>
      positions.set(path, {
        x: BOX.margin + index * (BOX.width + BOX.across),
        y: height / 2 + (row - column.length / 2) * (BOX.height + BOX.down),
      }),
    ),
  );
  return { positions, height, width: columns.length * (BOX.width + BOX.across) - BOX.across + 2 * BOX.margin };
}

/** The mean place of the neighbours of `path`; its own place where it has none, or where its column keeps its order. */
function meanPlace(path, edges, place, keepsOrder) {
  const others = edges
    .filter(({ from, to }) => from === path || to === path)
    .map(({ from, to }) => place.get(from === path ? to : from));
  if (keepsOrder || others.length === 0) return place.get(path);
  return others.reduce((sum, one) => sum + one, 0) / others.length;
}

/**
 * The curve from the box at `from` to the box at `to`, `down` pixels below the middle of both; boxes of one column are
 * joined by a bow on the right.
 */
export function edgeCurve(from, to, down) {
  const middle = BOX.height / 2 + down;
  if (from.x === to.x) {
    const bow = 22 + Math.min(40, Math.abs(to.y - from.y) / 6);
    const x = from.x + BOX.width;
    return `M${x} ${from.y + middle}C${x + bow} ${from.y + middle} ${x + bow} ${to.y + middle} ${x} ${to.y + middle}`;
  }
  const isRight = to.x > from.x;
  const start = from.x + (isRight ? BOX.width : 0);
  const end = to.x + (isRight ? -2 : BOX.width + 2);
  const pull = (end - start) / 2;
  const [y, endY] = [from.y + middle, to.y + middle];
  return `M${start} ${y}C${start + pull} ${y} ${end - pull} ${endY} ${end} ${endY}`;
}
