//! One type in other words: `Array<T>` and `T[]`, `unsigned int` and `unsigned`, `io::Result<T>` and `Result<T, io::Error>`.

use super::type_tokens::{TypeToken, parts};
use crate::symbols::language::ContractRules;

/// Most generic types inside each other that are written in another way; what is deeper stays as it is.
const DEPTH_MOST: usize = 50;

/// Words of C that make an integer type together, in any order.
const INTEGER_WORDS: [&str; 5] = ["unsigned", "signed", "short", "long", "int"];

/// Words and signs of TypeScript that bind less than a suffix.
const LOOSE: [&str; 9] = ["|", "&", "=>", "?", "keyof", "typeof", "readonly", "infer", "new"];

/// In which words a language writes one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spellings {
    /// Names with the word for the same type.
    pub(crate) names: &'static [(&'static str, &'static str)],
    /// Generic types with the signs for the same type.
    pub(crate) generics: &'static [(&'static str, GenericSpelling)],
    /// Whether integer types have several words, of which some may be left out.
    pub(crate) has_integer_words: bool,
    /// Names of the standard library for a `Result` with a certain error, and that error.
    pub(crate) results: &'static [(&'static str, &'static str)],
    /// Whether bounds joined by `+` may have any order, and `'_` stands for what may be left out.
    pub(crate) has_bounds: bool,
}

/// How else a generic type is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GenericSpelling {
    /// With a word before its argument, if there is one, and signs behind it.
    Behind(Option<&'static str>, &'static [&'static str]),
    /// In brackets, with a colon between its arguments.
    InBrackets,
    /// With `|` between its arguments, and the word behind a last one, if there is a word.
    Joined(Option<&'static str>),
}

impl Spellings {
    /// One word for each type.
    pub(crate) const NONE: Self =
        Self { names: &[], generics: &[], has_integer_words: false, results: &[], has_bounds: false };
    pub(crate) const C: Self = Self { has_integer_words: true, ..Self::NONE };
    #[rustfmt::skip]
    pub(crate) const CSHARP: Self = Self {
        names: &[
            ("Boolean", "bool"), ("Byte", "byte"), ("Char", "char"), ("Decimal", "decimal"), ("Double", "double"),
            ("Int16", "short"), ("Int32", "int"), ("Int64", "long"), ("Object", "object"), ("SByte", "sbyte"),
            ("Single", "float"), ("String", "string"), ("UInt16", "ushort"), ("UInt32", "uint"), ("UInt64", "ulong"),
        ],
        generics: &[("Nullable", GenericSpelling::Behind(None, &["?"]))],
        ..Self::NONE
    };
    pub(crate) const GO: Self = Self { names: &[("byte", "uint8"), ("rune", "int32")], ..Self::NONE };
    pub(crate) const PYTHON: Self = Self {
        names: &[
            ("Dict", "dict"),
            ("FrozenSet", "frozenset"),
            ("List", "list"),
            ("Set", "set"),
            ("Tuple", "tuple"),
            ("Type", "type"),
        ],
        generics: &[("Optional", GenericSpelling::Joined(Some("None"))), ("Union", GenericSpelling::Joined(None))],
        ..Self::NONE
    };
    pub(crate) const RUST: Self =
        Self { results: &[("fmt::Result", "fmt::Error"), ("io::Result", "io::Error")], has_bounds: true, ..Self::NONE };
    pub(crate) const SWIFT: Self = Self {
        generics: &[
            ("Array", GenericSpelling::InBrackets),
            ("Dictionary", GenericSpelling::InBrackets),
            ("Optional", GenericSpelling::Behind(None, &["?"])),
        ],
        ..Self::NONE
    };
    pub(crate) const TYPESCRIPT: Self = Self {
        generics: &[
            ("Array", GenericSpelling::Behind(None, &["[", "]"])),
            ("ReadonlyArray", GenericSpelling::Behind(Some("readonly"), &["[", "]"])),
        ],
        ..Self::NONE
    };
}

/// The tokens of a type, with the shorter of several spellings everywhere.
pub(super) fn with_short_spellings<'a>(row: &ContractRules, tokens: Vec<TypeToken<'a>>) -> Vec<TypeToken<'a>> {
    if row.spellings == Spellings::NONE {
        return tokens;
    }
    // The type of a result may stand behind the parameters.
    let is_behind = row.spellings.has_integer_words && texts(&tokens).take(2).eq(["auto", "->"]);
    let tokens = if is_behind { tokens[2..].to_vec() } else { tokens };
    let mut written = Vec::with_capacity(tokens.len());
    write(row, &tokens, 0, &mut written);
    if row.spellings.has_bounds {
        written = with_sorted_bounds(&without_anonymous_lifetimes(&written), 0);
    }
    if row.spellings.has_integer_words { with_few_integer_words(&written) } else { written }
}

