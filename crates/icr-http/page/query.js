// The operators of the search box: `lang: path: mode: scope: rev:`, read from its text and completed while typing.

import { askKept } from "./api.js";
import { filePaths } from "./files.js";
import { revisions } from "./picker.js";

const MODES = {
  hybrid: "words and meaning",
  lexical: "words",
  semantic: "meaning",
  grep: "lines that contain the text",
};
const SCOPES = {
  repo: "files",
  diffs: "hunks of commits",
  contracts: "interfaces, types, schemas",
  transcript: "conversations with agents",
  all: "all of these",
};

const matching = (table) => async (text) =>
  Object.entries(table)
    .filter(([value]) => value.startsWith(text))
    .map(([value, detail]) => ({ value, detail }));

/** Each operator: the parameter of the service, what it means, and suggestions for its value. */
const OPERATORS = {
  "lang:": { parameter: "language", detail: "only files in this language", suggest: languages },
  "path:": { parameter: "path", detail: "only files below this path", suggest: folders },
  "mode:": { parameter: "mode", detail: "how to search", suggest: matching(MODES) },
  "scope:": { parameter: "scope", detail: "where to search", suggest: matching(SCOPES) },
  "rev:": { parameter: "rev", detail: "the revision to search", suggest: (text) => revisions(text) },
};

/** What the text of the search box asks for: `query` and the parameters that its operators name. */
export function parsedQuery(text) {
  const parameters = {};
  const words = text.split(/\s+/).filter((word) => {
    const operator = Object.keys(OPERATORS).find((name) => word.startsWith(name) && word.length > name.length);
    if (operator) parameters[OPERATORS[operator].parameter] = word.slice(operator.length);
    return !operator && !(word in OPERATORS);
  });
  return { ...parameters, query: words.join(" ") };
}

/** Suggestions for the word that the caret of `input` is in: an operator, or a value of one. */
export async function operatorSuggestions(input) {
  const word = wordAtCaret(input);
  if (word === "") return [];
  const operator = Object.keys(OPERATORS).find((name) => word.startsWith(name));
  if (operator) {
    const values = await OPERATORS[operator].suggest(word.slice(operator.length));
    return values
      .filter(({ value }) => operator + value !== word)
      .map((one) => ({ ...one, value: operator + one.value, label: operator + (one.label ?? one.value) }));
  }
  return Object.entries(OPERATORS)
    .filter(([name]) => word.length > 1 && name.startsWith(word))
    .map(([value, { detail }]) => ({ value, detail }));
}

/** Puts `value` in place of the word at the caret of `input`, with a space after it unless it is an operator. */
export function replaceWord(input, value) {
  const before = input.value.slice(0, input.selectionStart);
  const from = before.length - wordAtCaret(input).length;
  input.setRangeText(value + (value in OPERATORS ? "" : " "), from, before.length, "end");
}

const wordAtCaret = (input) => /\S*$/.exec(input.value.slice(0, input.selectionStart))[0];

async function languages(text) {
  const { languages: all } = await askKept("status");
  return all
    .filter(({ language }) => language.startsWith(text))
    .map(({ language, files }) => ({ value: language, detail: `${files} files` }));
}

async function folders(text) {
  const found = new Set();
  for (const path of await filePaths()) {
    if (!path.startsWith(text)) continue;
    const slash = path.indexOf("/", text.length);
    found.add(slash < 0 ? path : path.slice(0, slash + 1));
  }
  return [...found].map((value) => ({ value, detail: value.endsWith("/") ? "folder" : "file" }));
}
