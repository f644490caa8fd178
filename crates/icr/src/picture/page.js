const byId = (id) => document.getElementById(id);
const every = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
const stage = byId("stage");
stage.classList.add("live");

// What is looked at: what is pinned, else what the pointer or the keyboard is on.
let pinned = null;
function look(id) {
  const svg = stage.querySelector("svg");
  every(".lit", svg).forEach((part) => part.classList.remove("lit"));
  every(".pinned", svg).forEach((part) => { part.classList.remove("pinned"); part.setAttribute("aria-pressed", "false"); });
  const shown = pinned ?? id;
  svg.classList.toggle("looking", shown !== null);
  if (shown === null) return;
  const own = byId(shown);
  if (own === null) return;
  own.classList.add("lit");
  if (pinned !== null) { own.classList.add("pinned"); own.setAttribute("aria-pressed", "true"); }
  for (const edge of every(".edge[data-from]", svg)) {
    const { from, to } = edge.dataset;
    if (from !== shown && to !== shown) continue;
    edge.classList.add("lit");
    byId(from === shown ? to : from)?.classList.add("lit");
  }
}
function pin(id) { pinned = pinned === id ? null : id; look(id); }
function boxOf(event) { return event.target instanceof Element ? event.target.closest(".box") : null; }
stage.addEventListener("pointerover", (event) => { const box = boxOf(event); look(box ? box.id : null); });
stage.addEventListener("pointerleave", () => look(null));
stage.addEventListener("focusin", (event) => { const box = boxOf(event); look(box ? box.id : null); });
stage.addEventListener("focusout", () => look(null));
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && pinned !== null) { pinned = null; look(null); } });

// Makes boxes reachable by keyboard; `press` does what a click does.
function operable(parts, press) {
  for (const part of parts) {
    part.setAttribute("tabindex", "0");
    part.setAttribute("role", "button");
    const name = part.querySelector("title") ?? part;
    part.setAttribute("aria-label", name.textContent);
    part.addEventListener("click", () => press(part));
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press(part);
    });
  }
}

const zoom = byId("zoom");
function fit(whole) {
  stage.classList.toggle("fit", whole);
  zoom.setAttribute("aria-pressed", String(whole));
}
zoom.addEventListener("click", () => fit(!stage.classList.contains("fit")));
// A drawing that is a little too wide is still readable when it fits; one that is much too wide is not.
function fitIfReadable() {
  const width = Number(stage.querySelector("svg").getAttribute("width"));
  fit(width > stage.clientWidth && width * 0.75 <= stage.clientWidth);
}
fitIfReadable();
every(".controls").forEach((part) => { part.hidden = false; });

const opened = [];
window.addEventListener("beforeprint", () => {
  for (const part of every("details:not([open])")) { part.open = true; opened.push(part); }
});
window.addEventListener("afterprint", () => { while (opened.length > 0) opened.pop().open = false; });
