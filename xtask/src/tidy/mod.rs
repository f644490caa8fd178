//! Rules for the whole workspace. Each row of [`CHECKS`] is one rule, with one test below.

mod crates;
mod documents;
mod files;
mod licences;
mod lock;
mod manifest;
mod methods;
mod names;
mod rust_code;
mod sorted;
mod sources;
mod tree;
mod unsafe_code;

use std::fmt;

pub(crate) use crates::{EDGES, HEAVY};
pub(crate) use manifest::{CargoManifest, manifests};
pub(crate) use tree::Tree;

/// A rule of the workspace, and the function that finds violations.
pub(crate) struct Check {
    /// The fact, in words.
    pub(crate) fact: &'static str,
    /// Returns one finding for each violation.
    pub(crate) run: fn(&Tree) -> Vec<TidyFinding>,
}

/// A violation: its place, and what is expected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TidyFinding {
    path: String,
    /// Line number, counted from 1; 0 for the whole file.
    line: usize,
    right: String,
}

impl TidyFinding {
    /// About a whole file.
    pub(crate) fn new(path: impl Into<String>, right: impl Into<String>) -> Self {
        Self { path: path.into(), line: 0, right: right.into() }
    }

    /// About a line, counted from 1.
    pub(crate) fn at(path: impl Into<String>, line: usize, right: impl Into<String>) -> Self {
        Self { path: path.into(), line, right: right.into() }
    }
}

impl fmt::Display for TidyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.right),
            line => write!(f, "{}:{line}: {}", self.path, self.right),
        }
    }
}

/// All facts, from the structure of the workspace to its words.
pub(crate) const CHECKS: &[Check] = &[
    Check { fact: "crates depend on allowed crates only", run: crates::edges },
    Check { fact: "heavy dependencies have one home each", run: crates::heavy_dependencies },
    Check { fact: "dependencies are pinned in one table", run: manifest::pins },
    Check { fact: "crates inherit lints and say what they are", run: manifest::packages },
    Check { fact: "licences are allowed ones", run: licences::licences },
    Check { fact: "packages are no more than were agreed to", run: lock::packages },
    Check { fact: "documents exist and name every crate", run: documents::documents },
    Check { fact: "generated tables are up to date", run: documents::generated_tables },
    Check { fact: "files are small", run: files::sizes },
    Check { fact: "files name no place of one machine", run: files::places },
    Check { fact: "rows are sorted where files say so", run: sorted::sorted },
    Check { fact: "modules and types have words of the domain", run: names::names },
    Check { fact: "names say which thing they are of", run: names::bare_names },
    Check { fact: "types of the engine and the servers are about one thing", run: methods::methods },
    Check { fact: "code is finished and does not sleep", run: sources::sources },
    Check { fact: "pure crates and views stay what they are", run: sources::forbidden_in_crates },
    Check { fact: "languages are named in tables only", run: sources::language_names },
    Check { fact: "unsafe code is where it was agreed to", run: unsafe_code::unsafe_code },
    Check { fact: "packages come from one registry", run: lock::origins },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(run: fn(&Tree) -> Vec<TidyFinding>) {
        let tree = Tree::of_workspace().expect("the workspace can be read");
        let findings: Vec<String> = run(&tree).iter().map(TidyFinding::to_string).collect();
        assert!(findings.is_empty(), "\n{}", findings.join("\n"));
    }

    macro_rules! facts_of_the_workspace {
        ($($name:ident: $run:path;)*) => {
            $(#[test] fn $name() { check($run); })*

            #[test]
            fn every_check_has_a_test() {
                let tested: &[fn(&Tree) -> Vec<TidyFinding>] = &[$($run),*];
                assert_eq!(tested.len(), CHECKS.len());
                for check in CHECKS {
                    assert!(tested.iter().any(|run| std::ptr::fn_addr_eq(*run, check.run)), "{}", check.fact);
                }
            }
        };
    }

    facts_of_the_workspace! {
        crates_depend_on_allowed_crates_only: crates::edges;
        heavy_dependencies_have_one_home_each: crates::heavy_dependencies;
        dependencies_are_pinned_in_one_table: manifest::pins;
        crates_inherit_lints_and_say_what_they_are: manifest::packages;
        licences_are_allowed_ones: licences::licences;
        packages_are_no_more_than_were_agreed_to: lock::packages;
        documents_exist_and_name_every_crate: documents::documents;
        generated_tables_are_up_to_date: documents::generated_tables;
        files_are_small: files::sizes;
        files_name_no_place_of_one_machine: files::places;
        rows_are_sorted_where_files_say_so: sorted::sorted;
        modules_and_types_have_words_of_the_domain: names::names;
        names_say_which_thing_they_are_of: names::bare_names;
        types_of_the_engine_and_the_servers_are_about_one_thing: methods::methods;
        code_is_finished_and_does_not_sleep: sources::sources;
        pure_crates_and_views_stay_what_they_are: sources::forbidden_in_crates;
        languages_are_named_in_tables_only: sources::language_names;
        unsafe_code_is_where_it_was_agreed_to: unsafe_code::unsafe_code;
        packages_come_from_one_registry: lock::origins;
    }

    #[test]
    fn a_finding_names_its_place() {
        assert_eq!(TidyFinding::new("a.rs", "right").to_string(), "a.rs: right");
        assert_eq!(TidyFinding::at("a.rs", 7, "right").to_string(), "a.rs:7: right");
    }
}
