//! Whether two written types are one type.

use super::spellings::with_short_spellings;
use crate::symbols::language::{ContractRules, FunctionTypeNames};

/// Most tokens of one type, with every name of a group in its place. A longer type is compared as it is written.
const MAX_TOKENS: usize = 10_000;

/// Words of Go that begin a type and are followed by a blank.
const GO_TYPE_WORDS: [&str; 5] = ["chan", "func", "interface", "map", "struct"];

/// Whether two types are the same as far as their texts tell: in one of several spellings of the language, a path into the standard library may be written from any of
/// its segments on, and the names of parameters inside function types mean nothing. Linear, except for groups of names.
pub(super) fn is_same_type(row: &ContractRules, old: &str, new: &str) -> bool {
    old == new || TypeTokens::of(row, old).is_same(&TypeTokens::of(row, new))
}

/// The tokens of a type that say which type it is.
#[derive(Debug)]
pub(super) struct TypeTokens<'a> {
    tokens: Vec<TypeToken<'a>>,
    separators: &'static [&'static str],
    library_roots: &'static [&'static str],
}

/// A path, a string or a sign.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeToken<'a> {
    pub(super) text: &'a str,
    /// Whether white space is before it.
    pub(super) spaced: bool,
}

impl<'a> TypeTokens<'a> {
    pub(super) fn of(row: &ContractRules, ty: &'a str) -> Self {
        let separators = row.path_separators;
        let written = tokens(ty, separators, !row.signs.ticks);
        let mut named = NameRemover { names: row.function_type_names, tokens: Vec::with_capacity(written.len()) };
        let tokens = with_short_spellings(row, if named.add_type(&written, true) { named.tokens } else { written });
        Self { tokens, separators, library_roots: row.library_roots }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut pairs = self.tokens.iter().zip(&other.tokens);
        self.tokens.len() == other.tokens.len()
            && pairs.all(|(one, two)| {
                let (short, long) = if one.text.len() < two.text.len() { (one, two) } else { (two, one) };
                short.text == long.text || self.is_end_of_library_path(short.text, long.text)
            })
    }

    /// Whether `short` is the last segments of `long`, a path into the standard library.
    fn is_end_of_library_path(&self, short: &str, long: &str) -> bool {
        let before = long.strip_suffix(short).filter(|_| short.starts_with(is_name_start));
        before.is_some_and(|before| {
            let root = self
                .separators
                .iter()
                .filter_map(|separator| before.split(separator).next())
                .min_by_key(|root| root.len());
            self.separators.iter().any(|separator| before.ends_with(separator))
                && root.is_some_and(|root| self.library_roots.contains(&root))
        })
    }
}

/// The paths that a type names, with the bytes at which they begin: names that no separator ties to what is before them.
/// Names of parameters inside function types are none.
pub(super) fn paths<'a>(row: &ContractRules, ty: &'a str) -> Vec<(usize, &'a str)> {
    // A name of Go is one of its package, which the separator does not change.
    let separators: &[&str] = if row.path_separators.is_empty() { &["."] } else { row.path_separators };
    let declares = row.function_type_names == FunctionTypeNames::BeforeColon;
    let place = |token: TypeToken<'a>| (token.text.as_ptr() as usize - ty.as_ptr() as usize, token.text);
    let is_path = |(at, text): &(usize, &str)| {
        let (before, behind) = (&ty[..*at], ty[at + text.len()..].trim_start());
        let behind = behind.strip_prefix('?').unwrap_or(behind);
        let is_tied = separators.iter().any(|separator| before.ends_with(separator)) && !before.ends_with("...");
        let is_declared = declares && behind.starts_with(':') && !behind.starts_with("::");
        text.starts_with(is_name_start) && !is_tied && !is_declared && !before.ends_with('\'')
    };
    tokens(ty, separators, !row.signs.ticks).into_iter().map(place).filter(is_path).collect()
}

fn is_name_start(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '$')
}

