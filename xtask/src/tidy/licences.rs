//! Licences of linked packages: they must allow distribution under the terms of this program.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::tree::{Error, output_of};
use super::{TidyFinding, Tree};

/// Licences that only demand a notice.
const ALLOWED: &[&str] = &[
    // tidy: sorted
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    // tidy: end
];

/// Packages whose licence is not in [`ALLOWED`], and why they may be used.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    // tidy: sorted
    (
        "uluru",
        "MPL-2.0",
        "the cache of gix's pack reader; its files are used unchanged, which is all that licence asks for",
    ),
    // tidy: end
];

/// The file that findings about packages point to: it lists the packages in use.
const LOCK: &str = "Cargo.lock";

/// The licence of every package that is built for this machine can be met with [`ALLOWED`] and [`EXCEPTIONS`].
///
/// Asks cargo without a network, so the packages must have been fetched; building the workspace does that.
pub(crate) fn licences(tree: &Tree) -> Vec<TidyFinding> {
    match packages(&tree.root) {
        Ok(packages) => check(&packages),
        Err(error) => vec![TidyFinding::new(LOCK, format!("{error}; `cargo fetch --locked` gets what is missing"))],
    }
}

/// A package from a registry.
#[derive(Debug, PartialEq, Eq)]
struct RegistryPackage {
    name: String,
    version: String,
    /// As the package says it, usually an SPDX expression.
    licence: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum PackagesError {
    #[error(transparent)]
    Run(#[from] Error),
    #[error("`cargo metadata` gave no packages that could be read: {reason}")]
    Form { reason: String },
}

fn packages(root: &Path) -> Result<Vec<RegistryPackage>, PackagesError> {
    // Packages for other platforms are not fetched, and cargo cannot tell of them without a network.
    let platform = platform()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &platform]);
    let metadata = output_of(command.current_dir(root))?;
    let metadata: Value =
        serde_json::from_slice(&metadata).map_err(|error| PackagesError::Form { reason: error.to_string() })?;
    let packages = metadata["packages"].as_array().ok_or(PackagesError::Form { reason: "no `packages`".to_owned() })?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    // A package without a source belongs to the workspace.
    let external = packages.iter().filter(|package| !package["source"].is_null());
    let packages = external.map(|package| RegistryPackage {
        name: text(&package["name"]).unwrap_or_default(),
        version: text(&package["version"]).unwrap_or_default(),
        licence: text(&package["license"]),
    });
    Ok(packages.collect())
}

/// The platform that is built for.
fn platform() -> Result<String, PackagesError> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = String::from_utf8_lossy(&output_of(Command::new(rustc).arg("-vV"))?).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or(PackagesError::Form { reason: "`rustc -vV` names no host".to_owned() })
}

fn check(packages: &[RegistryPackage]) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (name, licence, _) in EXCEPTIONS {
        if !packages.iter().any(|package| package.name == *name) {
            let right = format!("`{name}` is not used any more; take its exception for {licence} out");
            findings.push(TidyFinding::new("xtask/src/tidy/licences.rs", right));
        }
    }
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    for RegistryPackage { name, version, licence } in packages {
        let exceptions: Vec<&str> =
            EXCEPTIONS.iter().filter(|(of, ..)| of == name).map(|(_, licence, _)| *licence).collect();
        let is_met = |licence: &str| ALLOWED.contains(&licence) || exceptions.contains(&licence);
        let said = licence.as_deref().unwrap_or_default();
        let mut expression = Expression { tokens: tokens_of(said), at: 0 };
        if !expression.is_met(&is_met) {
            let said = if said.is_empty() { "no licence".to_owned() } else { format!("`{said}`") };
            refused.insert(format!("{name} {version}"), said);
        }
    }
    let right = |(package, said)| {
        format!("`{package}` has {said}, which {} do not meet; use another package", ALLOWED.join(", "))
    };
    findings.extend(refused.into_iter().map(|refusal| TidyFinding::new(LOCK, right(refusal))));
    findings
}

