//! Which modules of its crate a source names.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Error, read, rust_source};

/// Files of the modules that the tokens `shaping` of the source at `path` name, from `crates` on: `crate::…`, `self::…`,
/// `super::…` and paths that begin at a child module. An item that the crate's root offers on leads to where it comes
/// from, one that the root has itself to the root.
///
/// # Errors
///
/// [`Error::Read`] and [`Error::Parse`] of the root.
pub(crate) fn named_modules(crates: &Path, path: &str, shaping: &str) -> Result<Vec<String>, Error> {
    let Some((source, below)) = path.split_once("/src/") else { return Ok(Vec::new()) };
    let folder = Folder { crates, source: format!("{source}/src") };
    let below = below.strip_suffix(".rs").unwrap_or(below);
    let below = below.strip_suffix("/mod").unwrap_or(below);
    let own: Vec<&str> = if below == "lib" { Vec::new() } else { below.split('/').collect() };
    let mut files = Vec::new();
    for chain in chains(shaping) {
        let (mut module, mut rest) = (own.clone(), chain.as_slice());
        match rest[0] {
            "crate" => (module, rest) = (Vec::new(), &rest[1..]),
            "self" | "super" => {
                while let Some(step) = rest.first().filter(|step| matches!(**step, "self" | "super")) {
                    if *step == "super" {
                        module.pop();
                    }
                    rest = &rest[1..];
                }
                files.extend(folder.file_of(&module));
            }
            _ => {}
        }
        let begin = module.len();
        for name in rest {
            module.push(name);
            let Some(file) = folder.file_of(&module) else { break };
            files.push(file);
        }
        let is_of_root = begin == 0 && module.len() <= 1 && matches!(chain[0], "crate" | "super" | "self");
        if let Some(item) = rest.first().filter(|_| is_of_root && folder.file_of(&module).is_none()) {
            files.push(folder.origin_of(item)?);
        }
    }
    files.sort();
    files.dedup();
    files.retain(|file| file != path);
    Ok(files)
}

/// Paths in tokens, as their segments, each once.
fn chains(shaping: &str) -> BTreeSet<Vec<&str>> {
    let tokens: Vec<&str> = shaping.lines().collect();
    let mut chains = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        let begin = at;
        at += 1;
        if !is_name(tokens[begin]) || begin > 0 && matches!(tokens[begin - 1], "::" | ".") {
            continue;
        }
        let mut chain = vec![tokens[begin]];
        while let [separator, name, ..] = tokens[at..]
            && separator == "::"
            && is_name(name)
        {
            chain.push(name);
            at += 2;
        }
        // `super::*` has one name as well; `pub(super)` is no path.
        if chain.len() > 1 || tokens.get(at) == Some(&"::") {
            chains.insert(chain);
        }
    }
    chains
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && token.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The sources of a crate.
struct Folder<'a> {
    crates: &'a Path,
    /// From `crates` on.
    source: String,
}

impl Folder<'_> {
    /// The file of a module; `None` where there is no such module, or it is the root.
    fn file_of(&self, module: &[&str]) -> Option<String> {
        let path = format!("{}/{}", self.source, module.join("/"));
        let files = [format!("{path}.rs"), format!("{path}/mod.rs")];
        files.into_iter().find(|file| !module.is_empty() && self.crates.join(file).is_file())
    }

    /// The file that `item` of the root comes from.
    fn origin_of(&self, item: &str) -> Result<String, Error> {
        let root = format!("{}/lib.rs", self.source);
        let text = read(&self.crates.join(&root))?;
        let tokens = rust_source::tokens(&text)
            .map_err(|error| Error::Parse { path: root.clone(), reason: error.to_string() })?;
        let offered = chains(&tokens).into_iter().find(|chain| chain.len() > 1 && chain.last() == Some(&item));
        Ok(offered.and_then(|chain| self.file_of(&chain[..1])).unwrap_or(root))
    }
}
