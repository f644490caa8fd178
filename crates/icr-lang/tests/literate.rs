//! Runs `fixtures/lang/<language>/*.txt`: source texts and what the extractor says of them.
//!
//! A file holds cases. A case begins with `=== <what it shows>`, then comes its source, then sections `--- <view>` with
//! what is expected. The views are the functions of `view` below. `UPDATE_EXPECT=1 cargo test -p icr-lang` writes what
//! is found into the sections that are there.

#![expect(clippy::disallowed_methods, reason = "a variable asks for expectations to be written")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use icr_lang::{ChunkLimits, Extraction, Extractor, language_row, languages, shapes};
use icr_model::{Facts, Import, Parameter, ParameterKind, Role, Shape, Symbol, Visibility};

#[test]
fn every_fixture_says_what_is_found() {
    let mut wrong = String::new();
    for language in languages() {
        for file in files(&fixtures().join(language)) {
            let text = std::fs::read_to_string(&file).unwrap();
            let found = answer(language, &text);
            if found == text {
                continue;
            }
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(&file, &found).unwrap();
            } else {
                let name = file.strip_prefix(fixtures()).unwrap().display();
                writeln!(wrong, "{name}\n{}", first_difference(&text, &found)).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}\nUPDATE_EXPECT=1 accepts what is found");
}

#[test]
fn every_language_has_fixtures_for_all_it_can_say() {
    for language in languages() {
        let texts: String =
            files(&fixtures().join(language)).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let support = language_row(language).unwrap().support();
        let views = [
            ("outline", true),
            ("imports", support.imports),
            ("provides", support.provides),
            ("exports", support.exports),
            ("references", support.references),
            ("contracts", !support.contracts.is_empty()),
            ("chunks", true),
        ];
        for (view, _) in views.iter().filter(|(_, has)| *has) {
            assert!(texts.contains(&format!("\n--- {view}\n")), "`{language}` has no case with `--- {view}`");
        }
    }
}

/// `text` with all expectations as found.
fn answer(language: &str, text: &str) -> String {
    let mut answer = String::new();
    for case in cases(text) {
        let (title, rest) = case.split_once('\n').unwrap_or((case, ""));
        let source_len = rest.find("\n--- ").map_or(rest.len(), |at| at + 1);
        let (source, sections) = rest.split_at(source_len);
        write!(answer, "{title}\n{source}").unwrap();
        let limits = limits_of(title);
        let extraction = Extractor::new(limits).extract(language, source.as_bytes());
        for name in sections.lines().filter_map(|line| line.strip_prefix("--- ")) {
            write!(answer, "--- {name}\n{}", view(name, &extraction, source)).unwrap();
        }
    }
    answer
}

/// Each from its `=== ` on.
fn cases(text: &str) -> Vec<&str> {
    let starts: Vec<_> = std::iter::once(0).chain(text.match_indices("\n=== ").map(|(at, _)| at + 1)).collect();
    let ends = starts[1..].iter().copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

/// Limits as a title may give them: `=== a title (limits 10 20 40)`.
fn limits_of(title: &str) -> ChunkLimits {
    let Some((_, numbers)) = title.split_once("(limits ") else {
        return ChunkLimits::default();
    };
    let numbers: Vec<u32> = numbers.trim_end_matches(')').split(' ').map(|number| number.parse().unwrap()).collect();
    ChunkLimits { min_tokens: numbers[0], target_tokens: numbers[1], max_tokens: numbers[2], overlap_tokens: 0 }
}

fn view(name: &str, extraction: &Extraction, source: &str) -> String {
    let facts = &extraction.facts;
    match name {
        "outline" => outline(facts, source),
        "signatures" => signatures(facts, source),
        "docs" => docs(facts, source),
        "imports" => facts.imports.iter().map(import).collect(),
        "provides" => facts.provides.iter().map(|name| format!("{name}\n")).collect(),
        "exports" => facts.exports.iter().map(|export| format!("{} = {}\n", export.name, export.local)).collect(),
        "paths" => paths(facts),
        "receivers" => receivers(facts),
        "references" => references(facts),
        "contracts" => contracts(facts),
        "chunks" => chunks(facts),
        "comments" => comments(extraction, source),
        "shapes" => all_shapes(facts, source),
        "errors" => format!("{} bytes\n", facts.error_bytes),
        _ => panic!("`{name}` is no view"),
    }
}

/// A line for each definition: `<indent><kind> <name> <visibility> <first line>-<last line>`.
fn outline(facts: &Facts, source: &str) -> String {
    let mut lines = String::new();
    for symbol in &facts.symbols {
        let mut depth = 0;
        let mut at = symbol;
        while let Some(parent) = at.parent {
            at = &facts.symbols[parent as usize];
            depth += 1;
        }
        let visibility = match symbol.visibility {
            Visibility::Public => " public",
            Visibility::Restricted => " restricted",
            Visibility::Private => " private",
            Visibility::Unspecified => "",
        };
        let named = &source[symbol.name_start as usize..];
        assert!(named.starts_with(&symbol.name), "`{}` does not stand at its place", symbol.name);
        let (kind, span) = (symbol.kind.name(), symbol.lines);
        let receiver = symbol.receiver.as_deref().map(|receiver| format!("{receiver}.")).unwrap_or_default();
        writeln!(
            lines,
            "{}{kind} {receiver}{}{visibility} {}-{}",
            "  ".repeat(depth),
            symbol.name,
            span.start,
            span.end
        )
        .unwrap();
    }
    lines
}

fn signatures(facts: &Facts, source: &str) -> String {
    let text = |symbol: &Symbol| String::from_utf8_lossy(symbol.signature.of(source.as_bytes())).replace('\n', "⏎");
    facts.symbols.iter().map(|symbol| format!("{}\n", text(symbol))).collect()
}

fn docs(facts: &Facts, source: &str) -> String {
    let mut lines = String::new();
    for (index, symbol) in facts.symbols.iter().enumerate() {
        if let Some(doc) = symbol.doc {
            let text = String::from_utf8_lossy(doc.of(source.as_bytes())).replace('\n', "⏎");
            writeln!(lines, "{}: {text}", facts.qualified_name(index as u32)).unwrap();
        }
    }
    lines
}

/// `<line> <kind> <specifier>: <name> as <alias>, … (<flags>)`.
fn import(import: &Import) -> String {
    let name = |name: &icr_model::ImportName| match &name.alias {
        Some(alias) => format!("{} as {alias}", name.name),
        None => name.name.clone(),
    };
    let names: Vec<_> = import.names.iter().map(name).collect();
    let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
    let kind = serde_name(import.kind);
    let flags = [(import.type_only, " (type only)"), (import.reexport, " (reexport)")];
    let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect();
    format!("{} {kind} {}{names}{flags}\n", import.line, import.specifier)
}

fn serde_name(kind: icr_model::ImportKind) -> &'static str {
    match kind {
        icr_model::ImportKind::Import => "import",
        icr_model::ImportKind::Include => "include",
        icr_model::ImportKind::SystemInclude => "system",
        icr_model::ImportKind::Module => "module",
    }
}

/// A line for each role: `<role>: <name> <lines>; …`.
fn references(facts: &Facts) -> String {
    let mut lines = String::new();
    for (role, word) in [
        (Role::Call, "call"),
        (Role::Type, "type"),
        (Role::Import, "import"),
        (Role::Member, "member"),
        (Role::Other, "other"),
    ] {
        let mut lines_of: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for group in facts.references.iter().filter(|group| group.role == role) {
            lines_of.entry(&group.name).or_default().extend(&group.lines);
        }
        let groups: Vec<_> = lines_of.into_iter().map(|(name, lines)| format!("{name} {}", numbers(lines))).collect();
        if !groups.is_empty() {
            writeln!(lines, "{word}: {}", groups.join("; ")).unwrap();
        }
    }
    lines
}

/// A line for each receiver: `<path>: <name> <lines>; …`, with `literal` for the empty one.
fn receivers(facts: &Facts) -> String {
    let mut members: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for group in &facts.references {
        if let Some(receiver) = &group.receiver {
            let receiver = if receiver.is_empty() { "literal" } else { receiver };
            members.entry(receiver).or_default().push(format!("{} {}", group.name, numbers(group.lines.clone())));
        }
    }
    members.into_iter().map(|(receiver, members)| format!("{receiver}: {}\n", members.join("; "))).collect()
}

/// A line for each definition that is of something or inherits: `<name>: <path> (<bases>)`.
fn paths(facts: &Facts) -> String {
    let mut lines = String::new();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        if symbol.path.is_none() && symbol.bases.is_empty() {
            continue;
        }
        write!(lines, "{}:", facts.qualified_name(at as u32)).unwrap();
        match symbol.path.as_deref() {
            Some("") => lines.push_str(" literal"),
            Some(path) => write!(lines, " {path}").unwrap(),
            None => {}
        }
        if !symbol.bases.is_empty() {
            write!(lines, " ({})", symbol.bases.join(", ")).unwrap();
        }
        lines.push('\n');
    }
    lines
}

