// Single keys: what they mean, and how they reach the page and the view that is shown.

import { isDialogOpen } from "./dialogs.js";

/** Milliseconds in which a letter counts as the second one after `g`. */
const AFTER_G_MS = 1500;

/** Where the choice is kept that single keys do nothing. */
const OFF_KEY = "icr-keys-off";

/** Groups of keys for the help: `[title, [[keys, meaning], …]]`. `views` have `letter` and `title`. */
export function keyGroups(views) {
  return [
    [
      "Everywhere",
      [
        ["/", "search"],
        ["t", "open a file by its path"],
        ["y", "copy a link to this commit"],
        ["?", "this help"],
        ["Esc", "close, or leave a field"],
      ],
    ],
    ["Views: g, then", views.map(({ letter, title }) => [letter, title])],
    [
      "Lists",
      [
        ["j k", "next and previous"],
        ["Enter", "open"],
        ["o", "why this was found"],
      ],
    ],
    [
      "Files",
      [
        ["j k", "next and previous line"],
        ["J K", "extend the selection"],
        ["c", "copy path:line"],
        ["r", "references of the selected name"],
        ["b", "last commit of the file"],
      ],
    ],
    [
      "Graph",
      [
        ["\u2190 \u2191 \u2193 \u2192", "next file in that direction"],
        ["Enter", "expand"],
        ["o", "open the file"],
      ],
    ],
  ];
}

/** Whether single keys are switched off. */
export function areKeysOff() {
  try {
    return localStorage.getItem(OFF_KEY) === "1";
  } catch {
    return false;
  }
}

/** Switches single keys off or on, for good. */
export function switchKeysOff(isOff) {
  try {
    localStorage.setItem(OFF_KEY, isOff ? "1" : "0");
  } catch {
    // A browser that keeps nothing has the keys on.
  }
}

/**
 * Listens for keys. `actionOf(key)` gives what a key does on the page and in the view, if anything; `openView(letter)`
 * goes to the view with this letter. An action that returns false leaves the key to the browser.
 */
export function listenForKeys(actionOf, openView) {
  let gAt = -AFTER_G_MS;
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isDialogOpen()) return;
    // No question begins with a question mark.
    const asksForHelp = key === "?" && target.value === "";
    if (target.matches("input:not([type=range], [type=checkbox]), textarea, select") && !asksForHelp) {
      if (key === "Escape") {
        // A field for a search would lose its text.
        event.preventDefault();
        target.blur();
      }
      return;
    }
    if (areKeysOff()) return;
    if (key === "Enter" && target.matches("a, button, summary, [role=button]")) return;
    const isAfterG = event.timeStamp - gAt < AFTER_G_MS;
    gAt = key === "g" && !isAfterG ? event.timeStamp : -AFTER_G_MS;
    if (key === "g" && !isAfterG) return event.preventDefault();
    const action = isAfterG ? () => openView(key) : actionOf(key);
    if (action && action(event) !== false) event.preventDefault();
  });
}

/** `j` and `k` over what `selector` finds in `parent`: the next one gets the focus. */
export function listKeys(parent, selector) {
  const step = (by) => {
    const members = [...parent.querySelectorAll(selector)];
    const at = members.findIndex((one) => one.contains(document.activeElement));
    const next = members[Math.min(Math.max(at + by, 0), members.length - 1)];
    next?.scrollIntoView({ block: "nearest" });
    next?.focus({ preventScroll: true });
  };
  return { j: () => step(1), k: () => step(-1) };
}
