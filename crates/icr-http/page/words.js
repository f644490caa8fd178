// Numbers, times, and the service's own terms in plain words.

/** `3 files`, `1 file`. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** A share in `0..=1` as a percentage. */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** Bytes with the unit that keeps the number short. */
export function bytes(number) {
  const unit = number < 1e3 ? [1, "bytes"] : number < 1e6 ? [1e3, "kB"] : number < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${(number / unit[0]).toLocaleString("en", { maximumFractionDigits: unit[0] > 1e3 ? 1 : 0 })} ${unit[1]}`;
}

/** Milliseconds as `12 ms` or `1.4 s`. */
export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** How long ago `ms` (since 1970) was. */
export function ago(ms) {
  const seconds = Math.max(0, (Date.now() - ms) / 1000);
  const steps = [
    [60, 1, "second"],
    [3600, 60, "minute"],
    [86_400, 3600, "hour"],
    [2_592_000, 86_400, "day"],
    [31_557_600, 2_592_000, "month"],
  ];
  const [, size, unit] = steps.find(([below]) => seconds < below) ?? [0, 31_557_600, "year"];
  return `${count(Math.max(1, Math.floor(seconds / size)), unit)} ago`;
}

/** A time as `2026-11-27 11:33`, in the reader's zone. */
export function at(ms) {
  const time = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return Number.isNaN(time.getTime()) ? "unknown" : time.toISOString().slice(0, 16).replace("T", " ");
}

/** The first letters of a commit id. */
export function short(commit) {
  return String(commit).slice(0, 8);
}

/** How good an answer is as a whole. */
export const STRENGTH = {
  strong: ["Strong", "the best results clearly answer the question"],
  weak: ["Weak", "no result clearly answers the question; these are the nearest"],
  none: ["Nothing found that answers this", "these are only the nearest"],
};

/** What became of the code that a memory is about. */
export const PLACE_STATE = {
  same: ["unchanged", "good"],
  moved: ["moved, otherwise unchanged", "good"],
  changed: ["changed since", "warn"],
  absent: ["gone from this revision", "bad"],
  unknown: ["state unknown", "warn"],
};

/** How a result was found. */
export const MATCH = {
  lexical: "by words",
  semantic: "by meaning",
  definition: "defines the name",
  grep: "line",
  commit: "commit",
  path: "by path",
  hybrid: "by words and meaning",
  mention: "named by its path",
};

/** The verdicts on a change, with the tone that each is shown in. */
export const VERDICT = {
  empty: ["Nothing changed", "plain"],
  unknown: ["Unknown: some changed code could not be analysed", "warn"],
  cosmetic: ["Cosmetic: only comments or layout changed", "good"],
  clean: ["Clean: there is nothing else to look at", "good"],
  review: ["Review: there is something else to look at", "warn"],
  may_break: ["May break: a contract changed, and not every use could be checked", "warn"],
  breaking: ["Breaking: code that uses the old definition was not changed and no longer works", "bad"],
};

const GAPS = {
  unindexed: (g) =>
    `${count(g.files, "file is", "files are")} not indexed yet; index the repository to complete this`,
  unsearched: (g) => `${count(g.files, "file was", "files were")} not searched: the time limit had passed`,
  external_filter: (g) =>
    `${count(g.files, "changed file is", "changed files are")} shown as committed: an external filter is configured, and icr runs none`,
  missing_object: (g) => `${count(g.objects, "object is", "objects are")} not in this repository, or damaged there`,
  unreadable: (g) => `${count(g.files, "file")} could not be read`,
  oversize: (g) => `${count(g.files, "file is", "files are")} above the size limit and not read`,
  conflicted: (g) => `${count(g.files, "file is", "files are")} in conflict; the text of the worktree was used`,
  unknown_changes: (g) =>
    `the changes of ${count(g.commits, "commit")} are not known: trees are missing from this repository (partial clone) or too large to compare`,
  shallow_history: () => "the clone is shallow: history is cut off",
  unreadable_manifest: (g) => `${g.path} cannot be read: ${g.reason}`,
  stopped_walk: (g) =>
    `following references was stopped at step ${g.level}: ${g.followed} of its ${g.files} files were followed`,
  stopped_references: (g) =>
    g.names?.length
      ? `many files mention ${g.names.slice(0, 3).join(", ")}; only files that import it were searched`
      : "not every changed definition was followed: there are too many",
  uncalibrated: () =>
    "warnings use the built-in threshold; icr index computes one for this repository (for an older commit, icr index --at COMMIT)",
  no_vectors: () => "search by meaning is switched off",
  no_model: (g) => `the model ${g.model} cannot run, the built-in one answers: ${g.reason}`,
  not_embedded: (g) =>
    `${g.model} has not embedded ${g.chunks} of the ${g.looked_at} searched chunks; icr index continues`,
  approximate: () => "the vector search was approximate, so it may have missed some files",
  no_transcripts: () => "there are no transcripts to search",
  transcripts_off: () => "transcripts are not searched: transcripts.enabled is false in your configuration",
  unread_transcripts: (g) =>
    `${count(g.sessions, "session file of agents was", "session files of agents were")} not read to the end`,
  unknown_records: (g) =>
    `${count(g.records, "record of transcripts was", "records of transcripts were")} left out: damaged, above 1 MiB or of an unknown shape`,
  no_words: () => "the query has no word to search for; use letters or digits",
  only_stop_words: () => 'the query has only words such as "the" and "is"; add one that says what you search for',
  cut_question: (g) => `the query is long: only its first ${g.bytes} bytes were searched`,
  read_only_store: () => "the store cannot be written, so the next question does the same work again",
  masked: (g) =>
    `${count(g.credentials, "credential is", "credentials are")} masked; security.mask_credentials = false in your own configuration shows them`,
};

/** What an answer lacks, as a sentence without its full stop. */
export function gapWords(gap) {
  return GAPS[gap.gap]?.(gap) ?? String(gap.gap ?? gap).replaceAll("_", " ");
}
