use super::*;

#[track_caller]
fn check_change(change: &SymbolChange, shape: &Shape, expected: &str) {
    assert_eq!(show(&contract_changes(change, shape, shape, None)), expected);
}

#[test]
fn what_is_gone_is_missed_unless_it_is_offered_on() {
    let removed = |kind| change(&[SymbolChangeKind::Removed], Some(definition("rust", kind, "A.f")), None);
    let none = Shape::default();
    check_change(&removed(SymbolKind::Method), &none, "removed: method `A.f` was removed\n");
    check_change(&removed(SymbolKind::Field), &none, "field_removed: field `A.f` was removed\n");
    check_change(&removed(SymbolKind::Variant), &none, "variant_removed: variant `A.f` was removed\n");
    check_change(&SymbolChange { same_address: true, ..removed(SymbolKind::Method) }, &none, "");
    check_change(&removed(SymbolKind::Section), &none, "");
}

#[test]
fn new_names_and_places() {
    let none = Shape::default();
    let (old, mut new) =
        (definition("python", SymbolKind::Function, "a"), definition("python", SymbolKind::Function, "b"));
    check_change(
        &change(&[SymbolChangeKind::Renamed], Some(old.clone()), Some(new.clone())),
        &none,
        "renamed: `a` is now `b`\n",
    );
    new = DefinitionSide { path: RepoPath::from("b"), ..old.clone() };
    let moved = change(&[SymbolChangeKind::Moved], Some(old.clone()), Some(new.clone()));
    check_change(&moved, &none, "moved: it moved from `a` to `b`\n");
    check_change(&SymbolChange { same_address: true, ..moved.clone() }, &none, "");
    let holder = Holder { kind: SymbolKind::Class, contract: None, existed: true, open: true };
    check_change(&SymbolChange { follows: true, holder: Some(holder), ..moved.clone() }, &none, "");
    check_change(&SymbolChange { follows: true, ..moved }, &none, "moved: it moved from `a` to `b`\n");
    let member = |name| Some(definition("python", SymbolKind::Method, name));
    let follower = SymbolChange {
        follows: true,
        holder: Some(holder),
        ..change(&[SymbolChangeKind::Renamed], member("A.m"), member("B.m"))
    };
    check_change(&follower, &none, "");
}

#[test]
fn visibility_and_kind() {
    let none = Shape::default();
    let reach = |reach| SymbolChange { reach: Some(reach), ..stays("java", SymbolKind::Function) };
    check_change(&reach(VisibilityChange::Reduced), &none, "visibility_reduced: fewer may use it than before\n");
    check_change(&reach(VisibilityChange::Widened), &none, "visibility_widened: more may use it than before\n");
    let builds = |reach| {
        let builds = BuildChange { reach, condition: "feature = \"x\"".to_owned() };
        SymbolChange { builds: Some(builds), ..stays("rust", SymbolKind::Function) }
    };
    let gated = "visibility_reduced: it is there only where `feature = \"x\"` now\n";
    check_change(&builds(VisibilityChange::Reduced), &none, gated);
    check_change(&builds(VisibilityChange::Widened), &none, "visibility_widened: more builds have it than before\n");
    let left = SymbolChange {
        builds: builds(VisibilityChange::Reduced).builds,
        ..change(&[SymbolChangeKind::Removed], Some(definition("rust", SymbolKind::Function, "f")), None)
    };
    check_change(&left, &none, "visibility_reduced: function `f` was removed where `feature = \"x\"`\n");
    let side = |kind| Some(definition("python", kind, "a"));
    let kind = change(&[SymbolChangeKind::Signature], side(SymbolKind::Function), side(SymbolKind::Class));
    check_change(&kind, &none, "kind_changed: it was a function and is a class\n");
    let kind = change(&[SymbolChangeKind::Signature], side(SymbolKind::Interface), side(SymbolKind::Type));
    check_change(&kind, &none, "kind_adjusted: it was an interface and is a type\n");
}

/// A definition that is new in a holder of the kind.
fn new_in(language: &str, holder: SymbolKind, contract: Option<Contract>, kind: SymbolKind) -> SymbolChange {
    let holder = Some(Holder { kind: holder, contract, existed: true, open: true });
    let new = DefinitionSide { has_body: false, ..definition(language, kind, "A.f") };
    SymbolChange { holder, ..change(&[SymbolChangeKind::Added], None, Some(new)) }
}