/// Ascending, with commas between.
fn numbers(mut numbers: Vec<u32>) -> String {
    numbers.sort_unstable();
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn contracts(facts: &Facts) -> String {
    let labelled = facts.symbols.iter().filter_map(|symbol| Some((symbol, symbol.contract?)));
    labelled.map(|(symbol, contract)| format!("{} {}\n", contract.name(), symbol.name)).collect()
}

/// `<first line>-<last line> <kind> <symbol>`.
fn chunks(facts: &Facts) -> String {
    let mut lines = String::new();
    for chunk in &facts.chunks {
        let symbol = chunk.symbol.map(|symbol| format!(" {}", facts.qualified_name(symbol))).unwrap_or_default();
        let kind = format!("{:?}", chunk.kind).to_lowercase();
        writeln!(lines, "{}-{} {kind}{symbol}", chunk.lines.start, chunk.lines.end).unwrap();
    }
    lines
}

fn comments(extraction: &Extraction, source: &str) -> String {
    let text = |span: &icr_model::Span| String::from_utf8_lossy(span.of(source.as_bytes())).replace('\n', "⏎");
    extraction.comments.iter().map(|span| format!("{}\n", text(span))).collect()
}

/// A line for each definition: `<kind> <name>[<type parameters>](<parameters>) -> <returns>: <type> = <value>`, and then
/// ` of <bases>` and ` [<modifiers>]`.
fn all_shapes(facts: &Facts, source: &str) -> String {
    let mut lines = String::new();
    for (index, shape) in shapes(&facts.language, source.as_bytes(), facts).iter().enumerate() {
        let symbol = &facts.symbols[index];
        writeln!(lines, "{} {}{}", symbol.kind.name(), facts.qualified_name(index as u32), shape_of(symbol, shape))
            .unwrap();
    }
    lines
}

fn shape_of(symbol: &Symbol, shape: &Shape) -> String {
    let mut line = String::new();
    let behind =
        |sign: &str, text: &Option<String>| text.as_ref().map(|text| format!("{sign}{text}")).unwrap_or_default();
    if !shape.type_parameters.is_empty() {
        line += &format!("<{}>", shape.type_parameters.join(", "));
    }
    if matches!(symbol.kind.name(), "function" | "method") || !shape.parameters.is_empty() {
        line += &format!("({})", shape.parameters.iter().map(parameter).collect::<Vec<_>>().join(", "));
    }
    line += &behind(" -> ", &shape.returns);
    line += &behind(": ", &shape.ty);
    line += &behind(" = ", &shape.value);
    if !shape.bases.is_empty() {
        line += &format!(" of {}", shape.bases.join(" & "));
    }
    if !shape.modifiers.is_empty() {
        line += &format!(" [{}]", shape.modifiers.join(", "));
    }
    line
}

/// `<name>: <type> = <default> <kind>`.
fn parameter(parameter: &Parameter) -> String {
    let kind = match parameter.kind {
        ParameterKind::Ordinary => "",
        ParameterKind::PositionalOnly => " positional-only",
        ParameterKind::KeywordOnly => " keyword-only",
        ParameterKind::Variadic => " variadic",
        ParameterKind::KeywordVariadic => " keyword-variadic",
        ParameterKind::Receiver => " receiver",
    };
    let ty = parameter.ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
    let default = parameter.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
    let variadic = matches!(parameter.kind, ParameterKind::Variadic | ParameterKind::KeywordVariadic);
    let optional = if parameter.optional && parameter.default.is_none() && !variadic { " optional" } else { "" };
    format!("{}{ty}{default}{kind}{optional}", parameter.name).trim().to_owned()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lang")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files
}

fn first_difference(expected: &str, found: &str) -> String {
    let mut expected = expected.lines();
    for (at, line) in found.lines().enumerate() {
        let wanted = expected.next().unwrap_or("<end>");
        if line != wanted {
            return format!("  line {}\n  expected: {wanted}\n  found:    {line}", at + 1);
        }
    }
    format!("  expected more: {}", expected.next().unwrap_or_default())
}
