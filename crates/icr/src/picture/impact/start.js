// Pointer, keyboard, filters and address.

// Chooses the file of `path`, or none, and makes it seen.
function choose(path) {
  const box = path === null ? null : fileOf.get(path) ?? null;
  if (box !== null) {
    around(box).forEach((group) => state.open.add(group.id));
    place();
  }
  pinned = box !== null && box.shown ? box.id : null;
  look(null);
  show(box);
  if (box !== null && box.shown) {
    makeCurrent(box);
    // On narrow screens the panel covers the lower half, see the style sheet.
    const block = matchMedia("(max-width: 999.9px)").matches ? "center" : "nearest";
    box.element.scrollIntoView({ block, inline: "nearest" });
  }
  writeAddress();
}

operable(files.map((file) => file.element), (part) => choose(pinned === part.id ? null : boxes.get(part.id).node.path));
operable(groups.map((group) => group.element), (part) => {
  if (!state.open.delete(part.id)) state.open.add(part.id);
  place();
  look(part.id);
  writeAddress();
});
// Keyboards reach the drawing at one box and go on by arrows, as sixty stops would be in the way of what follows.
for (const box of boxes.values()) box.element.setAttribute("tabindex", "-1");
function makeCurrent(box) {
  every("[tabindex='0']", svg).forEach((part) => part.setAttribute("tabindex", "-1"));
  box.element.setAttribute("tabindex", "0");
}
stage.addEventListener("focusin", (event) => {
  const box = boxes.get(boxOf(event)?.id);
  if (box === undefined) return;
  makeCurrent(box);
  if (box.node === null || pinned === box.id) return;
  pinned = null;
  look(box.id);
  show(box);
});
stage.addEventListener("keydown", (event) => {
  const box = boxes.get(boxOf(event)?.id);
  const next = box && neighbourOf(box, event.key);
  if (!next) return;
  event.preventDefault();
  next.element.focus();
});
// The box that an arrow key leads to from `box`, if there is one.
function neighbourOf(box, key) {
  const shown = Array.from(boxes.values()).filter((other) => other.shown && other !== box);
  const column = (other) => sections.find((section) => section.element.id === other.section).x;
  const own = column(box);
  const nearest = (candidates) => candidates.sort((a, b) => Math.abs(a.y - box.y) - Math.abs(b.y - box.y))[0];
  const beside = (columns) => nearest(shown.filter((other) => column(other) === columns));
  const inColumn = shown.filter((other) => column(other) === own);
  switch (key) {
    case "ArrowUp": return nearest(inColumn.filter((other) => other.y < box.y));
    case "ArrowDown": return nearest(inColumn.filter((other) => other.y > box.y));
    case "ArrowLeft": return beside(Math.max(...shown.map(column).filter((x) => x < own)));
    case "ArrowRight": return beside(Math.min(...shown.map(column).filter((x) => x > own)));
    case "Home": return shown.reduce((first, other) => other.y < first.y && column(other) === own ? other : first, box);
    case "End": return shown.reduce((last, other) => other.y > last.y && column(other) === own ? other : last, box);
    default: return undefined;
  }
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !chosen.hidden) choose(null);
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); byId("search").focus(); }
});

// Places everything again after a filter has changed.
function refilter() {
  place();
  if (pinned !== null && !boxes.get(pinned).shown) pinned = null;
  look(null);
  writeAddress();
}
byId("search").addEventListener("input", (event) => { state.words = event.target.value; refilter(); });
byId("least").addEventListener("input", (event) => { state.least = Number(event.target.value); refilter(); });
byId("roles").addEventListener("change", (event) => {
  if (event.target.checked) state.hidden.delete(event.target.value); else state.hidden.add(event.target.value);
  refilter();
});
byId("unfold")?.addEventListener("click", () => {
  const all = groups.every((group) => state.open.has(group.id));
  state.open = new Set(all ? [] : groups.map((group) => group.id));
  refilter();
});
byId("reset").addEventListener("click", () => {
  Object.assign(state, { hidden: new Set(), least: 0, words: "", open: new Set() });
  showControls();
  choose(null);
  refilter();
});
function showControls() {
  byId("search").value = state.words;
  byId("least").value = state.least;
  for (const box of every("input[name=role]")) box.checked = !state.hidden.has(box.value);
}

// The address names what is seen, so that it can be sent to others.
function writeAddress() {
  const parts = [];
  const add = (name, value) => { if (value) parts.push(`${name}=${encodeURIComponent(value)}`); };
  add("node", chosen.dataset.path);
  add("hide", Array.from(state.hidden).join());
  add("least", state.least);
  add("find", state.words);
  add("open", groups.length > 0 && groups.every((group) => state.open.has(group.id)) ? "all" : "");
  // A page that is shown inside of another one may not be allowed to.
  try { history.replaceState(null, "", `#${parts.join("&")}`); } catch { return; }
}
function readAddress() {
  const said = new Map();
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    // What is no percent-encoding is taken as it stands.
    let value = part.slice(at + 1);
    try { value = decodeURIComponent(value); } catch { /* as it stands */ }
    said.set(part.slice(0, at), value);
  }
  state.hidden = new Set((said.get("hide") ?? "").split(",").filter((role) => ROLES.includes(role)));
  state.least = Math.min(100, Math.max(0, Math.round(Number(said.get("least")) || 0)));
  state.words = said.get("find") ?? "";
  state.open = new Set(said.get("open") === "all" ? groups.map((group) => group.id) : []);
  showControls();
  place();
  choose(said.get("node") ?? null);
}
window.addEventListener("hashchange", readAddress);

// What to read first leads to its files, as far as they are drawn.
every("#first li").forEach((item, at) => {
  const { path } = impact.suggested_review[at];
  if (fileOf.has(path)) item.querySelector("code").replaceWith(leading(path));
});
every(".hint").forEach((hint) => { hint.hidden = files.length === 0; });
if (files.length > 0) makeCurrent(files.find((file) => file.parent === null) ?? boxes.values().next().value);
else every(".controls").forEach((part) => { part.hidden = true; });
readAddress();
