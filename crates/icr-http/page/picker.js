// A text field with suggestions (ARIA combobox), and the suggestions for revisions.

import { askKept } from "./api.js";
import { announce, el, show } from "./dom.js";
import { ago, count, short } from "./words.js";

/** Most suggestions shown at once. */
const SUGGESTIONS_MOST = 12;

let numbers = 0;

/**
 * Makes `input` a combobox inside of `box`. `suggest(input)` gives options `{value, label, detail}`, at once or later;
 * `pick(option)` is called for the one that is chosen, and for Enter without one with null. Suggestions come on focus
 * only with `onFocus`.
 */
export function combobox(box, input, { suggest, pick, onFocus = true }) {
  const list = el("ul.suggestions", {
    role: "listbox",
    id: `suggestions-${++numbers}`,
    "aria-label": "Suggestions",
    hidden: true,
  });
  box.classList.add("combobox");
  box.append(input, list);
  for (const [name, value] of Object.entries({
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  }))
    input.setAttribute(name, value);
  let options = [];
  let active = -1;
  let turn = 0;

  const close = () => {
    turn++;
    options = [];
    active = -1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (option) => {
    close();
    pick(option);
  };
  const activate = (index) => {
    active = index;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === index)));
    const item = list.children[index];
    if (!item) return;
    item.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", item.id);
  };
  const open = async () => {
    const mine = ++turn;
    const suggestions = await Promise.resolve(suggest(input)).catch(() => []);
    if (mine !== turn || document.activeElement !== input) return;
    options = suggestions.slice(0, SUGGESTIONS_MOST);
    if (options.length === 0) return close();
    show(
      list,
      options.map((option, index) =>
        el(
          "li",
          {
            role: "option",
            id: `${list.id}-${index}`,
            "aria-selected": "false",
            on: {
              mousedown: (event) => {
                event.preventDefault();
                choose(option);
              },
            },
          },
          el("span.path", option.label ?? option.value),
          option.detail && el("span.detail", option.detail),
        ),
      ),
    );
    active = -1;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
    announce(count(options.length, "suggestion"));
  };
  input.addEventListener("input", open);
  input.addEventListener("focus", () => onFocus && open());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) return void open();
      const step = event.key === "ArrowDown" ? 1 : -1;
      activate(active < 0 && step < 0 ? options.length - 1 : (active + step + options.length) % options.length);
    } else if ((event.key === "Tab" || event.key === "Enter") && active >= 0) {
      event.preventDefault();
      choose(options[active]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(null);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  return { close, open };
}

/** Branches, tags and commits that match `text`, branches first; `fixed` options stand before them. */
export async function revisions(text, fixed = []) {
  const { commits, refs } = await askKept("commits", { limit: 200, rev: "" });
  const options = [
    ...fixed,
    ...["branch", "tag", "remote"].flatMap((kind) =>
      refs
        .filter((ref) => ref.kind === kind)
        .map((ref) => ({ value: ref.name, detail: `${kind} ${short(ref.commit)}` })),
    ),
    ...commits.map(({ commit, subject, time }) => ({
      value: commit,
      label: short(commit),
      detail: `${subject}, ${ago(time * 1000)}`,
    })),
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ value, label, detail }) =>
    words.every((word) => `${value} ${label ?? ""} ${detail ?? ""}`.toLowerCase().includes(word));
  return options.filter(matches);
}
