// Sizes and limits as the drawing has them that the page came with. What follows does the same in the same order, so
// that the whole graph is drawn as it came.
const SIZES = [[60, 160], [60, 90], [40, 60], [26, 52]], MAX_COLUMNS = 9, MAX_TABLE_ROWS = 500, FEW = 12, MAX_OUTSIDE = 6;
const WIDTH = 196, HEIGHT = 46, MARGIN = 20, ROWS = 14, GAP = 14, PASSING_GAP = 10, BUNDLE_GAP = 7, HEADING = 36;
const SHEET = 4, COLUMN = 7.5, SMALL_COLUMN = 6.6, CELL = 16, NAMES = 260;

// The graph: sorted paths, and edges as four numbers each.
const { paths, edges: fileEdges, kinds, ends } = (() => {
  const embedded = JSON.parse(byId("embedded").textContent);
  const paths = [];
  let before = "";
  for (let at = 0; at < embedded.paths.length; at += 2) {
    before = before.slice(0, embedded.paths[at]) + embedded.paths[at + 1];
    paths.push(before);
  }
  const edges = [];
  const ends = new Array(paths.length + 1).fill(0);
  const kindsTotal = embedded.kinds.length;
  for (let at = 0, from = 0; at < embedded.edges.length;) {
    from += embedded.edges[at];
    const stop = at + 2 + embedded.edges[at + 1] * 2;
    for (at += 2; at < stop; at += 2) {
      const kind = embedded.edges[at] % kindsTotal, to = (embedded.edges[at] - kind) / kindsTotal;
      edges.push({ from, to, kind, count: embedded.edges[at + 1] });
      ends[from + 1] += 1;
      ends[to + 1] += 1;
    }
  }
  for (let no = 1; no < ends.length; no += 1) ends[no] += ends[no - 1];
  return { paths, edges, kinds: embedded.kinds, ends };
})();
const counted = (count, noun) => count === 1 ? `1 ${noun}` : noun.endsWith("x") ? `${count} ${noun}es` : `${count} ${noun}s`;
const length = (part) => part.files.reduce((sum, [start, end]) => sum + end - start, 0);
const endsOf = (part) => part.files.reduce((sum, [start, end]) => sum + ends[end] - ends[start], 0);
const heavier = (a, b) => endsOf(b) - endsOf(a) || length(b) - length(a);
const numbers = (part) => part.files.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at));
const fileOf = (no) => ({ form: "file", path: paths[no], files: [[no, no + 1]] });
function extend(ranges, no) {
  const last = ranges.at(-1);
  if (last && last[1] === no) last[1] += 1; else ranges.push([no, no + 1]);
}

// Boxes for the files of `root`.
function partsOf(root, limit) {
  if (length(root) <= limit) return numbers(root).map(fileOf);
  const parts = [{ ...root, form: "directory" }], closed = [];
  for (;;) {
    const open = parts.filter((part) => part.form === "directory" && (endsOf(part) > 0 || part.path === root.path));
    if (open.length === 0) break;
    open.sort((a, b) => heavier(a, b) || a.files[0][0] - b.files[0][0]);
    const part = open[0];
    parts.splice(parts.indexOf(part), 1);
    const inner = fitting(inside(part), limit - parts.length - closed.length);
    if (inner && inner.length > 1) parts.push(...inner); else closed.push(part);
  }
  closed.push(...parts);
  while (closed.length + 1 < Math.min(FEW, limit)) {
    const open = closed.filter((part) => part.form === "directory" || part.form === "filesof");
    if (open.length === 0) break;
    open.sort((a, b) => heavier(a, b) || a.files[0][0] - b.files[0][0]);
    const part = open[0];
    closed.splice(closed.indexOf(part), 1);
    closed.push(...fitting(numbers(part).map(fileOf), limit - closed.length));
  }
  return closed.sort((a, b) => a.files[0][0] - b.files[0][0]);
}
function fitting(inner, room) {
  if (inner.length <= room) return inner;
  if (room < FEW) return null;
  const above = (path) => path.replace(/\/+$/, "").lastIndexOf("/") + 1;
  let path = inner[0].path.slice(0, above(inner[0].path));
  for (const part of inner) {
    while (!part.path.startsWith(path) || above(part.path) < path.length) path = path.slice(0, above(path));
  }
  const sorted = inner.slice().sort(heavier);
  const rest = sorted.splice(room - 1).flatMap(numbers).sort((a, b) => a - b);
  const files = [];
  rest.forEach((no) => extend(files, no));
  return [...sorted, { form: "rest", path, files }];
}
function inside(part) {
  for (let prefix = part.path; ;) {
    const directories = [], own = [];
    for (const no of numbers(part)) {
      const slash = paths[no].indexOf("/", prefix.length);
      if (slash < 0) { extend(own, no); continue; }
      const path = paths[no].slice(0, slash + 1);
      if (directories.at(-1)?.path === path) extend(directories.at(-1).files, no);
      else directories.push({ form: "directory", path, files: [[no, no + 1]] });
    }
    if (directories.length === 1 && own.length === 0) { prefix = directories[0].path; continue; }
    if (own.length > 0) directories.push({ form: "filesof", path: prefix, files: own });
    return directories.map((part) => length(part) === 1 ? fileOf(part.files[0][0]) : part);
  }
}

