//! What changed between two lists of parameters.

use icr_model::{Parameter, ParameterKind};

use super::type_tokens::is_same_type;
use super::types::{Relation, relation};
use super::{ContractChangeClass, Findings};
use crate::symbols::language::{ContractRules, Naming, Types};

/// Largest table of pairs that is filled, in cells. Longer lists are generated and are paired in order.
const MAX_CELLS: usize = 10_000;

/// Compares two lists of parameters. Receivers are compared with each other. All other parameters are paired by name;
/// those whose name is on one side only, by their position among the others and their type.
pub(super) fn compare(row: &ContractRules, old: &[Parameter], new: &[Parameter], findings: &mut Findings) {
    receivers(row, old, new, findings);
    let pairs = Pairs::of(row, old, new);
    for (place, parameter) in pairs.old.iter().enumerate() {
        match pairs.of_old[place] {
            Some(other) => pair(row, parameter, pairs.new[other], findings),
            None => check_removed_parameter(row, parameter, &pairs.new, findings),
        }
    }
    for (place, parameter) in pairs.new.iter().enumerate().filter(|(place, _)| pairs.of_new[*place].is_none()) {
        check_added_parameter(parameter, pairs.new.get(place + 1), findings);
    }
    check_moved_parameters(&pairs, findings);
}

/// The parameters of both sides without receivers, and which is which.
struct Pairs<'a> {
    old: Vec<&'a Parameter>,
    new: Vec<&'a Parameter>,
    of_old: Vec<Option<usize>>,
    of_new: Vec<Option<usize>>,
}

impl<'a> Pairs<'a> {
    fn of(row: &ContractRules, old: &'a [Parameter], new: &'a [Parameter]) -> Self {
        let given = |list: &'a [Parameter]| -> Vec<&'a Parameter> {
            list.iter().filter(|parameter| parameter.kind != ParameterKind::Receiver).collect()
        };
        let (old, new) = (given(old), given(new));
        let (of_old, of_new) = (vec![None; old.len()], vec![None; new.len()]);
        let mut pairs = Self { old, new, of_old, of_new };
        pairs.by_name();
        pairs.by_place(row);
        pairs
    }

    fn link(&mut self, old: usize, new: usize) {
        self.of_old[old] = Some(new);
        self.of_new[new] = Some(old);
    }

    fn by_name(&mut self) {
        for old in 0..self.old.len() {
            let name = &self.old[old].name;
            let same = |new: &usize| self.of_new[*new].is_none() && self.new[*new].name == *name;
            if !is_nameless(name)
                && let Some(new) = (0..self.new.len()).find(same)
            {
                self.link(old, new);
            }
        }
        // A list of all others is the same list under any name.
        for kind in [ParameterKind::Variadic, ParameterKind::KeywordVariadic] {
            let old = (0..self.old.len()).find(|old| self.of_old[*old].is_none() && self.old[*old].kind == kind);
            let new = (0..self.new.len()).find(|new| self.of_new[*new].is_none() && self.new[*new].kind == kind);
            if let (Some(old), Some(new)) = (old, new) {
                self.link(old, new);
            }
        }
    }

    /// Pairs free parameters between the same paired neighbours: first those with the same type, in order. Then, if
    /// callers cannot use names, all that are left, if both sides have equally many.
    fn by_place(&mut self, row: &ContractRules) {
        let (before_old, before_new) = (self.neighbours_of_old(), self.neighbours_of_new());
        let mut gaps = before_old.clone();
        gaps.sort_unstable();
        gaps.dedup();
        for gap in gaps {
            let free = |neighbours: &[Option<usize>], of: &[Option<usize>]| -> Vec<usize> {
                (0..of.len()).filter(|place| of[*place].is_none() && neighbours[*place] == gap).collect()
            };
            let (mut olds, mut news) = (free(&before_old, &self.of_old), free(&before_new, &self.of_new));
            let alike =
                common(olds.len(), news.len(), |old, new| is_alike(row, self.old[olds[old]], self.new[news[new]]));
            for (old, new) in alike {
                self.link(olds[old], news[new]);
            }
            olds.retain(|old| self.of_old[*old].is_none());
            news.retain(|new| self.of_new[*new].is_none());
            for (old, new) in olds.iter().zip(&news).filter(|_| olds.len() == news.len()) {
                let (was, is) = (self.old[*old], self.new[*new]);
                let unnamed = row.naming == Naming::Never || is_nameless(&was.name) && is_nameless(&is.name);
                if unnamed && was.kind == is.kind {
                    self.link(*old, *new);
                }
            }
        }
    }

