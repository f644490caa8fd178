//! Whether a language lets other code use a definition, by the rules of that language.

use icr_model::{Span, Symbol, SymbolKind, Visibility};

use super::language::{ContractRules, RestrictedVisibility, contract_rules};
use super::side::{is_container, parent_of};
use super::tokens::tokens;
use super::{FileSide, VisibilityChange};

/// Whether other code may use each entry of `side.facts.symbols`, by the rule of its language. The entry and all its
/// holders must be public, or protected if the language lets subclasses use it, or not hidden at all. Definitions local
/// to a function are never exported, nor is anything in Go's commands, `internal` directories and tests, nor are
/// sections and keys of documents.
///
/// What decides apart from the file is not known: whether the module that the file is can be reached, or whether a
/// package offers it on. Costs one pass over the symbols; in C++ also one over the tokens.
pub fn exported(side: &FileSide<'_>) -> Vec<bool> {
    let symbols = &side.facts.symbols;
    let row = contract_rules(&side.facts.language);
    if is_closed(side, row) {
        return vec![false; symbols.len()];
    }
    let hidden = if row.has_nameless_namespaces { nameless_namespaces(side, row) } else { Vec::new() };
    let own = |symbol: &Symbol| {
        is_visible(symbol, row, side.text) && !hidden.iter().any(|span: &Span| span.contains_offset(symbol.span.start))
    };
    let of_types = HiddenTypes::of(side, row, &own);
    let mut known: Vec<Option<bool>> = vec![None; symbols.len()];
    for index in 0..symbols.len() {
        resolve(index, symbols, &own, &of_types, &mut known);
    }
    known.into_iter().map(|known| known == Some(true)).collect()
}

/// How the visibility of a definition that stayed changed; `None` also where either side does not say.
pub(crate) fn reach(old: Visibility, new: Visibility) -> Option<VisibilityChange> {
    use Visibility::{Private, Public, Restricted, Unspecified};
    let rank = |visibility| match visibility {
        Private => Some(0),
        Restricted => Some(1),
        Public => Some(2),
        Unspecified => None,
    };
    match (old, new) {
        // The file lost its last export, or got its first one.
        (Public, Unspecified) => Some(VisibilityChange::Reduced),
        (Unspecified, Public) => Some(VisibilityChange::Widened),
        _ => match rank(old)?.cmp(&rank(new)?) {
            std::cmp::Ordering::Less => Some(VisibilityChange::Widened),
            std::cmp::Ordering::Greater => Some(VisibilityChange::Reduced),
            std::cmp::Ordering::Equal => None,
        },
    }
}

/// Fills in `known[index]`, and the entries of its holders.
fn resolve(
    index: usize,
    symbols: &[Symbol],
    own: &dyn Fn(&Symbol) -> bool,
    of_types: &HiddenTypes<'_>,
    known: &mut [Option<bool>],
) {
    // Goes inwards from the outermost unknown holder. Entries that damaged facts join into a cycle are not exported.
    let mut path = vec![index];
    while let Some(parent) = parent_of(symbols, &symbols[path[path.len() - 1]])
        && known[parent].is_none()
        && path.len() <= symbols.len()
    {
        path.push(parent);
    }
    for at in path.into_iter().rev() {
        let symbol = &symbols[at];
        let around = parent_of(symbols, symbol);
        let is_reached = around.is_none_or(|outer| {
            let is_local = !is_container(symbols[outer].kind) && symbols[outer].span.contains(symbol.span);
            !is_local && known[outer] == Some(true)
        });
        known[at] = Some(is_reached && own(symbol) && !of_types.hide(symbol));
    }
}

/// Whether the definition itself is there for others.
fn is_visible(symbol: &Symbol, row: &ContractRules, text: &[u8]) -> bool {
    if matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key) {
        return false;
    }
    match symbol.visibility {
        Visibility::Public | Visibility::Unspecified => true,
        Visibility::Private => false,
        Visibility::Restricted => match row.restricted {
            RestrictedVisibility::Hidden => false,
            RestrictedVisibility::Protected => true,
            RestrictedVisibility::WhenProtected => {
                let before = Span::new(symbol.span.start, symbol.name_start.max(symbol.span.start)).of(text);
                before.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').any(|word| word == b"protected")
            }
        },
    }
}

