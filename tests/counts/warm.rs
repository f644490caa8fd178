//! What a long-lived process keeps from one question for the next.

use std::collections::BTreeMap;

use icr_engine::{Freshness, NeighborsRequest, SilentObserver, ViewSelector, Warm};
use icr_fixture::Fixture;
use icr_tests::{empty_home, engine};

/// Fifty modules that each import the next, and one that all import.
fn project() -> Fixture {
    let module = |number: usize| {
        format!("//- app/m{number}.py\nfrom . import base\nfrom . import m{}\n\ndef run(): pass\n", number + 1)
    };
    let modules: String = (0..50).map(module).collect();
    Fixture::new(&format!("//- app/__init__.py\n//- app/base.py\ndef load(): pass\n{modules}"))
}

/// A process that answers one question again and again.
struct Session {
    fixture: Fixture,
    home: tempfile::TempDir,
    warm: Warm,
}

impl Session {
    fn new() -> Self {
        Self { fixture: project(), home: empty_home(), warm: Warm::default() }
    }

    /// How many files import `path`, and how often each kind of query ran for it.
    fn importers(&mut self, path: &str) -> (usize, BTreeMap<String, u64>) {
        let request = NeighborsRequest { path: path.to_owned(), depth: 1, changed_together: 0 };
        let engine = engine(self.fixture.root(), self.home.path());
        let found = self
            .warm
            .answer(&engine, &ViewSelector::Worktree, &Freshness::default(), &SilentObserver, |snapshot| {
                icr_engine::neighbors(snapshot, &request)
            })
            .expect("the file is in the view");
        (found.importers.len(), self.warm.take_executed())
    }
}

fn ran(executed: &BTreeMap<String, u64>, names: [&str; 3]) -> [u64; 3] {
    names.map(|name| executed.get(name).copied().unwrap_or_default())
}

/// Blobs read, files resolved, reverse look-ups.
const COUNTED: [&str; 3] = ["statements_in", "resolved_imports", "importers"];

#[test]
fn a_question_asked_again_runs_nothing() {
    let mut session = Session::new();
    let (importers, first) = session.importers("app/base.py");
    assert_eq!(importers, 50);
    assert!(ran(&first, COUNTED)[1] >= 50, "{first:?}");
    assert_eq!(session.importers("app/base.py"), (50, BTreeMap::new()));
}

#[test]
fn an_edit_costs_the_edited_file() {
    let mut session = Session::new();
    session.importers("app/base.py");
    session.fixture.write("//- app/m7.py\nfrom . import base\nfrom . import m8\n\ndef run(): return 7\n");
    let (importers, executed) = session.importers("app/base.py");
    assert_eq!((importers, ran(&executed, COUNTED)), (50, [1, 0, 0]));
    session.fixture.write("//- app/m7.py\nfrom . import m8\n\ndef run(): return 7\n");
    let (importers, executed) = session.importers("app/base.py");
    assert_eq!(importers, 49);
    let [read, resolved, looks] = ran(&executed, COUNTED);
    assert!(read <= 1 && resolved <= 1 && looks == 1, "{executed:?}");
}

#[test]
fn a_switch_costs_what_differs_and_a_return_reads_no_blob() {
    let mut session = Session::new();
    session.fixture.git(&["switch", "-q", "-c", "other"]);
    session.fixture.write(
        "//- app/m1.py\nfrom . import m2\n//- app/m2.py\nfrom . import m3\n//- app/base.py\ndef load(): return 1\n",
    );
    session.fixture.commit("two modules need less");
    session.fixture.git(&["switch", "-q", "main"]);
    assert_eq!(session.importers("app/base.py").0, 50);
    session.fixture.git(&["switch", "-q", "other"]);
    let (importers, executed) = session.importers("app/base.py");
    assert_eq!(importers, 48);
    let [read, resolved, looks] = ran(&executed, COUNTED);
    assert!(read <= 3 && resolved <= 3 && looks == 1, "{executed:?}");
    session.fixture.git(&["switch", "-q", "main"]);
    let (importers, executed) = session.importers("app/base.py");
    assert_eq!(importers, 50);
    assert_eq!(ran(&executed, COUNTED)[0], 0, "{executed:?}");
}
