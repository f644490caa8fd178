mod parameters;
mod parts;
mod whole;

use icr_model::{Contract, LineSpan, Parameter, ParameterKind, RepoPath, Span, SymbolKind, Visibility};
use proptest::prelude::*;

use super::*;
use crate::symbols::{BuildChange, DefinitionSide, Holder};

/// A parameter from its text: `a`, `a: T`, `a = 1`, `a: T = 1`, `a?: T`; `/a` by place only, `=a` by name only, `*a` and
/// `**a` all others, `&a` the receiver; `:T` without a name.
fn parameter(text: &str) -> Parameter {
    let kinds = [
        ("**", ParameterKind::KeywordVariadic),
        ("*", ParameterKind::Variadic),
        ("/", ParameterKind::PositionalOnly),
        ("=", ParameterKind::KeywordOnly),
        ("&", ParameterKind::Receiver),
    ];
    let found = kinds.iter().find(|(sign, _)| text.starts_with(sign));
    let (sign, kind) = found.copied().unwrap_or(("", ParameterKind::Ordinary));
    let (rest, default) = text[sign.len()..]
        .split_once(" = ")
        .map_or((&text[sign.len()..], None), |(rest, default)| (rest, Some(default)));
    let (name, ty) = rest.split_once(':').map_or((rest, None), |(name, ty)| (name, Some(ty.trim())));
    let marked = name.ends_with('?');
    Parameter {
        name: name.trim_end_matches('?').to_owned(),
        ty: ty.map(str::to_owned),
        default: default.map(str::to_owned),
        kind,
        optional: marked || default.is_some() || sign.starts_with('*'),
    }
}

/// A shape from a text: `a; b -> R` are parameters and a result; and lines `bases A; B`, `type T`, `value 1`, `generic T; U`,
/// `modifiers async`.
fn shape(text: &str) -> Shape {
    let mut shape = Shape::default();
    let list = |rest: &str| rest.split("; ").filter(|one| !one.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    for line in text.split('\n') {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("bases", rest) => shape.bases = list(rest),
            ("type", rest) => shape.ty = Some(rest.to_owned()),
            ("value", rest) => shape.value = Some(rest.to_owned()),
            ("generic", rest) => shape.type_parameters = list(rest),
            ("modifiers", rest) => shape.modifiers = list(rest),
            _ => {
                let (parameters, returns) =
                    line.split_once("-> ").map_or((line, None), |(list, ty)| (list.trim(), Some(ty)));
                shape.parameters = list(parameters).iter().map(|text| parameter(text)).collect();
                shape.returns = returns.map(str::to_owned);
            }
        }
    }
    shape
}

fn definition(language: &str, kind: SymbolKind, name: &str) -> DefinitionSide {
    DefinitionSide {
        file: 0,
        symbol: 0,
        path: RepoPath::from("a"),
        language: language.to_owned(),
        name: name.rsplit('.').next().unwrap_or_default().to_owned(),
        qualified_name: name.to_owned(),
        kind,
        contract: None,
        span: Span::new(0, 1),
        lines: LineSpan { start: 1, end: 1 },
        visibility: Visibility::Public,
        exported: true,
        has_body: true,
        optional: false,
    }
}

fn change(facets: &[SymbolChangeKind], old: Option<DefinitionSide>, new: Option<DefinitionSide>) -> SymbolChange {
    SymbolChange {
        change: facets[0],
        facets: facets.to_vec(),
        old,
        new,
        follows: false,
        same_address: false,
        reach: None,
        builds: None,
        holder: None,
    }
}

/// A definition `f` whose signature changed.
fn stays(language: &str, kind: SymbolKind) -> SymbolChange {
    let side = || Some(definition(language, kind, "f"));
    change(&[SymbolChangeKind::Signature], side(), side())
}

/// One line for each finding: its class and what it says.
fn show(findings: &[ContractFinding]) -> String {
    findings.iter().map(|finding| format!("{}: {}\n", finding.class.name(), finding.detail)).collect()
}