// Edges between the boxes, the heaviest first, with boxes for what is outside of `root` and joined with it.
function joined(root, parts, edgesMax) {
  const partOf = new Int32Array(paths.length).fill(-1);
  parts.forEach((part, no) => numbers(part).forEach((file) => { partOf[file] = no; }));
  parts.forEach((part) => { part.inside = 0; });
  const outside = new Map();
  const groupOf = (path, incoming) => {
    let start = 0;
    for (let slash = root.path.indexOf("/"); slash >= 0 && path.startsWith(root.path.slice(0, slash + 1)); slash = root.path.indexOf("/", slash + 1)) start = slash + 1;
    const slash = path.indexOf("/", start);
    const name = slash < 0 ? path : path.slice(0, slash + 1);
    const key = (incoming ? "<" : ">") + name;
    if (!outside.has(key)) outside.set(key, { form: "outside", path: name, incoming, count: 0, members: new Set(), files: [], inside: 0 });
    return outside.get(key);
  };
  for (const { from, to, count } of fileEdges) {
    const [a, b] = [partOf[from], partOf[to]];
    if ((a < 0) === (b < 0)) { if (a >= 0 && a === b) parts[a].inside += count; continue; }
    const group = groupOf(paths[a < 0 ? from : to], a < 0);
    group.count += count;
    group.members.add(a < 0 ? from : to);
  }
  const ghosts = [];
  for (const incoming of [true, false]) {
    const groups = Array.from(outside.values()).filter((group) => group.incoming === incoming);
    groups.sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1));
    const rest = groups.splice(MAX_OUTSIDE - 1);
    if (rest.length === 1) groups.push(rest[0]);
    if (rest.length > 1) groups.push({ ...rest[0], path: "", members: new Set(rest.flatMap((group) => Array.from(group.members))) });
    ghosts.push(...groups);
  }
  const all = parts.concat(ghosts);
  const ghostOf = [true, false].map((incoming) => {
    const map = new Map();
    ghosts.forEach((ghost, at) => { if (ghost.incoming === incoming) ghost.members.forEach((file) => map.set(file, parts.length + at)); });
    return map;
  });
  const between = new Map();
  for (const { from, to, kind, count } of fileEdges) {
    let [a, b] = [partOf[from], partOf[to]];
    if (a < 0 && b < 0) continue;
    if (a < 0) a = ghostOf[0].get(from);
    if (b < 0) b = ghostOf[1].get(to);
    if (a === b) continue;
    const key = a * all.length + b;
    if (!between.has(key)) between.set(key, { from: a, to: b, counts: new Map(), count: 0 });
    const edge = between.get(key);
    edge.counts.set(kind, (edge.counts.get(kind) ?? 0) + count);
    edge.count += count;
  }
  const edges = Array.from(between.values());
  edges.sort((a, b) => b.count - a.count || a.from - b.from || a.to - b.to);
  const isJoined = new Set();
  edges.forEach((edge, at) => {
    edge.kind = kinds[edge.counts.size === 1 ? edge.counts.keys().next().value : 0][0];
    edge.drawn = at < edgesMax || !isJoined.has(edge.from) || !isJoined.has(edge.to);
    isJoined.add(edge.from).add(edge.to);
  });
  const drawn = edges.filter((edge) => edge.drawn);
  return { all, edges: drawn.concat(edges.filter((edge) => !edge.drawn)), drawn };
}