/// Words and brackets of an expression; `/` is how older packages write `OR`.
fn tokens_of(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Evaluates an SPDX expression from left to right. `OR` binds weaker than `AND`, and `AND` weaker than `WITH`.
struct Expression {
    tokens: Vec<String>,
    at: usize,
}

impl Expression {
    /// Whether licences for which `allowed` holds are enough; false for what is no expression.
    fn is_met(&mut self, allowed: &dyn Fn(&str) -> bool) -> bool {
        self.either(allowed).unwrap_or(false) && self.at == self.tokens.len()
    }

    fn either(&mut self, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
        let mut met = self.evaluate_conjunction(allowed)?;
        while self.take("OR") {
            met |= self.evaluate_conjunction(allowed)?;
        }
        Some(met)
    }

    fn evaluate_conjunction(&mut self, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
        let mut met = self.evaluate_operand(allowed)?;
        while self.take("AND") {
            met &= self.evaluate_operand(allowed)?;
        }
        Some(met)
    }

    fn evaluate_operand(&mut self, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
        if self.take("(") {
            let met = self.either(allowed)?;
            return self.take(")").then_some(met);
        }
        let licence = self.tokens.get(self.at).filter(|token| !["OR", "AND", "WITH", ")"].contains(&token.as_str()))?;
        let met = allowed(licence);
        self.at += 1;
        if self.take("WITH") {
            // An exception only adds to what the licence permits.
            self.tokens.get(self.at)?;
            self.at += 1;
        }
        Some(met)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|next| next == token);
        self.at += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, licence: Option<&str>) -> RegistryPackage {
        RegistryPackage { name: name.to_owned(), version: "1.0.0".to_owned(), licence: licence.map(str::to_owned) }
    }

    /// `packages` and all excepted ones, so that the test gets findings only about `packages`.
    fn with_excepted(packages: impl IntoIterator<Item = RegistryPackage>) -> Vec<RegistryPackage> {
        EXCEPTIONS.iter().map(|(name, licence, _)| package(name, Some(licence))).chain(packages).collect()
    }

    #[test]
    fn expressions_are_met_by_what_is_allowed() {
        for (licence, met) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("GPL-3.0-only AND MIT", false),
            ("MIT AND GPL-3.0-only OR ISC", true),
            ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", true),
            ("(MIT AND GPL-3.0-only) OR GPL-2.0-only", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MPL-2.0", false),
            ("mit", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT ISC", false),
            ("", false),
        ] {
            let packages = with_excepted([package("a", Some(licence))]);
            assert_eq!(check(&packages).is_empty(), met, "{licence}");
        }
    }

    #[test]
    fn a_finding_names_the_package_and_its_licence() {
        let packages = with_excepted([package("a", None), package("b", Some("AGPL-3.0-only"))]);
        let findings: Vec<String> = check(&packages).iter().map(TidyFinding::to_string).collect();
        assert_eq!(findings.len(), 2);
        assert!(findings[0].starts_with("Cargo.lock: `a 1.0.0` has no licence, which 0BSD, "), "{}", findings[0]);
        assert!(findings[1].starts_with("Cargo.lock: `b 1.0.0` has `AGPL-3.0-only`, which "), "{}", findings[1]);
    }

    #[test]
    fn an_exception_is_for_one_package_and_as_long_as_it_is_used() {
        let (name, licence, _) = EXCEPTIONS[0];
        assert_eq!(check(&with_excepted([])), []);
        assert_eq!(check(&with_excepted([package("other", Some(licence))])).len(), 1);
        let findings = check(&[]);
        let right = format!("`{name}` is not used any more; take its exception for {licence} out");
        assert_eq!(findings, [TidyFinding::new("xtask/src/tidy/licences.rs", right)]);
    }
}
