// The line below the header: which commit answered, what is uncommitted, and what the answer lacks.

import { copy, el, note, show } from "./dom.js";
import { address, here, sameView } from "./route.js";
import { count, gapWords, short } from "./words.js";

const box = document.getElementById("provenance");
let provenance = null;
let revision = "";
let isShown = false;

/** Forgets what was answered, because another view is drawn; the line is hidden for views that ask no repository. */
export function clearProvenance(isOfRepository) {
  provenance = null;
  isShown = isOfRepository;
  draw();
}

/** Forgets what was answered, because the view asks anew. */
export function restartProvenance() {
  clearProvenance(isShown);
}

/**
 * Adds the provenance of one more answer of the view, asked at `asked`: gaps add up, and the newest commit counts
 * unless it is of another revision than the first answer.
 */
export function addProvenance(one, asked) {
  if (!provenance) revision = asked;
  const gaps = new Map([...(provenance?.gaps ?? []), ...one.gaps].map((gap) => [JSON.stringify(gap), gap]));
  provenance = { ...(asked === revision ? one : provenance), gaps: [...gaps.values()] };
  draw();
}

/** Puts the commit that answered into the address, and copies the link. */
export function copyPermalink() {
  if (!provenance?.commit) return note("There is no commit here to link to");
  history.replaceState(history.state, "", sameView({ rev: provenance.commit }));
  document.getElementById("revision").value = provenance.commit;
  const what = "a link to this commit";
  copy(location.href, provenance.dirty > 0 ? `${what}; uncommitted changes are not in it` : what);
}

function draw() {
  box.hidden = !isShown;
  if (!isShown) return;
  const { view, get } = here();
  if (!provenance) revision = get("rev");
  const where =
    view === "compare"
      ? el("span", "Two revisions compared")
      : el("span", revision ? ["Revision ", revisionText(revision)] : "Worktree");
  if (!provenance) return void show(box, where);
  const { commit, dirty, gaps } = provenance;
  const link =
    commit &&
    el("a.path", { href: address("compare", { to: commit }), title: "What this commit changed" }, short(commit));
  const uncommitted = dirty > 0 ? `with ${count(dirty, "uncommitted file")}` : "no uncommitted files";
  show(
    box,
    where,
    view !== "compare" && el("span", commit ? ["commit ", link] : "no commit yet"),
    view !== "compare" && el("span", revision ? "as committed" : uncommitted),
    lacks(gaps.map(gapWords)),
  );
}

const revisionText = (revision) => el("b.path", /^[0-9a-f]{40}$/.test(revision) ? short(revision) : revision);

function lacks(words) {
  if (words.length === 0) return el("span.good", "complete");
  if (words.length === 1) return el("span.warn", `Lacks: ${words[0]}`);
  const list = el(
    "ul",
    words.map((one) => el("li", one)),
  );
  return el("details.warn", el("summary", `Lacks ${count(words.length, "thing")}`), list);
}
