//! Makefiles.

use std::collections::BTreeMap;

use super::CommandKind::{self, Build, Test};
use super::directory::ManifestDirectory;
use super::targets::{declare, usual_kind};
use super::{Findings, is_plain};

/// Names of makefiles, in the order in which make looks for them.
pub(super) const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Targets that are usual in makefiles only.
const ALSO: &[(CommandKind, &str)] = &[(Build, "all"), (Test, "check")];

/// Targets that build nothing, besides the usual names of other kinds.
const NO_BUILDS: &[&str] = &["check", "clean", "help", "install", "list", "node_modules", "usage", "venv"];

/// Options of make and parts of a loop that change nothing about where a target is passed on to.
const PASSING_NOISE: &[&str] = &["$$?", "-e", "-s", "1", "exit", "set"];

/// The targets of a makefile, what `make` alone builds, and the targets of the subdirectories that it passes all other
/// targets on to.
pub(super) fn read(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let makefile = Makefile::of(&directory.text(marker));
    let command = |name: &str| format!("make {name}");
    declare(findings, marker, ALSO, |name| makefile.has(name), command);
    if !findings.has(Build) && makefile.builds_by_default() {
        findings.customary(Build, "make", marker);
    }
    let inner: Option<Vec<Makefile>> = makefile
        .subdirectories()
        .iter()
        .map(|path| directory.text_below(path, NAMES).map(|text| Makefile::of(&text)))
        .collect();
    let inner = inner.unwrap_or_default();
    // A target that one of them lacks ends with an error there.
    let has = |name: &str| !inner.is_empty() && inner.iter().all(|makefile| makefile.has(name));
    let mut passed_on = Findings::default();
    declare(&mut passed_on, marker, ALSO, has, command);
    for finding in passed_on.commands {
        if !findings.has(finding.kind) {
            findings.commands.push(finding);
        }
    }
}

/// What a makefile says, as far as commands follow from it.
#[derive(Default)]
struct Makefile {
    rules: Vec<Rule>,
    /// Values of the variables that are assigned outside of conditionals.
    variables: BTreeMap<String, String>,
}

/// A rule. In targets and prerequisites, `$` stands for a reference: `$(OBJECTS)`.
struct Rule {
    targets: Vec<String>,
    prerequisites: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    fn of(text: &str) -> Self {
        let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let mut makefile = Self::default();
        let (mut definitions, mut conditionals) = (0_usize, 0_usize);
        for line in text.lines() {
            if definitions == 0 && line.starts_with('\t') {
                if let Some(rule) = makefile.rules.last_mut() {
                    rule.recipe.push(line.trim().to_owned());
                }
                continue;
            }
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or_default();
            let directive = match first {
                "export" | "override" => words.next().unwrap_or_default(),
                _ => first,
            };
            match directive {
                "define" => definitions += 1,
                "endef" => definitions = definitions.saturating_sub(1),
                _ if definitions > 0 => {}
                "ifdef" | "ifeq" | "ifndef" | "ifneq" => conditionals += 1,
                "endif" => conditionals = conditionals.saturating_sub(1),
                _ if is_directive(first) => {}
                _ => makefile.add(line, conditionals > 0),
            }
        }
        makefile
    }

    /// Adds the assignment or the rule in `line`, which is no directive.
    fn add(&mut self, line: &str, is_conditional: bool) {
        match assignment(line) {
            Some(_) if is_conditional => {}
            Some((name, operator, value)) => {
                let known = self.variables.entry(name.to_owned()).or_default();
                match operator {
                    '+' => known.push(' '),
                    '?' if !known.is_empty() => return,
                    _ => known.clear(),
                }
                known.push_str(value);
            }
            None => self.rules.extend(rule(line)),
        }
    }

    /// Whether a rule makes the target `name`.
    fn has(&self, name: &str) -> bool {
        self.rule_for(name).is_some()
    }