fn is_name(character: char) -> bool {
    is_name_start(character) || character.is_ascii_digit()
}

/// The tokens of `ty`; names that one of `separators` joins are one token, without a separator at its start. `'` begins a
/// string if `single_quotes` is set.
fn tokens<'a>(ty: &'a str, separators: &[&str], single_quotes: bool) -> Vec<TypeToken<'a>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut spaced = false;
    while let Some(character) = ty[at..].chars().next() {
        let rest = &ty[at..];
        if character.is_whitespace() {
            (at, spaced) = (at + character.len_utf8(), true);
            continue;
        }
        let separator = separators.iter().find(|separator| rest.starts_with(**separator)).map_or(0, |it| it.len());
        let start = if rest[separator..].starts_with(is_name_start) { separator } else { 0 };
        let length = match character {
            '"' => string_length(rest),
            '\'' if single_quotes => string_length(rest),
            _ if rest[start..].starts_with(is_name) => start + path_length(&rest[start..], separators),
            '-' | '=' if rest[1..].starts_with('>') => 2,
            _ => character.len_utf8(),
        };
        tokens.push(TypeToken { text: &rest[start..length], spaced });
        (at, spaced) = (at + length, false);
    }
    tokens
}

/// Length of the string at the start of `rest`; 1 for a sign that begins none.
fn string_length(rest: &str) -> usize {
    let quote = &rest[..1];
    rest[1..].find(quote).map_or(1, |end| end + 2)
}

/// Length of the names at the start of `rest` and the separators that join them.
fn path_length(rest: &str, separators: &[&str]) -> usize {
    let mut length = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
    loop {
        let behind = &rest[length..];
        let mut joined = separators.iter().filter_map(|separator| behind.strip_prefix(separator));
        let Some(next) = joined.find(|next| next.starts_with(is_name_start)) else { return length };
        let name = next.find(|character| !is_name(character)).unwrap_or(next.len());
        length = rest.len() - next.len() + name;
    }
}

/// Copies the tokens of types without the names of parameters inside function types.
struct NameRemover<'a> {
    names: FunctionTypeNames,
    tokens: Vec<TypeToken<'a>>,
}

