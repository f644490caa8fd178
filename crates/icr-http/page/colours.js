// A small tokenizer: comments, strings, numbers and keywords of common languages, told by a file's name.

const KEYWORDS = new Set(
  `
  abstract and as assert async await base begin bool boolean break byte case catch chan char class const constexpr
  continue def default defer del delete do double elif else elsif elseif end enum ensure except export extends
  extern false final finally float fn for foreach from func function go goto if impl implements import in include
  inline int interface internal is lambda let long loop map match mod module move mut namespace new nil None
  nonlocal not null operator or override package pass private protected pub public raise range readonly record ref
  rescue return self Self short signed sizeof static str String struct super switch template then this throw
  throws trait True False true try type typedef typename typeof undefined union unless unsafe unsigned until use
  using val var virtual void volatile when where while with yield
  `.split(/\s+/),
);

const SLASH_COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;
const HASH_COMMENTS = /#[^\n]*/;
const DASH_COMMENTS = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;

const STRINGS = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/;
const TEMPLATE_STRINGS = new RegExp(`${STRINGS.source}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\``);
const PYTHON_STRINGS = new RegExp(`"""[\\s\\S]*?(?:"""|$)|\'\'\'[\\s\\S]*?(?:\'\'\'|$)|${STRINGS.source}`);

/** A single quote begins a lifetime in Rust unless it encloses one character. */
const RUST_STRINGS = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[^\n]{1,8}|[^\\'\n])'/;

const WORDS_AND_NUMBERS = /(?<word>[A-Za-z_$][\w$]*)|(?<num>\b\d[\w.]*)/;

/** Comments, strings, and the endings of names, or whole names, of the files that have them. */
const LANGUAGES = [
  [SLASH_COMMENTS, TEMPLATE_STRINGS, "js mjs cjs jsx ts tsx mts go"],
  [SLASH_COMMENTS, STRINGS, "java kt kts c h cc cpp cxx hpp hh cs swift scala php dart proto groovy gradle css scss"],
  [SLASH_COMMENTS, STRINGS, "less json jsonc zig"],
  [SLASH_COMMENTS, RUST_STRINGS, "rs"],
  [HASH_COMMENTS, PYTHON_STRINGS, "py pyi toml ex exs jl"],
  [HASH_COMMENTS, STRINGS, "rb sh bash zsh yaml yml pl pm r tcl cmake mk makefile dockerfile nix ini cfg conf"],
  [DASH_COMMENTS, STRINGS, "sql lua hs elm adb"],
];

const PATTERNS = new Map(
  LANGUAGES.flatMap(([comments, strings, endings]) => {
    const source = `(?<com>${comments.source})|(?<str>${strings.source})|${WORDS_AND_NUMBERS.source}`;
    const pattern = new RegExp(source, "g");
    return endings.split(/\s+/).map((ending) => [ending, pattern]);
  }),
);

/** Longest text that is coloured, in UTF-16 units; above it colour costs more than it helps. */
const COLOURED_MOST = 600_000;

/** Longest line that is coloured; longer ones are generated. */
const LINE_MOST = 2000;

/** Lines of `text`, each as parts `[kind, text]`; kinds are `com`, `str`, `num`, `key`, and empty for the rest. */
export function colouredLines(text, path) {
  const pattern = PATTERNS.get(languageOf(path));
  if (!pattern || text.length > COLOURED_MOST) return text.split("\n").map((line) => [["", line]]);
  const lines = [[]];
  const add = (kind, part) =>
    part.split("\n").forEach((piece, index) => {
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1).push([kind, piece]);
    });
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = kindOf(match.groups);
    if (kind === "") continue;
    add("", text.slice(from, match.index));
    add(kind, match[0]);
    from = match.index + match[0].length;
  }
  add("", text.slice(from));
  return lines;
}

/** The parts of one line that stands alone, so that nothing is known of what is open before it. */
export function colouredLine(line, path) {
  return line.length > LINE_MOST ? [["", line]] : colouredLines(line, path)[0];
}

const languageOf = (path) => (/\.(\w+)$/.exec(path)?.[1] ?? path.slice(path.lastIndexOf("/") + 1)).toLowerCase();

function kindOf({ com, str, num, word }) {
  if (com !== undefined) return "com";
  if (str !== undefined) return "str";
  if (num !== undefined) return "num";
  return KEYWORDS.has(word) ? "key" : "";
}
