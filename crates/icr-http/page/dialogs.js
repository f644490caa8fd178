// Dialogs: help with all keys, a question before something is removed, and the file finder. The browser keeps the focus
// inside of an open dialog and gives it back when the dialog closes.

import { button, el } from "./dom.js";
import { filePaths, matchingPaths } from "./files.js";
import { areKeysOff, switchKeysOff } from "./keys.js";
import { combobox } from "./picker.js";
import { go } from "./route.js";

function open(dialog) {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.showModal();
  return dialog;
}

/** Whether a dialog is open, so that single keys mean nothing to the page. */
export const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

/** Shows all keys in `groups`, `[title, [[keys, meaning], …]]`, and a switch for them. */
export function showHelp(groups, version) {
  const key = ([names, meaning]) =>
    el(
      "div",
      el(
        "dt",
        names.split(" ").map((name) => el("kbd", name)),
      ),
      el("dd", meaning),
    );
  const isOn = el("input", {
    type: "checkbox",
    id: "keys-on",
    checked: !areKeysOff(),
    on: { change: ({ target }) => switchKeysOff(!target.checked) },
  });
  const dialog = el(
    "dialog.help",
    { "aria-labelledby": "help-title" },
    el(
      "header",
      el("h2", { id: "help-title" }, "Keys"),
      button("Close", () => dialog.close()),
    ),
    el(
      "div.columns",
      groups.map(([title, keys]) => el("section", el("h3", title), el("dl.keys", keys.map(key)))),
    ),
    el("p.check", isOn, el("label", { for: "keys-on" }, "Single-key shortcuts work when no field has the focus")),
    el("p.quiet", `icr ${version}. Everything stays on this machine; the page sends no requests to other servers.`),
  );
  open(dialog);
}

/** Asks whether to do something that cannot be taken back; resolves to true for yes. */
export function confirmed(title, text, yes) {
  return new Promise((resolve) => {
    const dialog = el(
      "dialog",
      { "aria-labelledby": "confirm-title" },
      el("h2", { id: "confirm-title" }, title),
      el("p", text),
      el(
        "p.actions",
        button("Cancel", () => dialog.close(), { autofocus: true }),
        button(yes, () => dialog.close("yes"), { class: "danger" }),
      ),
    );
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
    open(dialog);
  });
}

/** Finds a file of the revision by letters of its path, and opens it in `view`. */
export function findFile(view = "file") {
  const input = el("input", {
    type: "text",
    "aria-label": "Part of a path",
    placeholder: "Part of a path",
    autofocus: true,
  });
  const box = el("div");
  const dialog = el(
    "dialog.finder",
    { "aria-labelledby": "finder-title" },
    el("h2", { id: "finder-title" }, "Open a file"),
    box,
    el("p.quiet", "Arrow keys choose, Enter opens, Escape closes."),
  );
  let best = [];
  combobox(box, input, {
    suggest: async ({ value }) => {
      best = matchingPaths(await filePaths(), value, 12).map((path) => ({ value: path, label: path }));
      return best;
    },
    pick: (option) => {
      const chosen = option ?? best[0];
      if (!chosen) return;
      dialog.close();
      go(view, { path: chosen.value });
    },
  });
  open(dialog);
  input.focus();
}
