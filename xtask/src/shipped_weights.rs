//! Writes fitted weights into the crates that ship them.

use std::fs;
use std::path::{Path, PathBuf};

/// A repository that weights are fitted on: directory, where it comes from, a commit.
pub(crate) type FittingRepository = (&'static str, &'static str, &'static str);

const BEGIN: &str = "// fitted: begin";
const END: &str = "// fitted: end";

/// Why weights cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShipError {
    #[error("`{file}` has no `{BEGIN}` and `{END}`")]
    NoMarkers { file: &'static str },
    #[error("{doing} `{}`: {source}", .path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

/// Writes `tables` between the markers of `file`, a path in the workspace.
pub(crate) fn ship(file: &'static str, tables: &str) -> Result<(), ShipError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let io = |doing| {
        let path = path.clone();
        move |source| ShipError::Io { doing, path, source }
    };
    let text = fs::read_to_string(&path).map_err(io("reading"))?;
    let (before, rest) = text.split_once(BEGIN).ok_or(ShipError::NoMarkers { file })?;
    let (_, after) = rest.split_once(END).ok_or(ShipError::NoMarkers { file })?;
    fs::write(&path, format!("{before}{BEGIN}\n{tables}{END}{after}")).map_err(io("writing"))
}
