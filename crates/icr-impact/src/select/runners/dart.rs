//! `dart test` and `flutter test`.

use super::project::relative;
use super::quote::argument;
use super::{Runner, TestTarget};

/// A package that depends on Flutter's test library is tested by Flutter.
pub(super) const ROW: Runner = Runner {
    endings: &[".dart"],
    markers: &["pubspec.yaml"],
    others: &[],
    target: |project, path| {
        let package = project.nearest(path, &["pubspec.yaml"])?;
        let argument = argument(relative(package.directory, path));
        let (runner, program) = match package.text.contains("flutter_test:") {
            true => ("flutter test", "flutter"),
            false => ("dart test", "dart"),
        };
        Some(TestTarget::new(runner, package.directory, &[program, "test"], argument))
    },
};
