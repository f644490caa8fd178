//! The answer as tables, for those who read or print the page without its drawing.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use icr_engine::Moment;
use icr_impact::report::{Bulk, bulks};
use icr_impact::{
    BrokenUse, ChangedFile, ChangedSymbol, CochangePartner, CodeNote, ContractChange, Dependent, Effect, Evidence,
    ExpectedFile, Impact, Incomplete, Severity, TestChoice, TransitiveDependent, WarningRule,
};

use super::super::escape::html as escaped;
use super::super::page::{count_with_noun, table};
use super::words::{bar, code, codes, gauge, percent, sentence, word};

/// Most rows of a table; a reader who needs more can use the JSON in the page.
const MAX_ROWS: usize = 500;

/// Names in a cell.
const MAX_NAMES: usize = 12;

/// Tables with something to do, placed before the drawing: contracts, and tests to run.
pub(super) fn tables_to_act_on(impact: &Impact) -> String {
    [contracts(impact), tests(impact)].concat()
}

/// All other tables that have rows. Those with something to do are open.
pub(super) fn tables(impact: &Impact) -> String {
    [
        missing(impact),
        dependents(impact),
        transitive(impact),
        expected(impact),
        memories(impact),
        cochange(impact),
        incomplete(impact),
        changed_files(impact),
        changed_symbols(impact),
    ]
    .concat()
}

/// A table of `rows`; nothing when there are none.
fn table_of_rows<T>(
    caption: &str,
    open: bool,
    columns: &[&str],
    rows: &[T],
    cells: impl Fn(&T) -> Vec<String>,
) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let caption = match rows.len() {
        ..=MAX_ROWS => format!("{caption}: {}", rows.len()),
        total => format!("{caption}: the first {MAX_ROWS} of {total}"),
    };
    let rows: Vec<Vec<String>> = rows.iter().take(MAX_ROWS).map(cells).collect();
    table(&caption, open, columns, &rows)
}

/// One row for each definition: all changes in a definition are one change for its users.
fn contracts(impact: &Impact) -> String {
    let contract = &impact.contract_impact;
    let cells = |changes: &Vec<&ContractChange>| {
        let worst = changes[0];
        let details: Vec<String> = changes.iter().map(|change| detail(change)).collect();
        vec![
            effect_label(worst),
            code(&worst.symbol),
            format!("{}{}", details.join("; "), broken(changes)),
            place(&worst.path, worst.line),
            users(worst),
        ]
    };
    let columns = ["Effect", "Definition", "What changed", "Where", "Used by"];
    let caption = format!("Contracts that changed, breaking risk {}", word(contract.breaking_change_risk));
    table_of_rows(&caption, true, &columns, &by_definition(&contract.changes), cells)
}

