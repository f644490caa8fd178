//! Gradle, by task and class.

use super::jvm_classes::{ENDINGS, JvmClass};
use super::project::{Project, is_identifier, relative};
use super::{Runner, TestTarget};

const BUILD: &[&str] = &["build.gradle.kts", "build.gradle"];

const SETTINGS: &[&str] = &["settings.gradle.kts", "settings.gradle"];

/// A module is the nearest build script, the root the nearest settings; the wrapper script where there is one.
pub(super) const ROW: Runner =
    Runner { endings: ENDINGS, markers: BUILD, others: &["gradlew", "settings.gradle", "settings.gradle.kts"], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let module = project.nearest(path, BUILD)?;
    let root = project.nearest(path, SETTINGS).map_or(module.directory, |settings| settings.directory);
    let class = JvmClass::of(relative(module.directory, path))?;
    let is_android = module.text.contains("com.android.") || module.text.contains("android {");
    let task = match class.set {
        // These run on a device.
        "androidTest" | "androidInstrumentedTest" => return None,
        "test" if is_android => "testDebugUnitTest",
        // Tests of all platforms of a Kotlin project also run on the JVM.
        "commonTest" => "jvmTest",
        set => set,
    };
    let mut names: Vec<&str> = relative(root, module.directory).split('/').filter(|part| !part.is_empty()).collect();
    if module.directory == root {
        names.clear();
    }
    if !names.iter().all(|name| name.split(['-', '.']).all(is_identifier)) {
        return None;
    }
    let task = if names.is_empty() { task.to_owned() } else { format!(":{}:{task}", names.join(":")) };
    let program = if project.find(root, &["gradlew"]).is_some() { "./gradlew" } else { "gradle" };
    Some(TestTarget::with("gradle", root, &[program, &task], vec!["--tests".to_owned(), class.qualified]))
}
