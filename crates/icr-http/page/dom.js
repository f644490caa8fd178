// Building blocks of every view: elements made from data, and text that hides nothing from its reader.
// All text goes through `appendText`, so nothing that the service answers is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Ranges of characters that have no shape of their own or change the order of others. */
const UNSEEN_RANGES = [
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f", // control characters but tab and line feed
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u3164\\uffa0", // fillers and soft hyphens
  "\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff", // zero-width and bidirectional
  "\\ufe00-\\ufe0f\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}", // variation selectors, annotations, tags
];
const UNSEEN = new RegExp(`[${UNSEEN_RANGES.join("")}]|\\p{Cs}`, "gu");

const UNSEEN_NAMES = new Map([
  [0x200b, "zero-width space"],
  [0x200c, "zero-width non-joiner"],
  [0x200d, "zero-width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "end of direction"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2069, "end of isolate"],
  [0xfeff, "byte order mark"],
  [0x0d, "carriage return"],
  [0x1b, "escape"],
]);

const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** `text` for places that hold no elements, such as `title`: unseen characters are written as `U+202E`. */
export function plainText(text) {
  return String(text).replace(UNSEEN, (character) => `[${codePoint(character)}]`);
}

/** Adds `text` to `parent`; each unseen character becomes a labelled box. */
export function appendText(parent, text) {
  const whole = String(text);
  let from = 0;
  for (const match of whole.matchAll(UNSEEN)) {
    if (match.index > from) parent.append(whole.slice(from, match.index));
    const mark = document.createElement("span");
    mark.className = "unseen-character";
    mark.title = UNSEEN_NAMES.get(match[0].codePointAt(0)) ?? "invisible character";
    mark.textContent = codePoint(match[0]);
    parent.append(mark);
    from = match.index + match[0].length;
  }
  if (from < whole.length) parent.append(whole.slice(from));
}

/** Attributes whose text people read or hear. */
const READ_OUT = new Set(["title", "aria-label", "placeholder"]);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on")
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "variables")
      for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : READ_OUT.has(name) ? plainText(value) : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) element.append(child);
    else appendText(element, child);
  }
  return element;
}

/**
 * An element of `kind`, which is a tag and classes: `p.quiet`. A plain object after it holds attributes: those that are
 * null or false are left out; `on` holds listeners, `variables` CSS custom properties. The rest are children.
 */
export function el(kind, ...rest) {
  const [tag, ...classes] = kind.split(".");
  return made(document.createElement(tag), classes, rest);
}

/** An element of SVG, as `el`; unseen characters of its text are written as `[U+202E]`. */
export function svg(kind, ...rest) {
  const [tag, ...classes] = kind.split(".");
  const shown = rest.flat(Infinity).map((child) => (typeof child === "string" ? plainText(child) : child));
  return made(document.createElementNS(SVG, tag), classes, shown);
}

function made(element, classes, rest) {
  const hasAttributes = rest[0]?.constructor === Object;
  element.classList.add(...classes);
  return fill(element, hasAttributes ? rest[0] : {}, hasAttributes ? rest.slice(1) : rest);
}

/** Puts `children` in place of what `parent` holds. */
export function show(parent, ...children) {
  parent.replaceChildren();
  return fill(parent, {}, children);
}

/** A path or name in the font of code; line breaks in it are shown too. */
export function pathText(path, attributes = {}) {
  const shown = String(path).replace(/[\n\t]/g, (character) => (character === "\n" ? "\u240a" : "\u2409"));
  const slash = shown.lastIndexOf("/") + 1;
  return el(
    "span.path",
    { ...attributes },
    slash > 0 && el("span.folder", shown.slice(0, slash)),
    el("span.leaf", shown.slice(slash)),
  );
}

/** Text of the service with what stands between backticks as code. */
export function quoted(text) {
  return String(text ?? "")
    .split(/`([^`\n]+)`/)
    .map((piece, index) => (index % 2 === 1 ? el("code", piece) : piece));
}

/** A path with its lines: `src/a.rs:10–20`. */
export function placeText(path, start, end = start) {
  return [pathText(path), start && el("span.place", `:${start}${end > start ? `\u2013${end}` : ""}`)];
}

/** Says `text` to screen readers. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  live.textContent = plainText(text);
}

let noteTimer = 0;

/** Shows `text` for four seconds at the edge of the page, and says it to screen readers. */
export function note(text) {
  const box = document.getElementById("note");
  show(box, text);
  box.hidden = false;
  announce(text);
  clearTimeout(noteTimer);
  noteTimer = setTimeout(() => {
    box.hidden = true;
  }, 4000);
}

/** Copies `text`, and says so with `what` it is. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    note(`Copied ${what}`);
  } catch {
    note(`The browser does not let this page copy. ${what}: ${text.slice(0, 200)}`);
  }
}

/** A button that does `action`. */
export function button(label, action, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: action } }, label);
}
