// Questions to the service. Every answer's provenance is told to whoever listens; every failure is an `ApiError`.

import { here } from "./route.js";

/** A failure in words: `code` as the service names it, `message`, `hints`. */
export class ApiError extends Error {
  constructor(status, code, message, hints = []) {
    super(message);
    Object.assign(this, { status, code, hints });
  }
}

const SESSION_OVER = new ApiError(401, "SESSION_OVER", "The session of this page has ended.", [
  "`icr serve --http --link` prints a new link to this page.",
]);

let provenanceListener = () => {};

/** `listener` gets the provenance of each answer, and the revision that was asked; empty for the worktree. */
export function onProvenance(listener) {
  provenanceListener = listener;
}

/** The answer to `GET /api/{path}`, asked of the repository and revision of the address unless `query` names others. */
export async function ask(path, query = {}, signal) {
  const answer = await request("GET", path, query, undefined, signal);
  tellProvenance(answer, query);
  return answer;
}

function tellProvenance({ provenance }, query) {
  if (provenance) provenanceListener(provenance, query.rev ?? here().get("rev"));
}

/** Sends a change: POST, PUT or DELETE, with a JSON body if there is one. */
export function change(method, path, body, query = {}) {
  return request(method, path, query, body).finally(forgetKept);
}

const memory = new Map();

/** Milliseconds for which an answer that is asked for again and again, such as the list of files, is kept. */
const KEPT_MS = 20_000;

/** As `ask`, but the answer is kept for a while; not stopped when the view changes. */
export function askKept(path, query = {}) {
  const key = target(path, query);
  let kept = memory.get(key);
  if (!kept || Date.now() - kept.at >= KEPT_MS) {
    kept = { at: Date.now(), answer: request("GET", path, query) };
    memory.set(key, kept);
    kept.answer.catch(() => memory.delete(key));
  }
  // The page may be at another repository or revision when the answer comes.
  return kept.answer.then((answer) => {
    if (target(path, query) === key) tellProvenance(answer, query);
    return answer;
  });
}

/** Forgets kept answers, because the index changed. */
export function forgetKept() {
  memory.clear();
}

/** Server-sent events of `POST /api/{path}`, each as `{name, data}`. */
export async function* events(path, query, signal) {
  const response = await send("POST", path, query, undefined, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    text = (text + (value ?? "")).replaceAll("\r\n", "\n");
    const blocks = text.split("\n\n");
    text = done ? "" : blocks.pop();
    for (const block of blocks.filter(Boolean)) yield parseEvent(block);
    if (done) return;
  }
}

function parseEvent(block) {
  const field = (name) =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart());
  return { name: field("event")[0] ?? "message", data: JSON.parse(field("data").join("\n") || "null") };
}

async function request(method, path, query, body, signal) {
  const response = await send(method, path, query, body, signal);
  const text = await response.text();
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new ApiError(response.status, "NOT_JSON", "The answer of the service is not JSON.");
  }
}

async function send(method, path, query, body, signal) {
  const headers = method === "GET" ? {} : { "X-Icr": "1" };
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(target(path, query), {
      method,
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "NO_ANSWER", "The service does not answer.", [
      "Is `icr serve` still running? Start it again, and open the link that it prints.",
    ]);
  }
  if (response.status === 401) throw SESSION_OVER;
  if (!response.ok) throw await errorOf(response);
  return response;
}

async function errorOf(response) {
  const { error } = await response.json().catch(() => ({}));
  return new ApiError(
    response.status,
    error?.code ?? "UNKNOWN",
    error?.message ?? `The service answered ${response.status}.`,
    error?.hints,
  );
}

/** Questions that are about no repository, and those that are about one and no revision of it. */
const OF_NO_REPOSITORY = /^(health|link|memoirs|repos)(\/|$)/;
const OF_NO_REVISION = /^(diff|impact|index|memory|metrics|run|traces)(\/|$)/;

function target(path, query) {
  const now = here();
  const repo = OF_NO_REPOSITORY.test(path) ? "" : now.get("repo");
  const rev = OF_NO_REPOSITORY.test(path) || OF_NO_REVISION.test(path) ? "" : now.get("rev");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ repo, rev, ...query })) {
    if (value !== "" && value !== null && value !== undefined && value !== false) parameters.set(name, value);
  }
  return `/api/${path}?${parameters}`;
}
