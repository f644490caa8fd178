// Boxes of code: lines with numbers that are links.

import { colouredLines } from "./colours.js";
import { appendText, el } from "./dom.js";

/** The text of a line from its coloured parts. */
export function codeText(parts) {
  const text = el("code");
  for (const [kind, part] of parts) {
    if (kind === "") appendText(text, part);
    else text.append(el("span", { class: kind }, part));
  }
  return text;
}

/** Lines in one block that the browser lays out only when it is looked at. */
const BLOCK_LINES = 200;

/**
 * A box with the lines of `text`, the first of which is line `start`; those before line `from` only serve to tell what
 * is open where the box begins. `hrefOf(line)` is where a line's number leads.
 */
export function codeBox(text, { path, start = 1, from = start, hrefOf }) {
  const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = colouredLines(whole, path).slice(from - start);
  const blocks = [];
  for (let at = 0; at < lines.length; at += BLOCK_LINES) {
    const rows = lines.slice(at, at + BLOCK_LINES).map((parts, index) => lineRow(parts, from + at + index, hrefOf));
    blocks.push(el("div.block", { variables: { "--lines": String(rows.length) } }, rows));
  }
  const label = { role: "region", tabindex: "0", "aria-label": `Code of ${path}` };
  return el("div.code", label, el("div.lines", blocks));
}

function lineRow(parts, number, hrefOf) {
  const text = codeText(parts);
  const gutter = hrefOf
    ? el(
        "a.number",
        { href: hrefOf(number), tabindex: "-1", "data-line": number, "aria-label": `Line ${number}` },
        String(number),
      )
    : el("span.number", String(number));
  return el("div.line", { "data-row": number }, gutter, text);
}