fn write<'a>(row: &ContractRules, tokens: &[TypeToken<'a>], depth: usize, written: &mut Vec<TypeToken<'a>>) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let name = library_name(row, token.text);
        let generic = row.spellings.generics.iter().find(|(generic, _)| *generic == name);
        let length = generic.filter(|_| depth < DEPTH_MOST).and_then(|_| arguments_length(&tokens[at + 1..]));
        if let (Some((_, spelling)), Some(length)) = (generic, length) {
            let mut arguments = Vec::with_capacity(length);
            write(row, &tokens[at + 2..at + length], depth + 1, &mut arguments);
            spelling.write(&arguments, written);
            at += 1 + length;
            continue;
        }
        if let Some(error) = error_of_result(row, token.text) {
            let length = arguments_length(&tokens[at + 1..]).filter(|_| depth < DEPTH_MOST);
            let mut argument = Vec::new();
            match length {
                Some(length) => write(row, &tokens[at + 2..at + length], depth + 1, &mut argument),
                None => argument.extend(["(", ")"].map(sign)),
            }
            written.extend(["Result", "<"].map(sign));
            written.extend(argument);
            written.extend([",", error, ">"].map(sign));
            at += 1 + length.unwrap_or_default();
            continue;
        }
        let word = row.spellings.names.iter().find(|(long, _)| *long == name).map(|(_, word)| *word);
        written.push(word.map_or(*token, |text| TypeToken { text, ..*token }));
        at += 1;
    }
}

impl GenericSpelling {
    fn write<'a>(self, arguments: &[TypeToken<'a>], written: &mut Vec<TypeToken<'a>>) {
        match self {
            Self::Behind(word, signs) => {
                let is_loose = arguments.iter().any(|token| LOOSE.contains(&token.text));
                written.extend(word.map(sign));
                written.extend(is_loose.then(|| sign("(")));
                written.extend(arguments);
                written.extend(is_loose.then(|| sign(")")));
                written.extend(signs.iter().map(|text| sign(text)));
            }
            Self::InBrackets => {
                written.push(sign("["));
                for (number, argument) in parts(arguments, true).into_iter().enumerate() {
                    written.extend((number > 0).then(|| sign(":")));
                    written.extend(argument);
                }
                written.push(sign("]"));
            }
            Self::Joined(last) => {
                for (number, argument) in parts(arguments, true).into_iter().enumerate() {
                    written.extend((number > 0).then(|| sign("|")));
                    written.extend(argument);
                }
                written.extend(last.into_iter().flat_map(|last| [sign("|"), sign(last)]));
            }
        }
    }
}

fn sign<'a>(text: &'static str) -> TypeToken<'a> {
    TypeToken { text, spaced: false }
}

/// The error of a `Result` that `path` is another name of.
pub(super) fn error_of_result(row: &ContractRules, path: &str) -> Option<&'static str> {
    let path = row
        .path_separators
        .iter()
        .find_map(|separator| path.split_once(separator).filter(|(root, _)| row.library_roots.contains(root)))
        .map_or(path, |(_, rest)| rest);
    row.spellings.results.iter().find(|(name, _)| *name == path).map(|(_, error)| *error)
}

/// The tokens without `'_` where leaving it out says the same: behind `&`, and among the arguments of a type.
fn without_anonymous_lifetimes<'a>(tokens: &[TypeToken<'a>]) -> Vec<TypeToken<'a>> {
    let text = |at: usize| tokens.get(at).map(|token| token.text);
    let mut written: Vec<TypeToken<'a>> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let before = written.last().map(|token| token.text);
        let is_anonymous = text(at) == Some("'") && text(at + 1) == Some("_");
        if !is_anonymous || !matches!(before, Some("&" | "<" | ",")) {
            written.push(tokens[at]);
            at += 1;
            continue;
        }
        at += 2;
        match (before, text(at)) {
            (Some("<" | ","), Some(",")) => at += 1,
            (Some("<"), Some(">")) => {
                written.pop();
                at += 1;
            }
            (Some(","), Some(">")) => drop(written.pop()),
            _ => {}
        }
    }
    written
}