    fn rule_for(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.targets.iter().any(|target| target == name))
    }

    /// Whether `make` without a target builds: its goal is made from something, and the names of both allow it. A goal
    /// that is no file can be anything, unless it is called `default`.
    fn builds_by_default(&self) -> bool {
        let is_goal = |target: &&String| !target.starts_with('.') && !target.contains('%');
        let first = || self.rules.iter().find_map(|rule| rule.targets.first().filter(is_goal));
        let Some(goal) = self.variables.get(".DEFAULT_GOAL").or_else(first) else { return false };
        let Some(rule) = self.rule_for(goal) else { return false };
        let is_phony = self
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|target| target == ".PHONY"))
            .any(|rule| rule.prerequisites.contains(goal));
        let may_build = |name: &str| usual_kind(name).is_none_or(|kind| kind == Build) && !NO_BUILDS.contains(&name);
        may_build(goal)
            && rule.prerequisites.iter().any(|prerequisite| may_build(prerequisite))
            && (!is_phony || goal == "default")
    }

    /// The subdirectories that the rule for every other target (`.DEFAULT`, `%`) passes it on to; empty without such a
    /// rule.
    fn subdirectories(&self) -> Vec<String> {
        let is_for_others = |rule: &&Rule| rule.targets.iter().any(|target| target == ".DEFAULT" || target == "%");
        let mut recipes = self.rules.iter().filter(is_for_others).flat_map(|rule| &rule.recipe);
        recipes.find_map(|line| self.passed_on_to(line)).unwrap_or_default()
    }

    /// Where a line of a recipe passes its target on to: `cd src && $(MAKE) $@`, `$(MAKE) -C src $@`, or one of these
    /// in a loop over subdirectories.
    fn passed_on_to(&self, line: &str) -> Option<Vec<String>> {
        let line = line.replace("$(MAKE)", "make").replace("${MAKE}", "make");
        let separates = |next: char| next.is_whitespace() || matches!(next, ';' | '&' | '|');
        let mut words: Vec<&str> = Vec::new();
        for word in line.trim_start_matches(['@', '+', '-', ' ']).split(separates) {
            match self.value_of(word) {
                Some(value) => words.extend(value.split_whitespace()),
                None => words.push(word.trim_matches(['(', ')', '"'])),
            }
        }
        words.retain(|word| !word.is_empty() && !word.starts_with("--") && !PASSING_NOISE.contains(word));
        let directories = match words.as_slice() {
            ["cd", directory, "make", "$@"] | ["make", "-C", directory, "$@"] | ["make", "$@", "-C", directory] => {
                vec![*directory]
            }
            ["for", name, "in", directories @ .., "do", "cd", each, "make", "$@", "done"]
            | ["for", name, "in", directories @ .., "do", "make", "-C", each, "$@", "done"]
                if each.strip_prefix("$$").is_some_and(|each| each.trim_matches(['{', '}']) == *name) =>
            {
                directories.to_vec()
            }
            _ => return None,
        };
        let plain = |path: &str| path.trim_start_matches("./").trim_end_matches('/').to_owned();
        Some(directories.into_iter().map(plain).collect())
    }

    /// The value of the variable that `word` refers to, as it was assigned; `None` where it refers to no known one.
    fn value_of(&self, word: &str) -> Option<&str> {
        let name = match word.strip_prefix("$(") {
            Some(rest) => rest.strip_suffix(')'),
            None => word.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')),
        };
        self.variables.get(name?).map(String::as_str)
    }
}

/// Whether a line that begins with `word` neither assigns nor makes anything that is looked at.
fn is_directive(word: &str) -> bool {
    matches!(
        word,
        "-include" | "else" | "export" | "include" | "override" | "sinclude" | "undefine" | "unexport" | "vpath"
    )
}

/// Name, first character of the operator, and value of `name = value`, `name += value` and the like.
fn assignment(line: &str) -> Option<(&str, char, &str)> {
    let (left, value) = line.split_once('=')?;
    let left = left.trim();
    let name = left.trim_end_matches(['+', ':', '?', '!']);
    let operator = left[name.len()..].chars().next().unwrap_or('=');
    let value = value.split('#').next().unwrap_or_default();
    is_plain(name.trim_end()).then_some((name.trim_end(), operator, value.trim()))
}

/// The rule that begins with `line`, without its recipe; `None` for any other line.
fn rule(line: &str) -> Option<Rule> {
    // An indented line belongs to something else, whatever it says.
    if line.starts_with([' ', '#']) {
        return None;
    }
    let plain = without_references(line);
    let (targets, rest) = plain.split_once(':')?;
    let prerequisites = rest.trim_start_matches(':').split(['#', ';']).next().unwrap_or_default();
    // `target: VARIABLE = value` sets a variable for a target and makes none.
    if targets.contains(['=', '#', '"', '\'']) || prerequisites.contains('=') {
        return None;
    }
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    Some(Rule { targets: words(targets), prerequisites: words(prerequisites), recipe: Vec::new() })
}

/// `text` with `$` for `$(…)` and `${…}`: what stands in there is an argument of a function or a name.
fn without_references(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut before = ' ';
    for character in text.chars() {
        if matches!(character, '(' | '{') && (depth > 0 || before == '$') {
            depth += 1;
        } else if depth == 0 {
            plain.push(character);
        } else if matches!(character, ')' | '}') {
            depth -= 1;
        }
        before = character;
    }
    plain
}
