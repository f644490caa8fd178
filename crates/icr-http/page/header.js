// The header: the repository and revision that are asked, links to the views, and the colour theme.

import { el, plainText, show } from "./dom.js";
import { combobox, revisions } from "./picker.js";
import { address, go, here, sameView } from "./route.js";

const THEMES = ["auto", "light", "dark"];
const THEME_NAMES = { auto: "Auto", light: "Light", dark: "Dark" };

const select = document.getElementById("repository");
const themeButton = document.getElementById("theme");
const revision = el("input", {
  type: "text",
  id: "revision",
  placeholder: "worktree",
  "aria-label": "Revision: branch, tag or commit; empty for the worktree",
});

/** Makes the header work. `viewAfterChoice()` names the view to show when another repository is chosen. */
export function startHeader(viewAfterChoice) {
  const worktree = { value: "", label: "worktree", detail: "files on disk, with uncommitted changes" };
  combobox(document.getElementById("revision-box"), revision, {
    suggest: ({ value }) => revisions(value === here().get("rev") ? "" : value, [worktree]),
    pick: (option) => {
      location.hash = sameView({ rev: option ? option.value : revision.value.trim() });
      revision.blur();
    },
  });
  revision.addEventListener("focus", () => revision.select());
  revision.addEventListener("blur", () => (revision.value = here().get("rev")));
  select.addEventListener("change", () => select.value && go(viewAfterChoice(), { repo: select.value, rev: "" }));
  themeButton.addEventListener("click", nextTheme);
  drawTheme();
}

/** Shows which of `repositories` and which revision are asked. */
export function drawHeader(repositories) {
  const id = here().get("repo");
  const isKnown = repositories.some((one) => one.repo_id === id);
  const name = (one) => plainText(repositoryName(one, repositories));
  show(
    select,
    !isKnown && el("option", { value: "" }, "choose\u2026"),
    repositories.map((one) => el("option", { value: one.repo_id }, name(one))),
  );
  select.value = isKnown ? id : "";
  revision.value = here().get("rev");
}

/** Shows links to `views`, the one called `current` marked. */
export function drawNavigation(views, current) {
  const link = ({ name, title }) =>
    el("a", { href: address(name), "aria-current": name === current ? "page" : null }, title);
  show(document.getElementById("views"), views.map(link));
  document.querySelector(".brand").href = address("search");
}

/** The last part of the repository's path, with the one before it where another repository has the same. */
function repositoryName(one, repositories) {
  const parts = (place) => (place.worktrees[0] ?? place.clones?.[0] ?? place.repo_id).split("/").filter(Boolean);
  const name = parts(one).at(-1);
  const hasTwin = repositories.some((other) => other !== one && parts(other).at(-1) === name);
  return hasTwin ? parts(one).slice(-2).join("/") : name;
}

function nextTheme() {
  const root = document.documentElement;
  root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
  try {
    localStorage.setItem("icr-theme", root.dataset.theme);
  } catch {
    // A browser that keeps nothing still shows the theme.
  }
  drawTheme();
}

function drawTheme() {
  const name = THEME_NAMES[document.documentElement.dataset.theme] ?? THEME_NAMES.auto;
  show(themeButton, name);
  themeButton.setAttribute("aria-label", `Colours: ${name}. Change`);
}
