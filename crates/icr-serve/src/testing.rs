//! Helpers for tests of this crate.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use icr_engine::{Engine, ImpactRules, LocatedRepository, OpenOptions, PackBudgets, PackRules};
use icr_fixture::Fixture;

use crate::{BaseRulesFinder, ConfiguredRepository, Repositories, RepositoryAccess, RunRules, TranscriptReader};

/// The repositories of a server that stands in `fixture`, with the icr home `home`.
pub(crate) fn repositories(fixture: &Fixture, home: &Path) -> Repositories {
    let (opening, identifying) = (home.to_owned(), home.to_owned());
    Repositories::new(RepositoryAccess {
        start: fixture.root().to_owned(),
        home: home.to_owned(),
        allowed_roots: Vec::new(),
        open: Arc::new(move |directory| {
            Ok(ConfiguredRepository {
                engine: Engine::open(OpenOptions::new(directory, &opening))?,
                pack: PackRules::default(),
                budgets: PackBudgets::default(),
                final_results: 10,
                impact: ImpactRules::default(),
                run: RunRules::default(),
                catch_up: Duration::from_secs(10),
                watch: false,
                made_of: Vec::new(),
                before: BaseRulesFinder::new(|_| Ok(None)),
                transcripts: TranscriptReader::default(),
            })
        }),
        identify: Arc::new(move |directory| {
            Ok(LocatedRepository::find(directory)?.repo_id(&identifying, None, icr_engine::IdRecording::Allowed)?)
        }),
    })
}