/// The tokens with each list of bounds in one order: `dyn A + B`, `T: A + B`.
fn with_sorted_bounds<'a>(tokens: &[TypeToken<'a>], depth: usize) -> Vec<TypeToken<'a>> {
    let mut written = Vec::with_capacity(tokens.len());
    let mut part = BoundList::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let length = bracket_length(&tokens[at..]).filter(|_| depth < DEPTH_MOST);
        match (token.text, length) {
            (_, Some(length)) => {
                let last = part.last();
                last.push(*token);
                last.extend(with_sorted_bounds(&tokens[at + 1..at + length - 1], depth + 1));
                last.push(tokens[at + length - 1]);
                at += length;
                continue;
            }
            (",", None) => {
                part.write(&mut written);
                written.push(*token);
            }
            ("+", None) => part.bounds.push(Vec::new()),
            ("dyn" | "impl" | ":", None) if part.bounds.is_empty() => {
                part.head.push(*token);
                part.head_end = part.head.len();
            }
            _ => part.last().push(*token),
        }
        at += 1;
    }
    part.write(&mut written);
    written
}

/// What stands between two commas: some tokens, and behind them bounds.
#[derive(Default)]
struct BoundList<'a> {
    /// The tokens up to the first `+`.
    head: Vec<TypeToken<'a>>,
    /// Where in `head` the first bound begins.
    head_end: usize,
    /// The bounds behind each `+`.
    bounds: Vec<Vec<TypeToken<'a>>>,
}

impl<'a> BoundList<'a> {
    fn last(&mut self) -> &mut Vec<TypeToken<'a>> {
        self.bounds.last_mut().unwrap_or(&mut self.head)
    }

    /// Adds it to `written`, and begins anew.
    fn write(&mut self, written: &mut Vec<TypeToken<'a>>) {
        let Self { mut head, head_end, mut bounds } = std::mem::take(self);
        if !bounds.is_empty() {
            bounds.push(head.split_off(head_end));
            bounds.sort_by(|one, other| texts(one).cmp(texts(other)));
        }
        written.append(&mut head);
        for (number, bound) in bounds.into_iter().enumerate() {
            written.extend((number > 0).then(|| sign("+")));
            written.extend(bound);
        }
    }
}