    /// For each old parameter the nearest before it that has a pair.
    fn neighbours_of_old(&self) -> Vec<Option<usize>> {
        let mut last = None;
        let place = |old: usize| {
            last = if self.of_old[old].is_some() { Some(old) } else { last };
            last
        };
        (0..self.old.len()).map(place).collect()
    }

    /// The same for each new one, by the place of the pair before the change.
    fn neighbours_of_new(&self) -> Vec<Option<usize>> {
        let mut last = None;
        let place = |new: usize| {
            last = self.of_new[new].or(last);
            last
        };
        (0..self.new.len()).map(place).collect()
    }
}

fn is_nameless(name: &str) -> bool {
    name.is_empty() || name == "_"
}

/// Whether two parameters of different names may be one that was renamed.
fn is_alike(row: &ContractRules, old: &Parameter, new: &Parameter) -> bool {
    let same_type = match (&old.ty, &new.ty) {
        (Some(old), Some(new)) => is_same_type(row, old, new),
        (old, new) => old == new,
    };
    old.kind == new.kind && same_type && is_nameless(&old.name) == is_nameless(&new.name)
}

/// A longest common subsequence of `0..rows` and `0..columns` under `equal`, as pairs in order.
fn common(rows: usize, columns: usize, equal: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    if rows * columns > MAX_CELLS {
        return (0..rows.min(columns)).filter(|place| equal(*place, *place)).map(|place| (place, place)).collect();
    }
    let mut lengths = vec![vec![0_usize; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let without = lengths[row + 1][column].max(lengths[row][column + 1]);
            let with = if equal(row, column) { lengths[row + 1][column + 1] + 1 } else { 0 };
            lengths[row][column] = without.max(with);
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < rows && column < columns {
        if equal(row, column) && lengths[row][column] == lengths[row + 1][column + 1] + 1 {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[row + 1][column] >= lengths[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// The ways in which callers can give an argument, one bit each.
fn ways(row: &ContractRules, kind: ParameterKind) -> u8 {
    const PLACE: u8 = 1;
    const NAME: u8 = 2;
    const MANY_PLACES: u8 = 4;
    const MANY_NAMES: u8 = 8;
    match kind {
        ParameterKind::Ordinary if row.naming == Naming::Every => PLACE | NAME,
        ParameterKind::Ordinary | ParameterKind::PositionalOnly => PLACE,
        ParameterKind::KeywordOnly => NAME,
        ParameterKind::Variadic => PLACE | MANY_PLACES,
        ParameterKind::KeywordVariadic => NAME | MANY_NAMES,
        ParameterKind::Receiver => 0,
    }
}

fn is_list(kind: ParameterKind) -> bool {
    matches!(kind, ParameterKind::Variadic | ParameterKind::KeywordVariadic)
}

/// Whether callers can write the name.
fn is_named(row: &ContractRules, kind: ParameterKind) -> bool {
    match kind {
        ParameterKind::Ordinary => row.naming == Naming::Every,
        ParameterKind::KeywordOnly => row.naming != Naming::Never,
        _ => false,
    }
}

fn pair(row: &ContractRules, old: &Parameter, new: &Parameter, findings: &mut Findings) {
    let name = title(new);
    if old.name != new.name {
        let is_pattern = |name: &str| name.starts_with(['{', '[', '(']);
        if is_named(row, old.kind) && !is_nameless(&old.name) {
            findings.add(
                ContractChangeClass::PARAMETER_RENAMED,
                format!("parameter {} was renamed to {}", title(old), name),
            );
        } else if is_pattern(&old.name) && is_pattern(&new.name) {
            findings.add(
                ContractChangeClass::PARAMETER_REANNOTATED,
                format!("parameter {} is taken apart as {}", title(old), name),
            );
        }
    }
    let (before, after) = (ways(row, old.kind), ways(row, new.kind));
    if before & !after != 0 {
        let (was, is) = (way(row, old.kind), way(row, new.kind));
        findings.add(
            ContractChangeClass::PARAMETER_KIND_CHANGED,
            format!("parameter {name} was given {was} and is given {is}"),
        );
    } else if before != after {
        findings.add(
            ContractChangeClass::PARAMETER_KIND_WIDENED,
            format!("parameter {name} can be given {}", way(row, new.kind)),
        );
    }
    if !is_list(old.kind) && !is_list(new.kind) {
        defaults(old, new, findings);
    }
    types(row, old, new, findings);
}

fn defaults(old: &Parameter, new: &Parameter, findings: &mut Findings) {
    let name = title(new);
    match (old.optional, new.optional) {
        (true, false) => match &old.default {
            Some(default) => findings.add(
                ContractChangeClass::PARAMETER_MADE_REQUIRED,
                format!("parameter {name} lost its default `{}`", clipped(default)),
            ),
            None => {
                findings.add(ContractChangeClass::PARAMETER_MADE_REQUIRED, format!("parameter {name} is required now"))
            }
        },
        (false, true) => match &new.default {
            Some(default) => findings.add(
                ContractChangeClass::PARAMETER_MADE_OPTIONAL,
                format!("parameter {name} has the default `{}` now", clipped(default)),
            ),
            None => findings
                .add(ContractChangeClass::PARAMETER_MADE_OPTIONAL, format!("parameter {name} may be left out now")),
        },
        _ if old.default != new.default => {
            let text = |parameter: &Parameter| match &parameter.default {
                Some(default) => format!("`{}`", clipped(default)),
                None => "none".to_owned(),
            };
            let (was, is) = (text(old), text(new));
            findings.add(
                ContractChangeClass::PARAMETER_DEFAULT_CHANGED,
                format!("default of parameter {name} changed from {was} to {is}"),
            );
        }
        _ => {}
    }
}

fn types(row: &ContractRules, old: &Parameter, new: &Parameter, findings: &mut Findings) {
    let name = title(new);
    let differing = if row.types == Types::Unchecked {
        ContractChangeClass::PARAMETER_REANNOTATED
    } else {
        ContractChangeClass::PARAMETER_RETYPED
    };
    match (&old.ty, &new.ty) {
        (Some(was), Some(is)) if is_same_type(row, was, is) => {}
        (Some(was), Some(is)) => {
            let class = match relation(row, was, is) {
                Relation::Widened => ContractChangeClass::PARAMETER_WIDENED,
                Relation::Same => ContractChangeClass::TYPE_WRITTEN,
                Relation::Narrowed | Relation::Other => differing,
            };
            let detail = format!("type of parameter {name} changed from `{}` to `{}`", clipped(was), clipped(is));
            findings.add(class, detail);
        }
        (None, Some(is)) => {
            let class = if row.types == Types::Unchecked {
                ContractChangeClass::TYPE_WRITTEN
            } else {
                ContractChangeClass::PARAMETER_REANNOTATED
            };
            findings.add(class, format!("parameter {name} has the type `{}` now", clipped(is)));
        }
        (Some(was), None) => {
            let detail = format!("parameter {name} no longer has the type `{}`", clipped(was));
            findings.add(ContractChangeClass::PARAMETER_WIDENED, detail);
        }
        _ => {}
    }
}

fn check_removed_parameter(row: &ContractRules, parameter: &Parameter, new: &[&Parameter], findings: &mut Findings) {
    let lists = new.iter().filter(|parameter| is_list(parameter.kind));
    let taken = lists.fold(0, |taken, list| taken | ways(row, list.kind));
    if ways(row, parameter.kind) & !taken == 0 {
        let detail =
            format!("parameter {} was removed; what is given for it is taken with all others", title(parameter));
        findings.add(ContractChangeClass::PARAMETER_ABSORBED, detail);
    } else {
        findings.add(ContractChangeClass::PARAMETER_REMOVED, format!("parameter {} was removed", title(parameter)));
    }
}

fn check_added_parameter(parameter: &Parameter, next: Option<&&Parameter>, findings: &mut Findings) {
    let name = title(parameter);
    let before = next.map(|next| format!(", before {}", title(next))).unwrap_or_default();
    if is_list(parameter.kind) {
        findings.add(
            ContractChangeClass::PARAMETER_ADDED_OPTIONAL,
            format!("parameter {name} was added, which takes any number"),
        );
    } else if let Some(default) = &parameter.default {
        let detail = format!("parameter {name} was added with the default `{}`{before}", clipped(default));
        findings.add(ContractChangeClass::PARAMETER_ADDED_OPTIONAL, detail);
    } else if parameter.optional {
        findings
            .add(ContractChangeClass::PARAMETER_ADDED_OPTIONAL, format!("optional parameter {name} was added{before}"));
    } else {
        let detail = format!("parameter {name} was added without a default{before}");
        findings.add(ContractChangeClass::PARAMETER_ADDED_REQUIRED, detail);
    }
}

/// Reports parameters whose arguments now go to another parameter, because their order changed or an optional one was
/// inserted before them. Shifts by a required or removed parameter are reported with that parameter.
fn check_moved_parameters(pairs: &Pairs<'_>, findings: &mut Findings) {
    let has_place = |parameter: &Parameter| {
        matches!(parameter.kind, ParameterKind::Ordinary | ParameterKind::PositionalOnly | ParameterKind::Variadic)
    };
    let stays = |old: usize| pairs.of_old[old].filter(|new| has_place(pairs.old[old]) && has_place(pairs.new[*new]));
    let order: Vec<(usize, usize)> = (0..pairs.old.len()).filter_map(|old| Some((old, stays(old)?))).collect();
    let inserted = |before: usize| {
        let of_place = |new: &usize| pairs.of_new[*new].is_none() && has_place(pairs.new[*new]);
        (0..before).filter(of_place).filter(|new| pairs.new[*new].optional).count()
    };
    for (was, (_, new)) in order.iter().enumerate() {
        let is = order.iter().filter(|(_, other)| other < new).count() + inserted(*new);
        if was != is {
            let detail = format!("parameter {} moved from place {} to {}", title(pairs.new[*new]), was + 1, is + 1);
            findings.add(ContractChangeClass::PARAMETER_MOVED, detail);
        }
    }
}

fn receivers(row: &ContractRules, old: &[Parameter], new: &[Parameter], findings: &mut Findings) {
    // Decorators tell when a call does not pass it.
    if row.passes_receiver {
        return;
    }
    let find = |list: &[Parameter]| list.iter().find(|parameter| parameter.kind == ParameterKind::Receiver).cloned();
    // If the receiver has a type, its name does not matter to callers.
    let text = |receiver: &Parameter| receiver.ty.clone().unwrap_or_else(|| receiver.name.clone());
    match (find(old), find(new)) {
        (Some(was), Some(is)) if !is_same_type(row, &text(&was), &text(&is)) => {
            let detail = format!("receiver changed from `{}` to `{}`", text(&was), text(&is));
            findings.add(ContractChangeClass::RECEIVER_CHANGED, detail);
        }
        (Some(was), None) => {
            findings
                .add(ContractChangeClass::RECEIVER_CHANGED, format!("it no longer has the receiver `{}`", text(&was)));
        }
        (None, Some(is)) => {
            findings.add(ContractChangeClass::RECEIVER_CHANGED, format!("it has the receiver `{}` now", text(&is)));
        }
        _ => {}
    }
}

/// How an argument is given, in words.
fn way(row: &ContractRules, kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Ordinary if is_named(row, kind) => "by place or name",
        ParameterKind::Ordinary => "by place",
        ParameterKind::PositionalOnly => "by place only",
        ParameterKind::KeywordOnly => "by name only",
        ParameterKind::Variadic => "with all others by place",
        ParameterKind::KeywordVariadic => "with all others by name",
        ParameterKind::Receiver => "as the object at hand",
    }
}

/// A parameter as it is shown.
fn title(parameter: &Parameter) -> String {
    match (&parameter.ty, parameter.name.as_str()) {
        (Some(ty), "") => format!("of type `{}`", clipped(ty)),
        (None, "") => "without a name".to_owned(),
        (_, name) => format!("`{}`", clipped(name)),
    }
}

/// A text that may be long, such that a sentence with it can be read.
pub(super) fn clipped(text: &str) -> String {
    /// Longest text shown.
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}
