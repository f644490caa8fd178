// The frame of the page: which view an address shows, and what keys do.

import { ApiError, ask, askKept, onProvenance } from "./api.js";
import { findFile, showHelp } from "./dialogs.js";
import { el, plainText, show } from "./dom.js";
import { drawHeader, drawNavigation, startHeader } from "./header.js";
import { keyGroups, listenForKeys } from "./keys.js";
import { addProvenance, clearProvenance, copyPermalink } from "./provenance.js";
import { address, go, here, sameView } from "./route.js";
import { failure, loading, nothing } from "./states.js";
import { drawCompare } from "./view_compare.js";
import { drawFile } from "./view_file.js";
import { drawGraph } from "./view_graph.js";
import { drawMemory } from "./view_memory.js";
import { drawPack } from "./view_pack.js";
import { drawRepositories } from "./view_repositories.js";
import { drawSearch } from "./view_search.js";
import { drawTraces } from "./view_traces.js";

/** Each view: its name in addresses, its letter after `g`, its title, whether it asks a repository, what draws it. */
const VIEWS = [
  { name: "search", letter: "s", title: "Search", ofRepository: true, draw: drawSearch },
  { name: "file", letter: "f", title: "Files", ofRepository: true, draw: drawFile },
  { name: "graph", letter: "g", title: "Graph", ofRepository: true, draw: drawGraph },
  { name: "compare", letter: "c", title: "Compare", ofRepository: true, draw: drawCompare },
  { name: "memory", letter: "m", title: "Memory", ofRepository: true, draw: drawMemory },
  { name: "pack", letter: "p", title: "Pack", ofRepository: true, draw: drawPack },
  { name: "agents", letter: "a", title: "Agents", ofRepository: false, draw: drawTraces },
  { name: "repositories", letter: "r", title: "Repositories", ofRepository: false, draw: drawRepositories },
];

/** Views of one file: going from one to another keeps the file. */
const VIEWS_OF_FILES = ["file", "graph"];

const main = document.getElementById("main");
let viewKeys = {};
let stopView = new AbortController();

const currentView = () => VIEWS.find(({ name }) => name === here().view);
const setTitle = (title) => (document.title = `${plainText(title)} \u00b7 icr`);

/** Draws the view of the address. A view gets `{main, route, signal, setTitle}` and gives what its keys do. */
async function draw() {
  stopView.abort();
  stopView = new AbortController();
  const { signal } = stopView;
  const view = currentView();
  viewKeys = {};
  clearProvenance(Boolean(view?.ofRepository));
  drawNavigation(VIEWS, view?.name);
  main.className = view?.name ?? "unknown";
  if (!view) return drawUnknownView();
  setTitle(view.title);
  try {
    const repositories = await loadRepositories(signal);
    if (signal.aborted) return;
    if (view.ofRepository) requireRepository(repositories);
    const keys = await view.draw({ main, route: here(), signal, setTitle });
    if (!signal.aborted) viewKeys = keys ?? {};
  } catch (error) {
    if (signal.aborted || error.name === "AbortError") return;
    if (!(error instanceof ApiError)) console.error(error);
    show(main, el("h1", { tabindex: "-1" }, view.title), failure(error, draw));
  }
}

function drawUnknownView() {
  const way = el("a", { href: address("search") }, "Search");
  show(main, el("h1", { tabindex: "-1" }, "No such view"), nothing("This address does not belong to any view.", way));
}

/** The server's own repository, which may have no index yet: the first question makes it. */
let own;

/** The registered repositories; an address without one gets the server's own, else the first. */
async function loadRepositories(signal) {
  const { repositories, current } = await askKept("repos", { repo: "", rev: "" });
  if (signal.aborted) return repositories;
  own = current;
  const first = current ?? repositories[0]?.repo_id;
  if (!here().get("repo") && first) history.replaceState(history.state, "", sameView({ repo: first }));
  drawHeader(repositories);
  drawNavigation(VIEWS, here().view);
  return repositories;
}

function requireRepository(repositories) {
  const id = here().get("repo");
  const failureOf = (message, hint) => new ApiError(404, "UNKNOWN_REPOSITORY", message, [hint]);
  if (!id) throw failureOf("No repository is registered yet.", "Register one by its path, or run `icr index` in it.");
  if (id === own || repositories.some((one) => one.repo_id === id)) return;
  throw failureOf(`The repository ${id} is not registered any more.`, "It was removed, or its store was deleted.");
}

function openView(letter) {
  const view = VIEWS.find((one) => one.letter === letter);
  if (!view) return false;
  const keepsFile = VIEWS_OF_FILES.includes(view.name) && VIEWS_OF_FILES.includes(here().view);
  go(view.name, keepsFile ? { path: here().get("path") } : {});
  return true;
}

function goToSearchBox() {
  const box = document.getElementById("query");
  if (!box) return go("search");
  box.focus();
  box.select();
}

async function help() {
  const { version } = await ask("health", { repo: "", rev: "" }).catch(() => ({ version: "" }));
  showHelp(keyGroups(VIEWS), version);
}

const PAGE_KEYS = { "/": goToSearchBox, t: () => findFile(), y: copyPermalink, "?": help };

let isFirstView = true;

async function navigate() {
  const drawn = draw();
  if (!isFirstView) await drawn;
  const isFocusLost = !document.activeElement || document.activeElement === document.body;
  if (!isFirstView && isFocusLost) (main.querySelector("h1[tabindex]") ?? main).focus({ preventScroll: true });
  isFirstView = false;
}

onProvenance(addProvenance);
startHeader(() => (currentView()?.ofRepository ? here().view : "search"));
listenForKeys((key) => viewKeys[key] ?? PAGE_KEYS[key], openView);
document.getElementById("help").addEventListener("click", help);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", navigate);
show(main, loading("Asking the service\u2026"));
navigate();