/// Compares the shapes of a definition.
#[track_caller]
fn check_kind(language: &str, kind: SymbolKind, old: &str, new: &str, expected: &str) {
    let findings = contract_changes(&stays(language, kind), &shape(old), &shape(new), None);
    let expected: String = expected.lines().map(|line| format!("{line}\n")).collect();
    assert_eq!(show(&findings), expected, "{old} => {new}");
}

#[track_caller]
fn check(language: &str, old: &str, new: &str, expected: &str) {
    check_kind(language, SymbolKind::Function, old, new, expected);
}

/// Every class is found by some test above, so that a row without a rule is noticed.
#[test]
fn every_class_is_tested() {
    let tests = concat!(include_str!("parameters.rs"), include_str!("parts.rs"), include_str!("whole.rs"));
    // What a module exports is held against the imports of the view, by whoever has one.
    let of_definitions = ContractChangeClass::all()
        .filter(|class| *class != ContractChangeClass::EXPORT_REMOVED)
        .map(ContractChangeClass::name);
    let untested: Vec<_> = of_definitions.filter(|name| !tests.contains(&format!("{name}: "))).collect();
    assert_eq!(untested, [""; 0]);
}

fn any_parameters() -> impl Strategy<Value = Vec<Parameter>> {
    let texts = vec![
        "a",
        "a: int",
        "a = 1",
        "b",
        "b: str | None",
        "c = 2",
        "=d",
        "=d = 1",
        "*e",
        "**f",
        "/g",
        "&self",
        ":int",
        "{ h }",
        "_",
    ];
    prop::collection::vec(prop::sample::select(texts).prop_map(parameter), 0..6)
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let one = |texts: Vec<&'static str>| prop::option::of(prop::sample::select(texts).prop_map(str::to_owned));
    let many = |texts: Vec<&'static str>| {
        prop::sample::subsequence(texts.clone(), 0..=texts.len())
            .prop_map(|texts| texts.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let words = (
        many(vec!["A", "B<int>", "B<str>"]),
        many(vec!["T", "U: A"]),
        many(vec!["abstract", "async", "final", "other", "override"]),
    );
    let types = || one(vec!["int", "int | None", "Optional[int]", "str", "Option<u8>", "u8"]);
    (any_parameters(), types(), types(), one(vec!["1", "2"]), words).prop_map(
        |(parameters, returns, ty, value, (bases, type_parameters, modifiers))| Shape {
            parameters,
            returns,
            bases,
            ty,
            value,
            type_parameters,
            modifiers,
        },
    )
}

fn any_change() -> impl Strategy<Value = SymbolChange> {
    let languages = vec!["python", "rust", "go", "typescript", "kotlin", "ruby", "protobuf", "unknown"];
    let kinds = vec![
        SymbolKind::Function,
        SymbolKind::Class,
        SymbolKind::Field,
        SymbolKind::Variant,
        SymbolKind::Type,
        SymbolKind::Constant,
        SymbolKind::Trait,
    ];
    (prop::sample::select(languages), prop::sample::select(kinds))
        .prop_map(|(language, kind)| SymbolChange { facets: vec![SymbolChangeKind::Body], ..stays(language, kind) })
}

proptest! {
    #[test]
    fn a_shape_does_not_differ_from_itself(change in any_change(), shape in any_shape()) {
        prop_assert_eq!(contract_changes(&change, &shape, &shape, None), []);
    }

    #[test]
    fn both_directions_find_something_or_neither(change in any_change(), one in any_shape(), two in any_shape()) {
        let (there, back) = (contract_changes(&change, &one, &two, None), contract_changes(&change, &two, &one, None));
        prop_assert_eq!(there.is_empty(), back.is_empty(), "{} <> {}", show(&there), show(&back));
    }

    #[test]
    fn equal_questions_have_equal_answers(change in any_change(), one in any_shape(), two in any_shape()) {
        prop_assert_eq!(contract_changes(&change, &one, &two, None), contract_changes(&change, &one, &two, None));
    }
}
