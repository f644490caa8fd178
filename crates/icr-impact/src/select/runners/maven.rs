//! Maven with Surefire and Failsafe, by module and class.

use super::jvm_classes::{ENDINGS, JvmClass};
use super::project::{FoundManifest, Project, is_identifier, relative};
use super::scan::xml_texts;
use super::{Runner, TestTarget};

const POM: &[&str] = &["pom.xml"];

/// The wrapper script where there is one.
pub(super) const ROW: Runner = Runner { endings: ENDINGS, markers: POM, others: &["mvnw"], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let poms: Vec<FoundManifest<'_>> = project.above(path, POM).collect();
    let module = poms.first()?;
    let root =
        poms.windows(2).take_while(|pair| lists(&pair[1], pair[0].directory)).last().map_or(module, |pair| &pair[1]);
    let class = JvmClass::of(relative(module.directory, path))?;
    let program = if project.find(root.directory, &["mvnw"]).is_some() { "./mvnw" } else { "mvn" };
    let below = relative(root.directory, module.directory);
    let is_plain = below.split('/').all(|part| part.split(['-', '.']).all(is_identifier));
    let mut head = vec![program];
    if root.directory != module.directory {
        // The modules that this one needs are built too; they have no test of this name, which must not count as a
        // failure.
        head.extend(["-pl", is_plain.then_some(below)?, "-am"]);
    }
    let is_integration = class.name.ends_with("IT") || class.name.ends_with("ITCase");
    let (open, none, phase) = match is_integration {
        true => ("-Dit.test=", "-Dfailsafe.failIfNoSpecifiedTests=false", "verify"),
        false => ("-Dtest=", "-Dsurefire.failIfNoSpecifiedTests=false", "test"),
    };
    let tail: &[&str] = if root.directory == module.directory { &[phase] } else { &[none, phase] };
    let target = TestTarget::new("maven", root.directory, &head, class.name).with_joint(open, ",", "").tail(tail);
    // Surefire runs all unit tests before Failsafe runs the chosen ones.
    Some(TestTarget { runs_more: is_integration, ..target })
}

/// Whether a parent lists the module in `directory`.
fn lists(parent: &FoundManifest<'_>, directory: &str) -> bool {
    let below = relative(parent.directory, directory);
    xml_texts(parent.text, "module")
        .iter()
        .any(|module| module.trim_end_matches("/pom.xml").trim_end_matches('/') == below)
}
