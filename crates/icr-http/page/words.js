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
  weak: ["Weak", "nothing answers clearly; these are the nearest"],
  none: ["Nothing found that says this", "these are only nearest"],
};

/** What became of the code that a memory is about. */
export const PLACE_STATE = {
  same: ["unchanged", "good"],
  moved: ["moved, says the same", "good"],
  changed: ["changed since", "warn"],
  absent: ["gone from this revision", "bad"],
  unknown: ["cannot be told", "warn"],
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
  unknown: ["Not known: some code was not looked into", "warn"],
  cosmetic: ["Cosmetic: comments and layout only", "good"],
  clean: ["Clean: nobody else has to look", "good"],
  review: ["Review: other files depend on this", "warn"],
  may_break: ["May break users", "warn"],
  breaking: ["Breaking: a use no longer holds", "bad"],
};

const GAPS = {
  unindexed: (g) =>
    `${count(g.files, "file is", "files are")} not indexed yet; index the repository to complete this`,
  unsearched: (g) => `${count(g.files, "file was", "files were")} not searched: the time was over`,
  external_filter: (g) =>
    `${count(g.files, "changed file is", "changed files are")} shown as committed: icr runs no external filter`,
  missing_object: (g) => `${count(g.objects, "object is", "objects are")} not in this repository, or damaged there`,
  unreadable: (g) => `${count(g.files, "file")} could not be read`,
  oversize: (g) => `${count(g.files, "file is", "files are")} above the size limit and not read`,
  conflicted: (g) => `${count(g.files, "file is", "files are")} in conflict; the worktree's text was used`,
  unknown_changes: (g) => `what ${count(g.commits, "commit")} changed is not known`,
  shallow_history: () => "the clone is shallow: history is cut off",
  unreadable_manifest: (g) => `${g.path} cannot be read: ${g.reason}`,
  stopped_walk: (g) => `the walk stopped at step ${g.level}: ${g.followed} of its ${g.files} files were followed`,
  stopped_references: (g) =>
    g.names?.length
      ? `so many files mention ${g.names.slice(0, 3).join(", ")} that only importers were looked at`
      : "not every changed definition was followed",
  uncalibrated: () => "warnings use the usual threshold, not one worked out for this repository",
  no_vectors: () => "nothing was looked for by meaning: vectors are switched off",
  no_model: (g) => `the model ${g.model} cannot run, the built-in one answers: ${g.reason}`,
  not_embedded: (g) => `${g.model} has not read ${g.chunks} of the ${g.looked_at} chunks looked at`,
  approximate: () => "nearest by meaning is approximate and may miss some",
  no_transcripts: () => "there are no transcripts to search",
  transcripts_off: () => "transcripts are switched off in the configuration",
  unread_transcripts: (g) => `${count(g.sessions, "session file")} of agents not read to the end`,
  unknown_records: (g) => `${count(g.records, "record")} of transcripts left out`,
  no_words: () => "the question has no word to look for",
  only_stop_words: () => "the question has only words of grammar",
  cut_question: (g) => `the question is long: only its first ${g.bytes} bytes were searched`,
  read_only_store: () => "the store cannot be written, so the next question does the same work again",
  masked: (g) => `${count(g.credentials, "credential is", "credentials are")} masked`,
};

/** What an answer lacks, as a sentence without its full stop. */
export function gapWords(gap) {
  return GAPS[gap.gap]?.(gap) ?? String(gap.gap ?? gap).replaceAll("_", " ");
}