/// Whether nothing of the file can be imported, whatever it says.
fn is_closed(side: &FileSide<'_>, row: &ContractRules) -> bool {
    let is_internal = || side.path.as_bytes().split(|byte| *byte == b'/').any(|part| part == b"internal");
    let is_command = || side.facts.provides.iter().any(|package| package == "main");
    row.closes_packages && (is_internal() || is_command() || side.path.as_bytes().ends_with(b"_test.go"))
}

/// Types of a file that are not there for others: neither are blocks of members for them, and members written apart.
struct HiddenTypes<'a> {
    names: Vec<&'a str>,
    capitals: bool,
}

impl<'a> HiddenTypes<'a> {
    fn of(side: &FileSide<'a>, row: &ContractRules, own: &dyn Fn(&Symbol) -> bool) -> Self {
        use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type};
        let is_type = |kind| matches!(kind, Class | Enum | Interface | Struct | Trait | Type);
        let symbols = side.facts.symbols.iter();
        let mut names: Vec<_> =
            symbols.filter(|symbol| is_type(symbol.kind) && !own(symbol)).map(|symbol| symbol.name.as_str()).collect();
        names.sort_unstable();
        Self { names, capitals: row.exports_capitals }
    }

    fn hide(&self, symbol: &Symbol) -> bool {
        let of = if symbol.kind == SymbolKind::Implementation { Some(&symbol.name) } else { symbol.receiver.as_ref() };
        of.is_some_and(|of| {
            let in_lower_case = self.capitals && !of.starts_with(char::is_uppercase);
            in_lower_case || self.names.binary_search(&of.as_str()).is_ok()
        })
    }
}