fn texts<'t>(tokens: &'t [TypeToken<'_>]) -> impl Iterator<Item = &'t str> {
    tokens.iter().map(|token| token.text)
}

/// How many tokens the bracket at the start of `tokens` and what it holds are; `None` where there is none, or it stays open.
fn bracket_length(tokens: &[TypeToken<'_>]) -> Option<usize> {
    tokens.first().filter(|first| matches!(first.text, "<" | "[" | "(" | "{"))?;
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "<" | "[" | "(" | "{" => depth += 1,
            ">" | "]" | ")" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// A name without the path into a standard library before it; other paths as they are.
fn library_name<'a>(row: &ContractRules, path: &'a str) -> &'a str {
    let separated = row.path_separators.iter().find_map(|separator| {
        let (root, _) = path.split_once(separator)?;
        row.library_roots.contains(&root).then(|| path.rsplit(separator).next())?
    });
    separated.unwrap_or(path)
}

/// How many tokens the arguments in angle or square brackets at the start of `tokens` are, with the brackets; `None` where
/// there are none, or they stay open.
fn arguments_length(tokens: &[TypeToken<'_>]) -> Option<usize> {
    tokens.first().filter(|first| matches!(first.text, "<" | "["))?;
    bracket_length(tokens).filter(|length| *length > 2)
}

/// The tokens with each run of integer words in one order, without those that are understood.
fn with_few_integer_words<'a>(tokens: &[TypeToken<'a>]) -> Vec<TypeToken<'a>> {
    let is_integer = |token: &TypeToken<'_>| INTEGER_WORDS.contains(&token.text);
    let mut written = Vec::with_capacity(tokens.len());
    let mut read = 0;
    for run in tokens.chunk_by(|one, next| is_integer(one) == is_integer(next)) {
        read += run.len();
        if !is_integer(&run[0]) {
            written.extend(run);
            continue;
        }
        let is_char = tokens.get(read).is_some_and(|next| next.text == "char");
        let has_size = run.iter().any(|token| matches!(token.text, "unsigned" | "short" | "long"));
        let is_understood = |word: &str| match word {
            "int" => has_size,
            "signed" => !is_char,
            _ => false,
        };
        let before = written.len();
        let words = INTEGER_WORDS.iter().flat_map(|word| run.iter().filter(move |token| token.text == *word));
        written.extend(words.filter(|token| !is_understood(token.text)));
        if written.len() == before {
            written.push(TypeToken { text: "int", spaced: false });
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::super::type_tokens::is_same_type;
    use crate::symbols::language::contract_rules;

    #[track_caller]
    fn check(language: &str, old: &str, new: &str, expected: bool) {
        let row = contract_rules(language);
        assert_eq!(is_same_type(row, old, new), expected, "{language}: {old} -> {new}");
        assert_eq!(is_same_type(row, new, old), expected, "{language}: {new} -> {old}");
    }

    #[test]
    fn one_type_has_several_spellings() {
        check("typescript", "number[]", "Array<number>", true);
        check("typescript", "readonly T[]", "ReadonlyArray<T>", true);
        check("tsx", "Map<string, (A | B)[]>", "Map<string, Array<A | B>>", true);
        check("typescript", "T[][] | null", "Array<Array<T>> | null", true);
        check("c", "unsigned int *", "unsigned *", true);
        check("cpp", "const long int &", "const long &", true);
        check("c", "short int", "short", true);
        check("c", "unsigned long long int", "long long unsigned", true);
        check("c", "signed", "int", true);
        check("cpp", "auto -> std::vector<int>", "vector<int>", true);
        check("csharp", "int?", "Nullable<int>", true);
        check("csharp", "List<Int32>", "List<int>", true);
        check("csharp", "System.String", "string", true);
        check("go", "[]byte", "[]uint8", true);
        check("go", "map[rune]string", "map[int32]string", true);
        check("swift", "[T]?", "Optional<Array<T>>", true);
        check("swift", "[String: [Int]]", "Dictionary<String, Array<Int>>", true);
        check("python", "Optional[X]", "X | None", true);
        check("python", "typing.List[int]", "list[int]", true);
        check("python", "Dict[str, Union[a, b]]", "dict[str, a | b]", true);
    }

    #[test]
    fn results_bounds_and_lifetimes_of_rust_have_several_spellings() {
        check("rust", "io::Result<()>", "Result<(), std::io::Error>", true);
        check("rust", "std::io::Result<Vec<u8>>", "std::result::Result<Vec<u8>, io::Error>", true);
        check("rust", "fmt::Result", "Result<(), fmt::Error>", true);
        check("rust", "Option<io::Result<io::Result<u8>>>", "Option<Result<Result<u8, io::Error>, io::Error>>", true);
        check("rust", "Box<dyn Error + Send + Sync>", "Box<dyn Error + Sync + Send>", true);
        check("rust", "T: Clone + 'static", "T: 'static + Clone", true);
        check("rust", "impl Fn(u8) -> Vec<u8> + Send", "impl Send + Fn(u8) -> Vec<u8>", true);
        check("rust", "&mut fmt::Formatter<'_>", "&mut fmt::Formatter", true);
        check("rust", "Cow<'_, str>", "Cow<str>", true);
        check("rust", "&'_ str", "&str", true);
        check("rust", "io::Result<u8>", "Result<u8, fmt::Error>", false);
        check("rust", "own::Result<u8>", "Result<u8, own::Error>", false);
        check("rust", "Box<dyn Error + Send>", "Box<dyn Error + Sync>", false);
        check("rust", "Box<dyn A + '_>", "Box<dyn A>", false);
        check("rust", "(u8,)", "(u8)", false);
        check("rust", "(A, B + C)", "(B, A + C)", false);
    }

    #[test]
    fn other_types_stay_others() {
        check("typescript", "number[]", "Array<string>", false);
        check("typescript", "readonly T[]", "T[]", false);
        check("typescript", "A | B[]", "Array<A | B>", false);
        check("c", "unsigned int", "int", false);
        check("c", "signed char", "char", false);
        check("c", "long", "long long", false);
        check("cpp", "auto", "int", false);
        check("go", "[]byte", "[]int8", false);
        check("csharp", "int?", "int", false);
        check("csharp", "My.String", "string", false);
        check("java", "String", "string", false);
        check("swift", "[T]", "Set<T>", false);
        check("python", "Optional[X]", "X", false);
        check("python", "list[int]", "set[int]", false);
        check("python", "my.List[int]", "list[int]", false);
    }

    #[test]
    fn generic_types_in_each_other_end() {
        let nested = |name: &str| format!("{}{name}{}", "Array<".repeat(500), ">".repeat(500));
        check("typescript", &nested("a"), &nested("b"), false);
    }
}
