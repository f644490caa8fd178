//! `go.mod` and `go.work`: which import paths are directories of the repository.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ManifestResult, text};
use crate::graph::{Db, PathInput};
use crate::view::GraphView;

/// The content of a `go.mod` or a `go.work` about import paths.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct GoMod {
    /// Import path of the module; empty in a `go.work`.
    pub(crate) module: String,
    /// Modules replaced by directories, as written: (import path, directory relative to the file).
    pub(crate) replaced: Vec<(String, String)>,
    /// Import paths of the modules it requires.
    pub(crate) required: BTreeSet<String>,
    /// Directories of the workspace's modules, relative to the file.
    pub(crate) used: Vec<String>,
}

impl GraphView<'_> {
    /// The `go.mod` at `path`, when it exists and is not empty.
    pub(crate) fn go_mod(self, path: &str) -> Option<Arc<GoMod>> {
        go_mod(self.db(), self.input(path))?.ok()
    }

    /// The `go.work` at `path`, when it exists and is not empty.
    pub(crate) fn go_work(self, path: &str) -> Option<Arc<GoMod>> {
        go_work(self.db(), self.input(path))?.ok()
    }
}

/// What is wrong with the `go.mod` at `path`.
pub(super) fn module_problem(view: GraphView<'_>, path: &str) -> Option<String> {
    go_mod(view.db(), view.input(path))?.err()
}

/// What is wrong with the `go.work` at `path`.
pub(super) fn workspace_problem(view: GraphView<'_>, path: &str) -> Option<String> {
    go_work(view.db(), view.input(path))?.err()
}

#[salsa::tracked(returns(clone))]
fn go_mod(db: &dyn Db, input: PathInput) -> Option<ManifestResult<GoMod>> {
    let read = |text: &[u8]| {
        let read = parsed(text)?;
        if read.module.is_empty() { Err("it names no module".to_owned()) } else { Ok(Arc::new(read)) }
    };
    text(db, input).map(|text| read(&text))
}

#[salsa::tracked(returns(clone))]
fn go_work(db: &dyn Db, input: PathInput) -> Option<ManifestResult<GoMod>> {
    text(db, input).map(|text| parsed(&text).map(Arc::new))
}

fn parsed(text: &[u8]) -> Result<GoMod, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let mut read = GoMod::default();
    for (line, words) in directives(text)? {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["module", path, ..] => (*path).clone_into(&mut read.module),
            ["require", path, _version, ..] => drop(read.required.insert((*path).to_owned())),
            ["use", directory] => read.used.push((*directory).to_owned()),
            ["replace", path, rest @ ..] => {
                let arrow = rest.iter().position(|word| *word == "=>");
                let target = arrow.and_then(|at| rest.get(at + 1));
                let target =
                    target.ok_or_else(|| format!("line {line}: `replace` without `=>` and what stands for it"))?;
                if is_directory(target) {
                    read.replaced.push(((*path).to_owned(), (*target).to_owned()));
                }
            }
            // Other directives do not concern directories, and later versions of Go may add some.
            _ => {}
        }
    }
    Ok(read)
}

/// Whether the target of a replacement is a local directory and not a module. Go's rule is that it begins with `./` or
/// `../`. Absolute directories are never in the repository.
fn is_directory(target: &str) -> bool {
    matches!(target, "." | "..") || target.starts_with("./") || target.starts_with("../")
}

/// All directives with their lines and words. In a block `verb ( … )`, the verb is added in front of each line.
fn directives(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    let mut directives = Vec::new();
    let mut block: Option<(usize, String)> = None;
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line_no = at + 1;
        let mut words = words(line).ok_or_else(|| format!("line {line_no}: a quoted word does not end"))?;
        match (&block, words.as_slice()) {
            (_, []) => {}
            (Some(_), [only]) if only == ")" => block = None,
            (Some((_, verb)), _) => {
                words.insert(0, verb.clone());
                directives.push((line_no, words));
            }
            (None, [verb, .., last]) if last == "(" => block = Some((line_no, verb.clone())),
            (None, _) => directives.push((line_no, words)),
        }
    }
    match block {
        Some((line, verb)) => Err(format!("line {line}: the block `{verb} (` does not end")),
        None => Ok(directives),
    }
}

/// Words of a line up to its comment, without quotes. `None` when a quote is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with("//") {
        let first = rest.chars().next()?;
        let (word, after) = match first {
            '"' | '`' => rest[1..].split_once(first)?,
            '(' | ')' => rest.split_at(1),
            _ => {
                let ends = |(at, c): (usize, char)| {
                    (c.is_whitespace() || matches!(c, '(' | ')') || rest[at..].starts_with("//")).then_some(at)
                };
                rest.split_at(rest.char_indices().find_map(ends).unwrap_or(rest.len()))
            }
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_alone_and_in_blocks() {
        let text = "// a comment\nmodule \"example.com/a/v2\" // why\n\ngo 1.22\nrequire (\n\texample.com/b v1.0.0 // indirect\n\t\n)\n\
            replace example.com/b v1.0.0 => ../b\nreplace (\n  example.com/c => example.com/d v1.2.3\n  `example.com/e`=> ./e\n)\nuse ./x\nuse (./y)\n";
        let read = parsed(text.as_bytes()).unwrap();
        assert_eq!(read.module, "example.com/a/v2");
        assert_eq!(read.required, BTreeSet::from(["example.com/b".to_owned()]));
        assert_eq!(read.used, ["./x"]);
        let replaced = [("example.com/b", "../b"), ("example.com/e", "./e")];
        assert_eq!(read.replaced, replaced.map(|(path, directory)| (path.to_owned(), directory.to_owned())));
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, reason) in [
            ("module \"a", "line 1: a quoted word does not end"),
            ("module a\nreplace (\n", "line 2: the block `replace (` does not end"),
            ("module a\nreplace b c", "line 2: `replace` without `=>` and what stands for it"),
        ] {
            assert_eq!(parsed(text.as_bytes()).unwrap_err(), reason);
        }
        assert_eq!(parsed(b"\xff").unwrap_err(), "it is not UTF-8");
    }
}