/// The bodies of namespaces without a name, which are of their file only.
fn nameless_namespaces(side: &FileSide<'_>, row: &ContractRules) -> Vec<Span> {
    let tokens = tokens(side.text, row.signs);
    let is = |index: usize, word: &[u8]| tokens.get(index).is_some_and(|token| token.of(side.text) == word);
    let mut spans = Vec::new();
    // For each open bracket: where an unnamed namespace begins, if the bracket opens one.
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if is(index, b"{") {
            let is_nameless = index > 0 && is(index - 1, b"namespace");
            open.push(is_nameless.then_some(token.start));
        } else if is(index, b"}")
            && let Some(Some(start)) = open.pop()
        {
            spans.push(Span::new(start, token.end));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use icr_model::{Facts, LineSpan, RepoPath};

    use super::*;

    /// Whether each of `symbols` is exported, as a word of `+` and `-`. A symbol is its text, found in `text` in order, its
    /// name, its kind, what the facts say of it, and its parent.
    #[track_caller]
    fn check(
        language: &str,
        text: &str,
        symbols: &[(&str, &str, SymbolKind, Visibility, Option<u32>)],
        expected: &str,
    ) {
        check_in("a", &[], language, text, symbols, expected);
    }

    #[track_caller]
    fn check_in(
        path: &str,
        provides: &[&str],
        language: &str,
        text: &str,
        symbols: &[(&str, &str, SymbolKind, Visibility, Option<u32>)],
        expected: &str,
    ) {
        let symbol = |(code, name, kind, visibility, parent): &(&str, &str, SymbolKind, Visibility, Option<u32>)| {
            let start = text.find(code).expect("the text of a symbol is in the text");
            let span = Span::new(start as u32, (start + code.len()) as u32);
            let (receiver, name) =
                name.split_once('.').map_or((None, *name), |(receiver, name)| (Some(receiver), name));
            Symbol {
                name: name.to_owned(),
                kind: *kind,
                span,
                lines: LineSpan { start: 1, end: 1 },
                name_start: (start + code.find(name).expect("a symbol has its name")) as u32,
                signature: span,
                doc: None,
                parent: *parent,
                receiver: receiver.map(str::to_owned),
                path: None,
                bases: Vec::new(),
                contract: None,
                visibility: *visibility,
                signature_hash: 0,
                body_hash: 0,
            }
        };
        let facts = Facts {
            language: language.to_owned(),
            provides: provides.iter().map(|name| (*name).to_owned()).collect(),
            symbols: symbols.iter().map(symbol).collect(),
            ..Facts::default()
        };
        let path = RepoPath::from(path);
        let side = FileSide { path: &path, facts: &facts, text: text.as_bytes(), shapes: &[], token_digest: None };
        let word: String = exported(&side).into_iter().map(|exported| if exported { '+' } else { '-' }).collect();
        assert_eq!(word, expected);
    }

    use SymbolKind::{Class, Function, Implementation, Key, Method, Module, Section, Struct, Trait};
    use Visibility::{Private, Public, Restricted, Unspecified};

    #[test]
    fn rust_exports_what_is_public_all_the_way_out() {
        let text = "mod a { pub fn b() {} } pub mod c { pub fn d() {} pub(crate) fn e() {} }";
        check(
            "rust",
            text,
            &[
                ("mod a { pub fn b() {} }", "a", Module, Private, None),
                ("pub fn b() {}", "b", Function, Public, Some(0)),
                ("pub mod c { pub fn d() {} pub(crate) fn e() {} }", "c", Module, Public, None),
                ("pub fn d() {}", "d", Function, Public, Some(2)),
                ("pub(crate) fn e() {}", "e", Function, Restricted, Some(2)),
            ],
            "--++-",
        );
    }

    #[test]
    fn members_of_a_block_are_exported_with_its_type() {
        let text = "pub struct A; struct B; impl A { pub fn a() {} fn p() {} } impl B { pub fn b() {} } impl T for A { fn t() {} } impl C { pub fn c() {} }";
        check(
            "rust",
            text,
            &[
                ("pub struct A;", "A", Struct, Public, None),
                ("struct B;", "B", Struct, Private, None),
                ("impl A { pub fn a() {} fn p() {} }", "A", Implementation, Unspecified, None),
                ("pub fn a() {}", "a", Method, Public, Some(2)),
                ("fn p() {}", "p", Method, Private, Some(2)),
                ("impl B { pub fn b() {} }", "B", Implementation, Unspecified, None),
                ("pub fn b() {}", "b", Method, Public, Some(5)),
                ("impl T for A { fn t() {} }", "A", Implementation, Unspecified, None),
                ("fn t() {}", "t", Method, Unspecified, Some(7)),
                ("impl C { pub fn c() {} }", "C", Implementation, Unspecified, None),
                ("pub fn c() {}", "c", Method, Public, Some(9)),
            ],
            "+-++---++++",
        );
        check(
            "rust",
            "trait T { fn t(); }",
            &[("trait T { fn t(); }", "T", Trait, Private, None), ("fn t();", "t", Method, Private, Some(0))],
            "--",
        );
    }

    #[test]
    fn go_exports_capitals_of_packages_that_can_be_imported() {
        let text = "func A() {} func b() {} func (s *s) C() {} func (t *T) D() {}";
        let symbols = [
            ("func A() {}", "A", Function, Public, None),
            ("func b() {}", "b", Function, Restricted, None),
            ("func (s *s) C() {}", "s.C", Method, Public, None),
            ("func (t *T) D() {}", "T.D", Method, Public, None),
        ];
        check_in("a/a.go", &["a"], "go", text, &symbols, "+--+");
        check_in("a/a.go", &["main"], "go", text, &symbols, "----");
        check_in("internal/a/a.go", &["a"], "go", text, &symbols, "----");
        check_in("a/a_test.go", &["a"], "go", text, &symbols, "----");
    }

    #[test]
    fn python_hides_names_with_an_underscore_and_what_is_local() {
        let text = "class A: def m(): 1\n def _m(): 1\n def __init__(): 1\nclass _B: def n(): 1\ndef f(): def g(): 1";
        check(
            "python",
            text,
            &[
                ("class A: def m(): 1\n def _m(): 1\n def __init__(): 1", "A", Class, Public, None),
                ("def m(): 1", "m", Method, Public, Some(0)),
                ("def _m(): 1", "_m", Method, Private, Some(0)),
                ("def __init__(): 1", "__init__", Method, Public, Some(0)),
                ("class _B: def n(): 1", "_B", Class, Private, None),
                ("def n(): 1", "n", Method, Public, Some(4)),
                ("def f(): def g(): 1", "f", Function, Public, None),
                ("def g(): 1", "g", Function, Public, Some(6)),
            ],
            "++-+--+-",
        );
    }

    #[test]
    fn a_script_without_exports_hides_only_what_is_local() {
        let text = "function a() { function b() {} } class C { #d() {} e() {} }";
        check(
            "javascript",
            text,
            &[
                ("function a() { function b() {} }", "a", Function, Unspecified, None),
                ("function b() {}", "b", Function, Private, Some(0)),
                ("class C { #d() {} e() {} }", "C", Class, Unspecified, None),
                ("#d() {}", "#d", Method, Private, Some(2)),
                ("e() {}", "e", Method, Public, Some(2)),
            ],
            "+-+-+",
        );
    }

    #[test]
    fn a_member_written_apart_from_its_function_is_not_local() {
        check(
            "javascript",
            "function A() {} A.prototype.b = function () {}",
            &[
                ("function A() {}", "A", Function, Public, None),
                ("A.prototype.b = function () {}", "b", Method, Public, Some(0)),
            ],
            "++",
        );
    }

    #[test]
    fn heirs_are_others() {
        let members = |language: &str, expected: &str| {
            check(
                language,
                "class A { protected void b() {} void c() {} }",
                &[
                    ("class A { protected void b() {} void c() {} }", "A", Class, Public, None),
                    ("protected void b() {}", "b", Method, Restricted, Some(0)),
                    ("void c() {}", "c", Method, Restricted, Some(0)),
                ],
                expected,
            );
        };
        members("java", "++-");
        members("kotlin", "++-");
        members("csharp", "++-");
        members("scala", "++-");
        // What these restrict is protected.
        members("php", "+++");
        members("typescript", "+++");
        members("cpp", "+++");
        // These have no heirs elsewhere.
        members("swift", "+--");
        members("rust", "+--");
    }

    #[test]
    fn a_namespace_without_a_name_is_of_its_file() {
        check(
            "cpp",
            "namespace { void a() {} } void b() {} static void c() {}",
            &[
                ("void a() {}", "a", Function, Public, None),
                ("void b() {}", "b", Function, Public, None),
                ("static void c() {}", "c", Function, Private, None),
            ],
            "-+-",
        );
    }

    #[test]
    fn documents_export_nothing() {
        check("markdown", "# a", &[("# a", "a", Section, Unspecified, None)], "-");
        check("json", "a", &[("a", "a", Key, Unspecified, None)], "-");
    }

    #[test]
    fn parents_in_a_circle_are_not_exported() {
        let symbols = [("a", "a", Class, Public, Some(1)), ("b", "b", Class, Public, Some(0))];
        check("python", "a b", &symbols, "--");
        check("python", "a b", &[("a", "a", Class, Public, Some(9))], "+");
    }

    #[test]
    fn what_does_not_say_who_may_use_it_did_not_change_that() {
        assert_eq!(reach(Public, Private), Some(VisibilityChange::Reduced));
        assert_eq!(reach(Private, Restricted), Some(VisibilityChange::Widened));
        assert_eq!(reach(Public, Unspecified), Some(VisibilityChange::Reduced));
        assert_eq!(reach(Unspecified, Private), None);
        assert_eq!(reach(Public, Public), None);
    }
}