#[test]
fn one_more_variant_matters_where_all_are_listed() {
    let none = Shape::default();
    let new = |language| new_in(language, SymbolKind::Enum, None, SymbolKind::Variant);
    check_change(&new("rust"), &none, "variant_added_exhaustive: variant `A.f` was added\n");
    check_change(&new("haskell"), &none, "variant_added_unexpected: variant `A.f` was added\n");
    check_change(&new("python"), &none, "variant_added: variant `A.f` was added\n");
    let mut reserved = new("rust");
    reserved.holder = reserved.holder.map(|holder| Holder { open: false, ..holder });
    check_change(&reserved, &none, "variant_added: variant `A.f` was added\n");
}

#[test]
fn one_more_field_matters_where_all_are_given() {
    let none = Shape::default();
    let required = "field_required: field `A.f` was added\n";
    let added = "field_added: field `A.f` was added\n";
    let new = |language, kind| new_in(language, kind, None, SymbolKind::Field);
    check_change(&new("rust", SymbolKind::Struct), &none, required);
    check_change(&new("typescript", SymbolKind::Interface), &none, required);
    check_change(&new("go", SymbolKind::Struct), &none, added);
    check_change(&new("python", SymbolKind::Class), &none, added);
    let filled = new_in("python", SymbolKind::Class, Some(Contract::Dataclass), SymbolKind::Field);
    check_change(&filled, &none, required);
    check_change(&filled, &shape("value 1"), added);
    let mut marked = new("typescript", SymbolKind::Interface);
    if let Some(new) = &mut marked.new {
        new.optional = true;
    }
    check_change(&marked, &none, added);
}

#[test]
fn one_more_member_matters_to_those_who_implement() {
    let none = Shape::default();
    let required = "member_required: method `A.f` was added\n";
    let new = |language, kind, contract| new_in(language, kind, contract, SymbolKind::Method);
    check_change(&new("rust", SymbolKind::Trait, None), &none, required);
    check_change(&new("python", SymbolKind::Class, Some(Contract::Protocol)), &none, required);
    check_change(&new("java", SymbolKind::Class, Some(Contract::AbstractClass)), &none, required);
    check_change(&new("rust", SymbolKind::Struct, None), &none, "");
    let mut with_body = new("rust", SymbolKind::Trait, None);
    if let Some(new) = &mut with_body.new {
        new.has_body = true;
    }
    check_change(&with_body, &none, "");
    with_body.holder = with_body.holder.map(|holder| Holder { contract: Some(Contract::AbstractClass), ..holder });
    check_change(&with_body, &shape("modifiers abstractmethod"), required);
    let mut unknown = new("rust", SymbolKind::Trait, None);
    unknown.holder = unknown.holder.map(|holder| Holder { existed: false, ..holder });
    check_change(&unknown, &none, "");
}

#[test]
fn severity_is_that_of_the_worst_finding_or_of_the_change() {
    let of = |facets: &[SymbolChangeKind], classes: &[ContractChangeClass]| {
        let side = || Some(definition("python", SymbolKind::Function, "f"));
        let findings: Vec<_> =
            classes.iter().map(|class| ContractFinding { class: *class, detail: String::new() }).collect();
        severity(&change(facets, side(), side()), &findings)
    };
    assert_eq!(
        of(&[SymbolChangeKind::Signature], &[ContractChangeClass::PARAMETER_REMOVED, ContractChangeClass::BASE_ADDED]),
        Severity::Breaking
    );
    assert_eq!(
        of(&[SymbolChangeKind::Signature, SymbolChangeKind::Body], &[ContractChangeClass::PARAMETER_ADDED_OPTIONAL]),
        Severity::Behaviour
    );
    assert_eq!(of(&[SymbolChangeKind::Signature], &[]), Severity::None);
    assert_eq!(of(&[SymbolChangeKind::Added], &[]), Severity::Additive);
    assert_eq!(of(&[SymbolChangeKind::Doc], &[]), Severity::None);
}
