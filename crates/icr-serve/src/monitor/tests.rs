//! A kept view against a fresh one: whatever was done in between, the next answer is the same.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use icr_engine::{
    ChangeSource, Deadline, Dump, Freshness, ImpactRequest, ImpactRules, OpenOptions, PackBudgets, PackRules,
    Provenance, SilentObserver, SyncOptions, ViewSelector, Warm,
};
use icr_fixture::Fixture;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{BaseRulesFinder, ConfiguredRepository, ServedRepository, TranscriptReader};

/// A worktree with what an agent meets: directories, an ignored one with a tracked file in it, a link.
const FILES: &str =
    "//- a.rs\nfn a() {}\n//- src/b.rs\nfn b() {}\n//- src/deep/c.rs\nfn c() {}\n//- .gitignore\n*.log\n/out/\n";

/// What is done between two questions.
type Step = fn(&Fixture);

const STEPS: &[(&str, Step)] = &[
    ("add and remove a nested repository", |fixture| {
        fixture.write("//- inner/x.rs\nfn inner() {}\n");
        let _ = fixture.try_git(&["init", "-q", "inner"]);
    }),
    ("append", |fixture| fixture.write("//- src/b.rs\nfn b() {}\nfn more() {}\n")),
    ("checkout a branch", |fixture| {
        let _ = fixture.try_git(&["checkout", "-q", "-B", "topic", "HEAD~1"]);
    }),
    ("chmod", |fixture| {
        let path = fixture.root().join("a.rs");
        let mode =
            if fs::metadata(&path).is_ok_and(|found| found.permissions().mode() & 1 == 0) { 0o755 } else { 0o644 };
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }),
    ("commit all", |fixture| {
        let _ = fixture.try_git(&["add", "-A"]);
        let _ = fixture.try_git(&["commit", "-q", "--allow-empty", "-m", "all"]);
    }),
    ("delete a file", |fixture| drop(fs::remove_file(fixture.root().join("src/deep/c.rs")))),
    ("edit what git ignores and has", |fixture| {
        fixture.write("//- out/kept.rs\nfn kept() {}\n");
        let _ = fixture.try_git(&["add", "-f", "out/kept.rs"]);
        fixture.write("//- out/kept.rs\nfn kept_and_edited() {}\n");
    }),
    ("edit within the second, same size", |fixture| {
        fixture.write("//- a.rs\nfn a() {}\n");
        fixture.write("//- a.rs\nfn x() {}\n");
    }),
    ("ignore more", |fixture| fixture.write("//- .gitignore\n*.log\n/out/\nnew/\n")),
    ("ignore nothing", |fixture| fixture.write("//- .gitignore\n")),
    ("ignore privately", |fixture| {
        let info = fixture.root().join(".git/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("exclude"), "new/\n").unwrap();
    }),
    ("move HEAD under the worktree", |fixture| {
        let _ = fixture.try_git(&["update-ref", "HEAD", "HEAD~1"]);
    }),
    ("nested new directories", |fixture| {
        fixture.write("//- new/one/two/d.rs\nfn d() {}\n//- new/one/e.rs\nfn e() {}\n");
    }),
    ("rebase", |fixture| {
        let _ = fixture.try_git(&["add", "-A"]);
        let _ = fixture.try_git(&["commit", "-q", "--allow-empty", "-m", "before"]);
        let _ = fixture.try_git(&["rebase", "-q", "--force-rebase", "HEAD~1"]);
    }),
    ("remove a directory", |fixture| drop(fs::remove_dir_all(fixture.root().join("new")))),
    ("rename a directory", |fixture| drop(fs::rename(fixture.root().join("src"), fixture.root().join("moved")))),
    ("rename a directory back", |fixture| drop(fs::rename(fixture.root().join("moved"), fixture.root().join("src")))),
    ("rename a file", |fixture| {
        let _ = fs::rename(fixture.root().join("a.rs"), fixture.root().join("z.rs"));
    }),
    ("replace a directory", |fixture| {
        let _ = fs::remove_dir_all(fixture.root().join("src"));
        fixture.write("//- src/b.rs\nfn another() {}\n");
    }),
    ("replace a file by a link", |fixture| {
        let _ = fs::remove_file(fixture.root().join("a.rs"));
        fixture.symlink("src/b.rs", "a.rs");
    }),
    ("replace by renaming over", |fixture| {
        fixture.write("//- .a.rs.tmp\nfn swapped() {}\n");
        fs::rename(fixture.root().join(".a.rs.tmp"), fixture.root().join("a.rs")).unwrap();
    }),
    ("reset", |fixture| {
        let _ = fixture.try_git(&["reset", "-q", "--hard"]);
    }),
    ("stage", |fixture| {
        let _ = fixture.try_git(&["add", "-A"]);
    }),
    ("stash", |fixture| {
        let _ = fixture.try_git(&["stash", "-q", "--include-untracked"]);
    }),
    ("status, which refreshes the index", |fixture| {
        let _ = fixture.try_git(&["status"]);
    }),
    ("touch", |fixture| {
        let again = fs::read(fixture.root().join("src/b.rs"));
        let _ = again.map(|bytes| fs::write(fixture.root().join("src/b.rs"), bytes));
    }),
    ("write ignored files", |fixture| fixture.write("//- x.log\n1\n//- out/y.rs\nfn y() {}\n")),
    ("write into what was moved", |fixture| {
        if fixture.root().join("moved/deep").is_dir() {
            fixture.write("//- moved/deep/f.rs\nfn f() {}\n");
        }
    }),
];

/// A server's repository, and what it is compared with.
struct World {
    fixture: Fixture,
    home: TempDir,
    engine: Engine,
    warm: Warm,
}

impl World {
    fn new(files: &str) -> Self {
        let (fixture, home) = (Fixture::new(files), tempfile::tempdir().unwrap());
        fixture.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
        let engine = watching(fixture.root(), home.path());
        Self { fixture, home, engine, warm: Warm::default() }
    }

    /// The answer of the kept view.
    fn ask(&mut self) -> WorktreeAnswers {
        everything(&mut self.warm, &self.engine)
    }

    /// The answer of somebody who has kept nothing.
    fn fresh(&self) -> WorktreeAnswers {
        everything(&mut Warm::default(), &fresh(self.engine.root(), self.home.path()))
    }

    /// Asks and compares; then asks until nothing is looked at any more, which takes no more than another look.
    #[track_caller]
    fn agrees(&mut self, after: &str) {
        let found = self.ask();
        let expected = self.fresh();
        assert_eq!(found, expected, "after: {after}");
        for _ in 0..2 {
            assert_eq!(self.ask(), expected, "asked again after: {after}");
        }
        let looks = self.engine.looks();
        assert_eq!(self.ask(), expected, "asked once more after: {after}");
        assert_eq!(self.engine.looks(), looks, "nothing is looked at again, after: {after}");
    }
}

fn fresh(root: &Path, home: &Path) -> Engine {
    Engine::open(OpenOptions::new(root, home)).unwrap()
}

fn watching(root: &Path, home: &Path) -> Engine {
    let monitor = Arc::new(Directories(icr_watch::Monitor::start().unwrap()));
    fresh(root, home).with_monitor(monitor, Duration::from_secs(3_600))
}

/// What is asked of the worktree: its dump, where that comes from, and impacts.
type WorktreeAnswers = (Dump, Provenance, Vec<String>);

fn everything(warm: &mut Warm, engine: &Engine) -> WorktreeAnswers {
    let question = |snapshot: &icr_engine::Snapshot| Ok((snapshot.dump()?, snapshot.provenance().clone()));
    let (dump, provenance) =
        warm.answer(engine, &ViewSelector::Worktree, &Freshness::default(), &SilentObserver, question).unwrap();
    (dump, provenance, sources().into_iter().map(|source| impact(warm, engine, source)).collect())
}

/// A change of every kind.
fn sources() -> [ChangeSource; 5] {
    let patch = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1,2 @@\n fn a() {}\n+fn patched() {}\n";
    [
        ChangeSource::Worktree,
        ChangeSource::Staged,
        ChangeSource::Revisions("HEAD~1..HEAD".to_owned()),
        ChangeSource::Patch(patch.as_bytes().into()),
        ChangeSource::Paths(vec!["src/b.rs".to_owned()]),
    ]
}

/// What a change touches, or why that cannot be said, as text.
fn impact(warm: &mut Warm, engine: &Engine, source: ChangeSource) -> String {
    let request = ImpactRequest::new(source);
    match warm.impact(engine, None, &request, &Freshness::default(), &SilentObserver) {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_impact_asked_again_is_told_from_memory_until_something_changes() {
    let mut world = World::new(FILES);
    world.fixture.write("//- a.rs\nfn a() {}\nfn more() {}\n");
    let first = world.ask();
    assert_eq!(world.warm.impacts_told_again(), 0);
    assert_eq!(world.ask(), first);
    // The patch does not apply, and what is refused is not kept.
    assert_eq!(world.warm.impacts_told_again(), 4);
    world.fixture.write("//- src/b.rs\nfn b() {}\nfn changed() {}\n");
    assert_ne!(world.ask(), first);
    // The commits are what they were.
    assert_eq!(world.warm.impacts_told_again(), 5);
    // A link is no part of a view.
    std::os::unix::fs::symlink("a.rs", world.fixture.root().join("linked")).unwrap();
    world.agrees("a link");
    // Another process writes the ledger.
    world.ask();
    world.fixture.git(&["commit", "-q", "-a", "-m", "third"]);
    fresh(world.engine.root(), world.home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    world.agrees("a commit that another process indexed");
}

#[test]
fn after_each_step_the_next_answer_is_that_of_a_fresh_process() {
    for (name, step) in STEPS {
        let mut world = World::new(FILES);
        world.fixture.write("//- untracked.rs\nfn untracked() {}\n");
        world.agrees("nothing");
        step(&world.fixture);
        world.agrees(name);
    }
}

#[test]
fn the_first_question_is_kept_and_looks_once() {
    let mut world = World::new(FILES);
    for _ in 0..3 {
        world.ask();
    }
    assert_eq!(world.engine.looks(), 1);
    world.fixture.write("//- a.rs\nfn edited() {}\n");
    world.ask();
    world.ask();
    assert_eq!(world.engine.looks(), 2);
    // Other views need no look.
    let view = |engine: &Engine, at| {
        let question = |snapshot: &icr_engine::Snapshot| Ok(snapshot.files_total());
        Warm::default().answer(engine, &at, &Freshness::default(), &SilentObserver, question).unwrap()
    };
    view(&world.engine, ViewSelector::Head);
    view(&world.engine, ViewSelector::Revision("HEAD~1".to_owned()));
    assert_eq!(world.engine.looks(), 2);
}

#[test]
fn a_linked_worktree_follows_its_own_files_and_the_shared_branches() {
    let mut world = World::new(FILES);
    let other = world.fixture.worktree("other", "HEAD");
    world.engine = watching(&other, world.home.path());
    world.agrees("nothing");
    fs::write(other.join("src/b.rs"), "fn in_the_other() {}\n").unwrap();
    world.agrees("an edit there");
    world.fixture.write("//- a.rs\nfn in_the_first() {}\n");
    world.agrees("an edit elsewhere");
    world.fixture.git_in(&other, &["commit", "-q", "-a", "-m", "there"]);
    world.agrees("a commit there");
    world.fixture.git(&["commit", "-q", "-a", "-m", "elsewhere"]);
    world.agrees("a commit elsewhere");
    let exclude = world.fixture.root().join(".git/info");
    fs::create_dir_all(&exclude).unwrap();
    fs::write(other.join("n.rs"), "fn n() {}\n").unwrap();
    world.agrees("a new file there");
    fs::write(exclude.join("exclude"), "n.rs\n").unwrap();
    world.agrees("which all worktrees ignore now");
}

#[test]
fn a_store_that_others_write_is_read_again() {
    let mut world = World::new(FILES);
    world.agrees("nothing");
    let another = fresh(world.fixture.root(), world.home.path());
    world.fixture.write("//- a.rs\nfn committed() {}\n");
    world.fixture.git(&["commit", "-q", "-a", "-m", "third"]);
    another.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    world.agrees("another process indexed");
    another.collect_garbage(Duration::ZERO, &SilentObserver).unwrap();
    world.agrees("garbage was collected");
    another.sync(&SyncOptions { rebuild: true, ..SyncOptions::default() }, &SilentObserver).unwrap();
    world.agrees("the store was derived again");
    fs::remove_dir_all(world.engine.store().directory()).unwrap();
    world.agrees("the store was deleted");
}

#[test]
fn vectors_that_were_cut_short_or_deleted_are_derived_again() {
    let mut world = World::new(FILES);
    world.agrees("nothing");
    let vectors = world.engine.store().directory().join("vectors.lmdb");
    let file = fs::File::options().write(true).open(vectors.join("data.mdb")).unwrap();
    let pages = file.metadata().unwrap().len() / 4_096;
    // The upper pages stay, so that opening the file alone tells nothing.
    file.set_len((pages - 1) * 4_096).unwrap();
    world.agrees("the vectors were cut short");
    fs::remove_dir_all(&vectors).unwrap();
    world.agrees("the vectors were deleted");
}

#[test]
fn what_may_be_there_the_next_time_is_looked_for() {
    let mut world = World::new(FILES);
    world.agrees("nothing");
    // More than is indexed in memory, so that the answer lacks some.
    let many: BTreeMap<String, String> =
        (0..4_140).map(|no| (format!("n{no}.rs"), format!("fn n{no}() {{}}\n"))).collect();
    for (path, text) in &many {
        fs::write(world.fixture.root().join(path), text).unwrap();
    }
    let (_, provenance, _) = world.ask();
    assert!(provenance.gaps.contains(&icr_engine::Gap::UncommittedLeftOut { files: 140 }), "{:?}", provenance.gaps);
    assert_eq!(world.ask(), world.fresh());
}

#[test]
fn a_server_watches_unless_it_is_told_not_to() {
    let looks = |watch| {
        let (fixture, home) = (Fixture::new(FILES), tempfile::tempdir().unwrap());
        let opened = ConfiguredRepository {
            engine: fresh(fixture.root(), home.path()),
            pack: PackRules::default(),
            budgets: PackBudgets::default(),
            final_results: 10,
            impact: ImpactRules::default(),
            catch_up: Duration::from_secs(10),
            watch,
            made_of: Vec::new(),
            before: BaseRulesFinder::new(|_| Ok(None)),
            transcripts: TranscriptReader::default(),
            run: crate::RunRules::default(),
        };
        let repository = ServedRepository::new(fixture.root(), opened);
        for _ in 0..2 {
            let files =
                repository.ask(&ViewSelector::Worktree, &Deadline::never(), |snapshot| Ok(snapshot.files_total()));
            assert_eq!(files.unwrap().0, 4);
        }
        repository.engine().looks()
    };
    assert_eq!((looks(true), looks(false)), (1, 0), "without a monitor nobody counts");
}

#[test]
fn a_bound_of_no_time_looks_every_time() {
    let world = World::new(FILES);
    let monitor = Arc::new(Directories(icr_watch::Monitor::start().unwrap()));
    let engine = fresh(world.fixture.root(), world.home.path()).with_monitor(monitor, Duration::ZERO);
    let mut warm = Warm::default();
    for _ in 0..3 {
        let question = |snapshot: &icr_engine::Snapshot| Ok(snapshot.files_total());
        warm.answer(&engine, &ViewSelector::Worktree, &Freshness::default(), &SilentObserver, question).unwrap();
    }
    assert_eq!(engine.looks(), 3);
}

#[test]
fn an_impact_that_lacks_an_object_is_told_again_until_the_object_is_there() {
    let mut world = World::new(FILES);
    world.fixture.write("//- src/b.rs\nfn b() {}\nfn more() {}\n");
    world.fixture.git(&["commit", "-q", "-a", "-m", "third"]);
    let blob = world.fixture.git(&["rev-parse", "HEAD~1:src/b.rs"]);
    let (directory, name) = blob.trim().split_at(2);
    let object = world.fixture.root().join(".git/objects").join(directory).join(name);
    let kept = fs::read(&object).unwrap();
    fs::remove_file(&object).unwrap();
    let ask = |world: &mut World| impact(&mut world.warm, &world.engine, ChangeSource::Revisions("HEAD".to_owned()));
    let lacking = ask(&mut world);
    assert!(lacking.contains("MissingObject"), "{lacking}");
    assert_eq!(ask(&mut world), lacking);
    assert_eq!(world.warm.impacts_told_again(), 1);
    fs::write(&object, kept).unwrap();
    let whole = ask(&mut world);
    assert_eq!(world.warm.impacts_told_again(), 1);
    assert!(!whole.contains("MissingObject"), "{whole}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_steps_leaves_a_ghost(steps in proptest::collection::vec((0..STEPS.len(), any::<bool>()), 1..12)) {
        let mut world = World::new(FILES);
        let mut done = vec!["nothing"];
        for (step, asks) in steps {
            let (name, step) = STEPS[step];
            // What git refuses in this state is no step.
            let stepping = std::panic::AssertUnwindSafe(|| step(&world.fixture));
            let _ = std::panic::catch_unwind(stepping);
            done.push(name);
            if asks {
                prop_assert_eq!(world.ask(), world.fresh(), "after {:?}", done);
            }
        }
        prop_assert_eq!(world.ask(), world.fresh(), "after {:?}", done);
    }
}
