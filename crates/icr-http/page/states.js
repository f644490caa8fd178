// What stands in a view that has nothing to show yet, nothing at all, or an error, each with what to do about it.

import { button, el, quoted } from "./dom.js";
import { address, sameView } from "./route.js";

/** While an answer is awaited. */
export function loading(what) {
  return el("p.state.loading", { role: "status" }, el("span.pulse", { "aria-hidden": "true" }), what);
}

/** When there is nothing to show: what is missing, and what to do about it. */
export function nothing(title, ...more) {
  return el("div.state", el("p.state-title", title), more.length > 0 && el("div.state-more", more));
}

/** Failures after which asking the same again is of no use, and the link that leads out. */
const WAYS_OUT = {
  UNKNOWN_REVISION: () => el("a", { href: sameView({ rev: "" }) }, "Ask the worktree instead"),
  NOT_A_REPOSITORY: otherRepository,
  UNKNOWN_REPOSITORY: otherRepository,
  INTERNAL_ERROR: () => el("a", { href: address("repositories") }, "State of the repository"),
};

function otherRepository() {
  return el("a", { href: address("repositories", { repo: "", rev: "" }) }, "Choose another repository");
}

/** An error in the service's words, its hints, and ways out; `retry` may be null. */
export function failure(error, retry, ...ways) {
  return el(
    "div.state.failure",
    { role: "alert" },
    el("p.state-title", quoted(error.message)),
    error.hints?.length > 0 &&
      el(
        "ul",
        error.hints.map((hint) => el("li", quoted(hint))),
      ),
    el("p.actions", retry && button("Try again", retry), WAYS_OUT[error.code]?.(), ways),
  );
}

/**
 * Fills `parent` with what `answer()` leads to: a loading state, then `draw(answer)`, or the failure with a retry.
 * Nothing is drawn after `signal` says that the view is gone. Resolves when all is drawn.
 */
export async function fillFrom(parent, what, answer, draw, signal) {
  parent.replaceChildren(loading(what));
  try {
    const value = await answer();
    if (!signal?.aborted) parent.replaceChildren(...[await draw(value)].flat(Infinity).filter(Boolean));
  } catch (error) {
    if (signal?.aborted || error.name === "AbortError") return;
    parent.replaceChildren(failure(error, () => fillFrom(parent, what, answer, draw, signal)));
  }
}
