//! testthat, for R packages.

use super::project::relative;
use super::{Runner, TestTarget};

/// The filter is a regular expression for the names of files without `test-` and the extension.
pub(super) const ROW: Runner = Runner {
    endings: &[".R", ".r"],
    markers: &["DESCRIPTION"],
    others: &[],
    target: |project, path| {
        let package = project.nearest(path, &["DESCRIPTION"])?;
        let name = relative(package.directory, path).strip_prefix("tests/testthat/")?.strip_prefix("test")?;
        let name = name.trim_start_matches(['-', '_']).rsplit_once('.')?.0;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (!name.is_empty() && name.bytes().all(plain)).then(|| {
            let head = ["Rscript", "-e"];
            TestTarget::new("testthat", package.directory, &head, name).with_joint(
                "testthat::test_local(filter = \"^(",
                "|",
                ")$\")",
            )
        })
    },
};