/// Changes by definition, worst first; definitions that break users come first, accepted changes last.
fn by_definition(changes: &[ContractChange]) -> Vec<Vec<&ContractChange>> {
    let rank = |change: &ContractChange| Reverse((change.accepted.is_none(), change.effect, change.severity));
    let mut index: HashMap<(&str, &str, u32), usize> = HashMap::new();
    let mut groups: Vec<Vec<&ContractChange>> = Vec::new();
    for change in changes {
        let at = *index.entry((&change.path, &change.symbol, change.line)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(change);
    }
    for group in &mut groups {
        group.sort_by_key(|change| rank(change));
    }
    groups.sort_by_key(|group| rank(group[0]));
    groups
}

/// Effect of a contract change, as a label.
fn effect_label(change: &ContractChange) -> String {
    let (class, words) = match (&change.accepted, change.effect) {
        (Some(_), _) => ("additive", "accepted".to_owned()),
        (None, Effect::Breaks) => ("breaking", "breaks".to_owned()),
        (None, Effect::MayBreak) => ("may-break", "may break".to_owned()),
        (None, Effect::Holds) if change.severity >= Severity::Risky => ("additive", "holds".to_owned()),
        (None, Effect::Holds) => ("additive", word(change.severity)),
    };
    format!("<span class=\"severity {class}\">{words}</span>")
}

fn detail(change: &ContractChange) -> String {
    let accepted = change.accepted.as_deref();
    let accepted = accepted.map_or(String::new(), |reason| format!(" (accepted: {})", sentence(reason)));
    format!("{}{accepted}", sentence(&change.detail))
}

/// The uses that changes of one definition break, each with its line.
fn broken(changes: &[&ContractChange]) -> String {
    let mut uses: Vec<&BrokenUse> = changes.iter().flat_map(|change| &change.uses).collect();
    uses.sort_unstable();
    uses.dedup();
    let item = |used: &&BrokenUse| {
        let text = if used.text.is_empty() { String::new() } else { format!(" {}", code(&used.text)) };
        format!("<li>{}{text} {}</li>", place(&used.path, used.line), sentence(&used.reason))
    };
    if uses.is_empty() {
        return String::new();
    }
    format!("<ul class=\"broken\">{}</ul>", uses.iter().map(item).collect::<String>())
}

fn users(change: &ContractChange) -> String {
    // An addition does not require anybody to change.
    if change.severity <= Severity::Additive {
        return String::new();
    }
    let exported = if change.exported { "" } else { "; not exported" };
    if !change.lacked_by.is_empty() {
        let places: Vec<String> = change.lacked_by.iter().map(|place| code(place)).collect();
        return format!("not defined by what inherits it at {}{exported}", places.join(", "));
    }
    let declared =
        change.declared_at.as_ref().map_or(String::new(), |place| format!("; still declared at {}", code(place)));
    match (change.consumers, change.consumers_untouched) {
        (0, _) if change.own_references > 0 => format!("its own file{declared}{exported}"),
        (0, _) => format!("nobody known{declared}{exported}"),
        (all, 0) => format!("{}, all changed too{declared}{exported}", count_with_noun(all as usize, "file")),
        (all, untouched) => {
            format!("{}, <b>{untouched} untouched</b>{declared}{exported}", count_with_noun(all as usize, "file"))
        }
    }
}

fn place(path: &str, line: u32) -> String {
    code(&format!("{path}:{line}"))
}

fn expectation(row: &ExpectedFile) -> Vec<String> {
    vec![gauge(row.probability), code(&row.path), reasons(&row.evidence)]
}

fn missing(impact: &Impact) -> String {
    let rule = impact.warning.as_ref().map_or(String::new(), |rule| format!(", {}", rule_words(rule)));
    let caption = format!("Files that seem forgotten{rule}");
    table_of_rows(&caption, true, &["Probability", "File", "Why"], &impact.missing, expectation)
}

/// Rules by which warnings were chosen, in words.
fn rule_words(rule: &WarningRule) -> String {
    let mut words = format!("from {} on", percent(rule.threshold));
    if rule.commits > 0 {
        let commits = count_with_noun(rule.commits as usize, "past commit");
        words.push_str(&format!(" (false alarms at {} of {commits}", percent(rule.false_alarms)));
        if let Some(precision) = rule.precision {
            words.push_str(&format!(", {} of warnings right", percent(precision)));
        }
        if let Some(recall) = rule.recall {
            words.push_str(&format!(", {} of forgotten files named", percent(recall)));
        }
        words.push(')');
    }
    words
}

fn expected(impact: &Impact) -> String {
    // Files that seem forgotten have their own table.
    let others: Vec<&ExpectedFile> =
        impact.expected.iter().filter(|row| !impact.missing.iter().any(|missing| missing.path == row.path)).collect();
    let caption = "Files that often change too";
    table_of_rows(caption, false, &["Probability", "File", "Why"], &others, |row| expectation(row))
}

/// Reasons with their weights, in markup. Bars are relative to the heaviest.
fn reasons(evidence: &[Evidence]) -> String {
    let weight = |evidence: &Evidence| if evidence.weight.is_finite() { evidence.weight.abs() } else { 0.0 };
    let heaviest = evidence.iter().map(weight).fold(0.0, f64::max);
    let item = |reason: &Evidence| {
        let own = weight(reason);
        let bar = if own > 0.0 { format!("{} ", bar(own / heaviest)) } else { String::new() };
        let against = if reason.weight < 0.0 { " (against)" } else { "" };
        format!("<li>{bar}{}{against}</li>", sentence(&reason.text))
    };
    match evidence {
        [] => String::new(),
        evidence => format!("<ul class=\"reasons\">{}</ul>", evidence.iter().map(item).collect::<String>()),
    }
}

fn tests(impact: &Impact) -> String {
    let plan = &impact.test_plan;
    let mut text = String::new();
    if !plan.commands.is_empty() {
        let commands: String = plan.commands.iter().map(|command| format!("{}\n", escaped(command))).collect();
        text.push_str(&format!(
            "<section class=\"plan\"><h2>Run {} of {}, expected to find {} of what all of them find</h2>\
             <pre><code>{commands}</code></pre></section>\n",
            plan.selected,
            count_with_noun(plan.total as usize, "test file"),
            percent(plan.expected_recall),
        ));
    }
    let cells = |test: &TestChoice| {
        let selected = if test.selected { "yes" } else { "no" };
        let command = test.command.as_deref().map_or("no runner known".to_owned(), code);
        vec![gauge(test.probability), selected.to_owned(), code(&test.path), sentence(&test.reason), command]
    };
    let columns = ["Probability", "Planned", "File", "Why", "Command"];
    text.push_str(&table_of_rows("Tests to run", plan.commands.is_empty(), &columns, &impact.tests, cells));
    text
}

fn dependents(impact: &Impact) -> String {
    let cells = |row: &Dependent| {
        let lines: Vec<String> = row.lines.iter().map(u32::to_string).collect();
        let mut what = vec![word(row.impact_level)];
        what.extend(row.test.then(|| "test".to_owned()));
        what.extend(row.in_change.then(|| "changed too".to_owned()));
        vec![
            gauge(row.probability),
            code(&row.path),
            what.join(", "),
            codes(&row.symbols, MAX_NAMES),
            lines.join(", "),
            reasons(&row.evidence),
        ]
    };
    let columns = ["Probability", "File", "Impact", "Refers to", "Lines", "Why"];
    table_of_rows("Files that refer to the change", true, &columns, &impact.direct_dependents, cells)
}

fn transitive(impact: &Impact) -> String {
    let has_ways = impact.transitive_dependents.iter().any(|row| !row.via.is_empty());
    let cells = |row: &TransitiveDependent| {
        let test = if row.test { ", test" } else { "" };
        let impact_level = format!("{}{test}", word(row.impact_level));
        let mut cells = vec![gauge(row.probability), code(&row.path), impact_level, row.depth.to_string()];
        cells.extend(has_ways.then(|| codes(&row.via, MAX_NAMES)));
        cells
    };
    let columns = ["Probability", "File", "Impact", "Steps", "Through"];
    let columns = if has_ways { &columns[..] } else { &columns[..4] };
    table_of_rows("Files that reach the change through others", false, columns, &impact.transitive_dependents, cells)
}

fn cochange(impact: &Impact) -> String {
    let cells = |row: &CochangePartner| {
        let lift = if row.lift.is_finite() { format!("{:.1} times", row.lift) } else { String::new() };
        vec![
            gauge(row.confidence),
            code(&row.path),
            row.commits.to_string(),
            lift,
            Moment(row.last_commit).day().to_string(),
        ]
    };
    let columns = ["Share of commits", "File", "Commits", "Against chance", "Last"];
    table_of_rows("Files that changed together with these", false, &columns, &impact.cochange, cells)
}

fn memories(impact: &Impact) -> String {
    let cells = |memory: &CodeNote| {
        let symbol = memory.symbol.as_deref().map_or(String::new(), |symbol| format!(" {}", code(symbol)));
        vec![
            format!("{}{symbol}", code(&memory.path)),
            memory.state.map_or(String::new(), word),
            sentence(&memory.summary),
            escaped(&memory.topic),
            memory.created_at.day().to_string(),
        ]
    };
    let columns = ["About", "Since then", "What", "Topic", "Noted"];
    table_of_rows("Memories about this code", true, &columns, &impact.memories, cells)
}

fn incomplete(impact: &Impact) -> String {
    let cells = |file: &Incomplete| {
        vec![code(&file.path), if file.code { "code" } else { "data" }.to_owned(), sentence(&file.reason)]
    };
    table_of_rows("Not analysed", true, &["File", "What", "Why"], &impact.incomplete, cells)
}

/// A row for each directory that changed as a whole, and one for each other file.
fn changed_files(impact: &Impact) -> String {
    let bulks = bulks(impact);
    let in_bulks: HashSet<&str> = bulks.iter().flat_map(|bulk| bulk.files()).map(|file| file.path.as_str()).collect();
    let others: Vec<&ChangedFile> =
        impact.changed.iter().filter(|file| !in_bulks.contains(file.path.as_str())).collect();
    let directory = |bulk: &Bulk<'_>| {
        let sum = |lines: fn(&ChangedFile) -> u32| bulk.files().iter().map(|file| u64::from(lines(file))).sum::<u64>();
        let lines = format!("+{} −{}", sum(|file| file.lines_added), sum(|file| file.lines_removed));
        vec![sentence(&bulk.in_words()), lines]
    };
    let cells = |file: &&ChangedFile| {
        let mut what = vec![word(file.status)];
        what.extend(file.old_path.as_deref().map(|old| format!("from {}", code(old))));
        what.extend(file.cosmetic.then(|| "comments and layout only".to_owned()));
        what.extend(file.opaque.as_deref().map(|reason| format!("not looked into: {}", sentence(reason))));
        let lines = format!("+{} −{}", file.lines_added, file.lines_removed);
        vec![code(&file.path), what.join(", "), lines, escaped(&file.language)]
    };
    let caption = if bulks.is_empty() { "Changed files" } else { "Other changed files" };
    [
        table_of_rows("Moved or copied together", false, &["Directory", "Lines"], &bulks, directory),
        table_of_rows(caption, false, &["File", "What", "Lines", "Language"], &others, cells),
    ]
    .concat()
}

fn changed_symbols(impact: &Impact) -> String {
    let mut worst_first: Vec<&ChangedSymbol> = impact.changed_symbols.iter().collect();
    worst_first.sort_by_key(|symbol| Reverse(symbol.severity));
    let cells = |symbol: &&ChangedSymbol| {
        let mut name = code(&symbol.qualified_name);
        if let Some(old) = &symbol.old_name {
            name.push_str(&format!(", before {}", code(old)));
        }
        let exported = if symbol.exported { "exported" } else { "" };
        let severity = word(symbol.severity);
        vec![
            format!("<span class=\"severity {severity}\">{severity}</span>"),
            name,
            word(symbol.change),
            escaped(&symbol.kind),
            exported.to_owned(),
            place(&symbol.path, symbol.line),
        ]
    };
    let columns = ["Severity", "Definition", "Change", "Kind", "Visible", "Where"];
    table_of_rows("Changed definitions", false, &columns, &worst_first, cells)
}