impl<'a> NameRemover<'a> {
    /// Adds the tokens of a type; `is_whole` for one that is no part of another. Returns `false` if there are too many.
    fn add_type(&mut self, written: &[TypeToken<'a>], is_whole: bool) -> bool {
        let mut at = 0;
        // The results of a definition of Go are a type for themselves; those of a function type follow its parameters.
        let mut results = Some(0).filter(|_| is_whole);
        while at < written.len() {
            if self.tokens.len() >= MAX_TOKENS {
                return false;
            }
            let rest = &written[at..];
            let before = at.checked_sub(1).map(|before| written[before].text);
            let is_list = rest[0].text == "("
                && match self.names {
                    FunctionTypeNames::None => false,
                    FunctionTypeNames::BeforeColon => {
                        let behind = rest.get(group_length(rest)).map(|token| token.text);
                        before == Some("fn") || matches!(behind, Some("->" | "=>"))
                    }
                    FunctionTypeNames::BeforeType => before == Some("func") || results == Some(at),
                };
            let is_any = self.names == FunctionTypeNames::BeforeType && texts(rest).take(3).eq(["interface", "{", "}"]);
            if is_list {
                let length = group_length(rest);
                if !self.add_list(&rest[1..length.max(2) - 1]) {
                    return false;
                }
                at += length;
                results = Some(at).filter(|_| before == Some("func"));
            } else {
                self.tokens.push(if is_any { TypeToken { text: "any", ..rest[0] } } else { rest[0] });
                at += if is_any { 3 } else { 1 };
            }
        }
        true
    }

    /// Adds a list in brackets: `list` is what is between them.
    fn add_list(&mut self, list: &[TypeToken<'a>]) -> bool {
        let parts = parts(list, self.names == FunctionTypeNames::BeforeColon);
        let types: Vec<(&[TypeToken<'a>], &[TypeToken<'a>])> = match self.names {
            FunctionTypeNames::BeforeType if parts.iter().any(|part| is_named(part)) => {
                let mut ty: &[TypeToken<'a>] = &[];
                let mut types: Vec<_> = parts
                    .iter()
                    .rev()
                    .map(|part| {
                        // A name alone has the type of the next.
                        ty = if is_named(part) { &part[1..] } else { ty };
                        (&part[..0], ty)
                    })
                    .collect();
                types.reverse();
                types
            }
            FunctionTypeNames::BeforeColon => parts.iter().map(|part| without_name(part)).collect(),
            _ => parts.iter().map(|part| (&part[..0], *part)).collect(),
        };
        let sign = |text: &'static str| TypeToken { text, spaced: false };
        self.tokens.push(sign("("));
        for (marks, ty) in types {
            self.tokens.extend(marks);
            if !self.add_type(ty, false) {
                return false;
            }
            self.tokens.push(sign(","));
        }
        self.tokens.push(sign(")"));
        true
    }
}

fn texts<'t>(tokens: &'t [TypeToken<'_>]) -> impl Iterator<Item = &'t str> {
    tokens.iter().map(|token| token.text)
}

/// Whether a parameter of Go has a name and a type: all in its list do, or none.
fn is_named(part: &[TypeToken<'_>]) -> bool {
    let [name, ty, ..] = part else { return false };
    let is_variadic = || texts(&part[1..]).take(3).eq([".", ".", "."]);
    (ty.spaced || is_variadic()) && name.text.chars().all(is_name) && !GO_TYPE_WORDS.contains(&name.text)
}

/// A parameter `name: type` as the signs around its name and its type. The receiver keeps its name.
fn without_name<'t, 'a>(part: &'t [TypeToken<'a>]) -> (&'t [TypeToken<'a>], &'t [TypeToken<'a>]) {
    let is_part_of_name = |token: &TypeToken<'_>| token.text.chars().all(is_name) && token.text != "this";
    let spread = part.iter().take_while(|token| token.text == ".").count();
    let name = part[spread..].iter().take_while(|token| is_part_of_name(token)).count();
    let behind = spread + name;
    let optional = usize::from(part.get(behind).is_some_and(|token| token.text == "?"));
    match part.get(behind + optional) {
        Some(colon) if name > 0 && colon.text == ":" => {
            let marks = if spread > 0 { &part[..spread] } else { &part[behind..behind + optional] };
            (marks, &part[behind + optional + 1..])
        }
        _ => (&part[..0], part),
    }
}

/// How many tokens the bracket at the start of `tokens` and what it holds are; all if it stays open.
fn group_length(tokens: &[TypeToken<'_>]) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// The parts of a list between its commas. If `has_angles` is set, `<` and `>` are brackets.
pub(super) fn parts<'t, 'a>(list: &'t [TypeToken<'a>], has_angles: bool) -> Vec<&'t [TypeToken<'a>]> {
    let (mut depth, mut start) = (0_i32, 0);
    let mut parts = Vec::new();
    for (index, token) in list.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "<" if has_angles => depth += 1,
            ">" if has_angles => depth -= 1,
            "," if depth == 0 => {
                parts.push(&list[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.extend(Some(&list[start..]).filter(|last| !last.is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::language::contract_rules;

    #[track_caller]
    fn check(language: &str, old: &str, new: &str, expected: bool) {
        let row = contract_rules(language);
        assert_eq!(is_same_type(row, old, new), expected, "{language}: {old} -> {new}");
        assert_eq!(is_same_type(row, new, old), expected, "{language}: {new} -> {old}");
    }

    #[test]
    fn a_path_may_be_written_from_any_segment_on() {
        check("rust", "Vec<std::ffi::OsString>", "Vec<OsString>", true);
        check("rust", "&'a mut ::std::fmt::Formatter<'_>", "&'a mut fmt::Formatter<'_>", true);
        check("cpp", "const std::vector<std::string> &", "const vector<string> &", true);
        check("csharp", "System.Collections.Generic.List<int>", "List<int>", true);
        check("java", "java.util.Map<String, java.util.List<X>>", "Map<String, List<X>>", true);
        check("kotlin", "kotlin.Int?", "Int?", true);
        check("python", "typing.Mapping[str, typing.Any]", "Mapping[str, Any]", true);
    }

    #[test]
    fn another_path_is_another_type() {
        check("rust", "a::X", "b::X", false);
        check("rust", "crate::a::X", "X", false);
        check("java", "List<a.b.X>", "List<X>", false);
        check("php", "\\App\\User", "User", false);
        check("python", "t.Mapping[str, int]", "Mapping[str, int]", false);
        check("typescript", "React.ReactNode[]", "ReactNode[]", false);
        check("rust", "a::X", "a::Y", false);
        check("rust", "MyVec<u8>", "Vec<u8>", false);
        check("rust", "Vec<a::X>", "a::X", false);
        check("rust", "[u8; 15]", "[u8; 5]", false);
        check("go", "http.Handler", "Handler", false);
        check("typescript", "\"a.b\"", "\"b\"", false);
        check("typescript", "1.5", "5", false);
        check("python", "tuple[int, ...]", "tuple[int]", false);
    }

    #[test]
    fn names_in_function_types_mean_nothing() {
        check("go", "func(next http.Handler) http.Handler", "func(http.Handler) http.Handler", true);
        check("go", "func(i, j int) bool", "func(int, int) bool", true);
        check("go", "func(a int, b ...string) (n int, err error)", "func(x int, y ...string) (int, error)", true);
        check("go", "map[string]func(f func(a [3]byte))", "map[string]func(func([3]byte))", true);
        check("go", "(n int, err error)", "(int, error)", true);
        check("go", "chan func(a chan int)", "chan func(chan int)", true);
        check("go", "func(in <-chan int, out chan<- http.Header)", "func(<-chan int, chan<- http.Header)", true);
        check("go", "func(a...int)", "func(...int)", true);
        check("rust", "Box<dyn Fn(u8)>", "Box<dyn Fn(u8)>", true);
        check("rust", "fn(a: u8) -> u8", "fn(u8) -> u8", true);
        check("typescript", "(a: A, b?: B) => C", "(x: A, y?: B) => C", true);
        check("typescript", "(...a: A[]) => C", "(...b: A[]) => C", true);
        check("kotlin", "(name: String) -> Unit", "(String) -> Unit", true);
        check("swift", "(_ a: Int) -> Void", "(Int) -> Void", true);
    }

    #[test]
    fn types_in_function_types_count() {
        check("go", "func(i, j int) bool", "func(i int) bool", false);
        check("go", "func(a Box[int])", "func(Box[string])", false);
        check("go", "func(http.Handler)", "func(http.HandlerFunc)", false);
        check("go", "struct{ a int }", "struct{ b int }", false);
        check("go", "func() (int, error)", "func(int, error)", false);
        check("rust", "fn(a: u8)", "fn(a: u16)", false);
        check("typescript", "(a: A, b?: B) => C", "(a: A, b: B) => C", false);
        check("typescript", "(this: A) => C", "(a: A) => C", false);
        check("typescript", "{ a: A }", "{ b: A }", false);
    }

    #[test]
    fn go_writes_any_in_two_ways() {
        check("go", "map[string]interface{}", "map[string]any", true);
        check("go", "func(v ...interface{})", "func(...any)", true);
        check("go", "interface{ A() }", "any", false);
    }

    #[test]
    fn groups_in_groups_end() {
        let nested = |name: &str| format!("{}int{}", format!("func({name}, b ").repeat(100), ")".repeat(100));
        check("go", &nested("a"), &nested("c"), false);
    }
}
