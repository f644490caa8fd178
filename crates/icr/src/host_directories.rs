//! Finds the directories of coding agents from the environment.

use icr_agents::hosts::{HostDirectories, Platform};
use icr_engine::LocatedRepository;

use crate::environment;
use crate::problem::Usage;

/// The directories where hosts keep the user's files and those of `project`.
///
/// # Errors
///
/// Where the user has no home directory.
pub(crate) fn host_directories(project: Option<&LocatedRepository>) -> anyhow::Result<HostDirectories> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| Usage {
        message: "there is no home directory: HOME is no absolute path".to_owned(),
        hint: Some("set HOME to the directory that holds the configuration of your agents".to_owned()),
    })?;
    let variables = environment::variables();
    let is_known = |name: &str| HostDirectories::VARIABLES.contains(&name);
    Ok(HostDirectories {
        home,
        platform: Platform::THIS,
        variables: variables.into_iter().filter(|(name, _)| is_known(name)).collect(),
        project: project.map(|located| located.root().to_owned()),
    })
}
