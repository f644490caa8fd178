//! PHPUnit, Pest and Codeception.

use super::project::{Project, is_identifier, relative, stem};
use super::quote::argument;
use super::{Runner, TestTarget};

const ROOTS: &[&str] = &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "composer.json"];

/// What `composer.json` requires, or a configuration of PHPUnit.
pub(super) const ROW: Runner = Runner { endings: &[".php", ".phpt"], markers: ROOTS, others: &[], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let root = project.nearest(path, ROOTS)?.directory;
    let requires = |package: &str| {
        project.find(root, &["composer.json"]).is_some_and(|composer| composer.text.contains(&format!("\"{package}\"")))
    };
    let file = argument(relative(root, path));
    if path.ends_with("Cest.php") {
        return Some(TestTarget::with("codeception", root, &["vendor/bin/codecept", "run", &file], Vec::new()));
    }
    let is_configured = project.find(root, &ROOTS[..3]).is_some();
    let (runner, program) = match () {
        () if requires("pestphp/pest") => ("pest", "vendor/bin/pest"),
        () if requires("symfony/phpunit-bridge") && !requires("phpunit/phpunit") => {
            ("phpunit", "vendor/bin/simple-phpunit")
        }
        () if is_configured || requires("phpunit/phpunit") => ("phpunit", "vendor/bin/phpunit"),
        () => return None,
    };
    let class = stem(path);
    if path.ends_with(".phpt") || !is_identifier(class) {
        return Some(TestTarget::with(runner, root, &[program, &file], Vec::new()));
    }
    // Before its version 10 PHPUnit runs only the first of several files, so that several are chosen by their classes.
    Some(
        TestTarget::new(runner, root, &[program], class)
            .with_joint("--filter=\\b(", "|", ")::")
            .with_single_arguments(vec![file]),
    )
}