// As many boxes as fit the width of a screen; all files when they are few.
function readable(root) {
  for (const [boxesMax, edgesMax] of SIZES) {
    const found = joined(root, partsOf(root, boxesMax), edgesMax);
    const arranged = arrange(found.all.length, found.edges, found.drawn);
    const isWide = arranged.columnOf.some((column) => column >= MAX_COLUMNS);
    if (!isWide || length(root) <= SIZES[0][0] || boxesMax === SIZES.at(-1)[0]) return { ...found, arranged };
  }
}

// The layered drawing.
function arrange(total, all, edges) {
  const component = componentsOf(total, all);
  const rank = ranksOf(total, edges, component);
  for (const edge of edges) edge.back = component[edge.from] === component[edge.to] && rank[edge.from] > rank[edge.to];
  const forward = edges.map((edge) => edge.back ? { from: edge.to, to: edge.from, count: edge.count } : { from: edge.from, to: edge.to, count: edge.count });
  const columnOf = columnsOf(total, forward);
  const columnsTotal = Math.max(-1, ...columnOf.filter((column) => column !== null)) + 1;
  const columns = Array.from({ length: columnsTotal }, () => []);
  const left = Array.from({ length: total }, () => []), right = Array.from({ length: total }, () => []);
  columnOf.forEach((column, no) => { if (column !== null) columns[column].push(no); });
  const passing = Array.from({ length: total }, () => []);
  const chains = forward.map(({ from, to }) => {
    const chain = [from];
    for (let column = columnOf[from] + 1; column < columnOf[to]; column += 1) {
      const at = column - columnOf[from] - 1;
      if (passing[from][at] === undefined) {
        passing[from][at] = left.length;
        columns[column].push(left.length);
        left.push([]);
        right.push([]);
      }
      chain.push(passing[from][at]);
    }
    chain.push(to);
    for (let at = 1; at < chain.length; at += 1) {
      if (right[chain[at - 1]].includes(chain[at])) continue;
      right[chain[at - 1]].push(chain[at]);
      left[chain[at]].push(chain[at - 1]);
    }
    return chain;
  });
  order(columns, left, right);
  const isBox = (cell) => cell < total;
  const distance = (a, b) => isBox(a) && isBox(b) ? HEIGHT + GAP : !isBox(a) && !isBox(b) ? BUNDLE_GAP : HEIGHT / 2 + PASSING_GAP;
  const offsetsOf = (column) => {
    let offset = 0;
    return column.map((cell, at) => { if (at > 0) offset += distance(column[at - 1], cell); return offset; });
  };
  const ys = new Array(left.length).fill(0);
  for (const column of columns) {
    const offsets = offsetsOf(column), height = offsets.at(-1) ?? 0;
    column.forEach((cell, at) => { ys[cell] = offsets[at] - height / 2; });
  }
  for (let pass = 0; pass < 8; pass += 1) {
    for (let step = 0; step < columnsTotal; step += 1) {
      const column = columns[pass % 2 === 0 ? step : columnsTotal - 1 - step];
      const offsets = offsetsOf(column);
      const wanted = column.map((cell, at) => {
        let sum = 0, weights = 0;
        for (const other of left[cell].concat(right[cell])) {
          const weight = isBox(cell) || isBox(other) ? 1 : 4;
          sum += ys[other] * weight;
          weights += weight;
        }
        return weights > 0 ? sum / weights - offsets[at] : ys[cell] - offsets[at];
      });
      ascending(wanted).forEach((y, at) => { ys[column[at]] = y + offsets[at]; });
    }
  }
  const used = columns.flat();
  const shift = MARGIN + HEIGHT / 2 - (used.length > 0 ? Math.min(...used.map((cell) => ys[cell])) : 0);
  for (let cell = 0; cell < ys.length; cell += 1) ys[cell] += shift;
  let bottom = Math.max(MARGIN, ...used.map((cell) => ys[cell] + HEIGHT / 2));
  let x = MARGIN;
  const xs = columns.map((column) => {
    const own = x;
    x += WIDTH + Math.min(132, 48 + 2 * column.reduce((sum, cell) => sum + right[cell].length, 0));
    return own;
  });
  const columnRight = xs.length > 0 ? xs.at(-1) + WIDTH : 0;
  const places = columnOf.map((column, no) => column === null ? null : { x: xs[column], y: ys[no] - HEIGHT / 2 });
  const loose = columnOf.flatMap((column, no) => column === null ? [no] : []);
  const perRow = Math.min(Math.max(4, Math.floor(columnRight / (WIDTH + GAP))), Math.max(1, loose.length));
  const looseTop = bottom > MARGIN ? bottom + HEADING + GAP : MARGIN + HEADING;
  loose.forEach((no, at) => {
    places[no] = { x: MARGIN + at % perRow * (WIDTH + GAP), y: looseTop + Math.floor(at / perRow) * (HEIGHT + GAP) };
    bottom = places[no].y + HEIGHT;
  });
  const port = (cell, others, other) => {
    const before = others.filter((no) => ys[no] < ys[other] || ys[no] === ys[other] && no < other).length;
    const last = others.length - 1;
    return ys[cell] + (before - last / 2) * (last > 0 ? Math.min(7, (HEIGHT - 16) / last) : 0);
  };
  edges.forEach((edge, no) => {
    const chain = chains[no], points = [];
    chain.forEach((cell, step) => {
      const at = xs[columnOf[chain[0]] + step];
      if (step === 0) points.push([at + WIDTH, port(cell, right[cell], chain[1])]);
      else if (step + 1 === chain.length) points.push([at, port(cell, left[cell], chain[step - 1])]);
      else points.push([at, ys[cell]], [at + WIDTH, ys[cell]]);
    });
    edge.points = edge.back ? points.reverse() : points;
  });
  const sizes = new Map();
  component.forEach((no) => sizes.set(no, (sizes.get(no) ?? 0) + 1));
  const seen = [];
  const cycles = component.map((no) => {
    if (sizes.get(no) < 2) return null;
    if (!seen.includes(no)) seen.push(no);
    return seen.indexOf(no);
  });
  const looseRight = loose.length > 0 ? MARGIN + perRow * (WIDTH + GAP) - GAP : 0;
  return { places, cycles, columnOf, loose: loose.length > 0 ? looseTop : null,
    width: Math.max(columnRight, looseRight, MARGIN + WIDTH) + MARGIN, height: bottom + MARGIN };
}
function componentsOf(total, edges) {
  const targets = Array.from({ length: total }, () => []);
  edges.forEach(({ from, to }) => targets[from].push(to));
  const index = new Array(total).fill(-1), low = [], component = new Array(total).fill(-1), open = [];
  let seen = 0, found = 0;
  const visit = (node) => {
    index[node] = low[node] = seen;
    seen += 1;
    open.push(node);
    for (const target of targets[node]) {
      if (index[target] < 0) { visit(target); low[node] = Math.min(low[node], low[target]); }
      else if (component[target] < 0) low[node] = Math.min(low[node], index[target]);
    }
    if (low[node] !== index[node]) return;
    for (let member = -1; member !== node;) { member = open.pop(); component[member] = found; }
    found += 1;
  };
  for (let node = 0; node < total; node += 1) if (index[node] < 0) visit(node);
  return component;
}
function ranksOf(total, edges, component) {
  const inner = edges.filter(({ from, to }) => component[from] === component[to]);
  const rank = new Array(total).fill(null);
  let first = 0, last = total;
  while (first < last) {
    const out = new Array(total).fill(0), into = new Array(total).fill(0);
    for (const { from, to, count } of inner) {
      if (rank[from] === null && rank[to] === null) { out[from] += count; into[to] += count; }
    }
    const rest = rank.flatMap((known, no) => known === null ? [no] : []);
    const sinks = rest.filter((no) => out[no] === 0);
    if (sinks.length > 0) { sinks.reverse().forEach((no) => { last -= 1; rank[no] = last; }); continue; }
    const best = rest.find((no) => into[no] === 0) ?? rest.reduce((best, no) => out[no] - into[no] > out[best] - into[best] ? no : best);
    rank[best] = first;
    first += 1;
  }
  return rank;
}
function columnsOf(total, forward) {
  const waiting = new Array(total).fill(0), surplus = new Array(total).fill(0), layer = new Array(total).fill(0);
  const has = new Array(total).fill(false), sorted = [], outs = Array.from({ length: total }, () => []);
  for (const { from, to, count } of forward) {
    waiting[to] += 1;
    surplus[from] += count;
    surplus[to] -= count;
    has[from] = has[to] = true;
    outs[from].push(to);
  }
  let ready = waiting.flatMap((count, no) => count === 0 ? [no] : []);
  while (ready.length > 0) {
    const next = [];
    for (const no of ready) for (const to of outs[no]) { waiting[to] -= 1; if (waiting[to] === 0) next.push(to); }
    sorted.push(...ready);
    ready = next.sort((a, b) => a - b);
  }
  for (const no of sorted) for (const to of outs[no]) layer[to] = Math.max(layer[to], layer[no] + 1);
  for (const no of sorted.slice().reverse()) {
    if (outs[no].length > 0 && surplus[no] > 0) layer[no] = Math.min(...outs[no].map((to) => layer[to])) - 1;
  }
  const columns = new Array(total).fill(null);
  let next = 0;
  for (let current = 0; current <= Math.max(0, ...layer); current += 1) {
    const members = layer.flatMap((own, no) => own === current && has[no] ? [no] : []);
    members.sort((a, b) => surplus[a] - surplus[b]);
    const size = Math.ceil(members.length / Math.max(1, Math.ceil(members.length / ROWS)));
    for (let at = 0; at < members.length; at += size, next += 1) members.slice(at, at + size).forEach((no) => { columns[no] = next; });
  }
  return columns;
}
function order(columns, left, right) {
  const position = new Array(left.length).fill(0);
  const note = (column) => column.forEach((cell, at) => { position[cell] = at; });
  const crossings = () => {
    columns.forEach(note);
    let total = 0;
    for (const column of columns) {
      const ended = [];
      for (const cell of column) {
        const own = right[cell].map((other) => position[other]);
        for (const end of own) for (let at = end + 1; at < ended.length; at += 1) total += ended[at] ?? 0;
        for (const end of own) ended[end] = (ended[end] ?? 0) + 1;
      }
    }
    return total;
  };
  let best = crossings(), kept = columns.map((column) => column.slice());
  for (let pass = 0; pass < 24; pass += 1) {
    for (let step = 1; step < columns.length; step += 1) {
      const rightwards = pass % 2 === 0, at = rightwards ? step : columns.length - 1 - step;
      const others = rightwards ? left : right, beside = columns[rightwards ? at - 1 : at + 1];
      note(beside);
      const scale = beside.length / Math.max(1, columns[at].length);
      const keys = new Map(columns[at].map((cell, place) => [cell, others[cell].length === 0 ? place * scale
        : others[cell].reduce((sum, other) => sum + position[other], 0) / others[cell].length]));
      columns[at].sort((a, b) => keys.get(a) - keys.get(b));
    }
    const now = crossings();
    if (now < best) { best = now; kept = columns.map((column) => column.slice()); }
  }
  kept.forEach((column, at) => { columns[at] = column; });
}
function ascending(wanted) {
  const runs = [];
  for (const value of wanted) {
    let run = [value, 1];
    while (runs.length > 0 && runs.at(-1)[0] / runs.at(-1)[1] >= run[0] / run[1]) {
      const before = runs.pop();
      run = [before[0] + run[0], before[1] + run[1]];
    }
    runs.push(run);
  }
  return runs.flatMap(([sum, count]) => new Array(count).fill(sum / count));
}
