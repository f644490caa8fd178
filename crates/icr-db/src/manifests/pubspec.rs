//! `pubspec.yaml`: the name of a Dart package.

use super::text;
use crate::graph::{Db, PathInput};
use crate::view::GraphView;

/// Name of the package whose manifest is at `path`; `None` when the manifest does not exist or gives no name.
pub(crate) fn package_at(view: GraphView<'_>, path: &str) -> Option<String> {
    pubspec(view.db(), view.input(path))?
}

/// What is wrong with the manifest at `path`.
pub(super) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    pubspec(view.db(), view.input(path))?.is_none().then(|| "it has no `name`".to_owned())
}

/// The name. It is on its own line without leading spaces, so no more of YAML has to be parsed.
#[salsa::tracked(returns(clone))]
fn pubspec(db: &dyn Db, input: PathInput) -> Option<Option<String>> {
    let text = text(db, input)?;
    Some(name(&String::from_utf8_lossy(&text)))
}

fn name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let value = value.split(" #").next().unwrap_or(value).trim();
    let plain = value.trim_matches(['"', '\'']);
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn the_name_is_a_line_of_its_own() {
        for (text, expected) in [
            ("# a package\nname: bloc\nversion: 1\n", Some("bloc")),
            ("name: \"quoted\" # why\r\n", Some("quoted")),
            ("dependencies:\n  name: inner\n", None),
            ("name:\n", None),
        ] {
            assert_eq!(name(text).as_deref(), expected, "{text:?}");
        }
    }
}
