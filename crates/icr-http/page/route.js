// The address of a view: `#/view?name=value…`. The repository and the revision are part of every address, so that a
// copied one brings back the same view.

/** What an address keeps when it leads to another view. */
const CARRIED = ["repo", "rev"];

/** The view that the page is at, and its parameters. */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  return {
    view: path || "search",
    get: (name) => parameters.get(name) ?? "",
    all: (name) => parameters.getAll(name),
  };
}

/** The address of `view` with `parameters`; lists give a parameter more than once, empty values leave it out. */
export function address(view, parameters = {}) {
  const now = here();
  const query = new URLSearchParams();
  const carried = Object.fromEntries(CARRIED.map((name) => [name, now.get(name)]));
  for (const [name, value] of Object.entries({ ...parameters, ...withoutOverridden(carried, parameters) })) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== "" && one !== null && one !== undefined) query.append(name, one);
    }
  }
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  return `#/${view}${text && `?${text}`}`;
}

function withoutOverridden(carried, parameters) {
  return Object.fromEntries(Object.entries(carried).filter(([name]) => !(name in parameters)));
}

/** The address of the view that the page is at, with `changes` to its parameters. */
export function sameView(changes) {
  const query = new URLSearchParams(location.hash.split(/\?(.*)/s)[1] ?? "");
  const parameters = Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
  return address(here().view, { ...parameters, ...changes });
}

/** Goes to `view`, which is drawn anew. */
export function go(view, parameters) {
  location.hash = address(view, parameters);
}

/** Notes `parameters` in the address without drawing the view again and without a step in the browser's history. */
export function noteInAddress(view, parameters) {
  history.replaceState(history.state, "", address(view, parameters));
}
