//! What is asked of repositories over the socket, and what is opened for it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use icr_engine::{
    Engine, Freshness, ImpactRules, LocatedRepository, OpenOptions, PackBudgets, PackRules, SilentObserver,
    SyncOptions, ViewSelector, Warm,
};
use icr_fixture::Fixture;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::socket::{AskError, ask};
use crate::{BaseRulesFinder, ConfiguredRepository, RepositoryAccess};

const PATIENCE: Duration = Duration::from_secs(60);

const FILES: &str = "//- a.rs\nfn anchor() {}\n//- src/b.rs\nfn buoy() {}\n";

/// A repository, a home, and the socket of a process in it.
struct Process {
    fixture: Fixture,
    home: TempDir,
    opens: Arc<AtomicUsize>,
    socket: Arc<RepositorySocket>,
}

impl Process {
    /// One whose socket is asked to open.
    fn over(fixture: Fixture) -> Self {
        let home = tempfile::tempdir().unwrap();
        let opens = Arc::new(AtomicUsize::new(0));
        let socket = socket(fixture.root(), home.path(), &opens);
        Self { fixture, home, opens, socket }
    }

    /// One that listens, in a repository that is indexed.
    fn listening() -> Self {
        let process = Self::over(Fixture::new(FILES));
        process.engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
        process.opens();
        process
    }

    #[track_caller]
    fn opens(&self) {
        self.socket.open();
        becomes(|| self.socket.is_listening());
    }

    fn engine(&self) -> Engine {
        Engine::open(OpenOptions::new(self.fixture.root(), self.home.path())).unwrap()
    }

    #[track_caller]
    fn ask(&self, kind: &str, root: &Path) -> Result<Value, String> {
        let request = Request { kind: kind.to_owned(), root: root.to_owned(), body: json!("anchor") };
        let response = ask(self.home.path(), self.engine().repo_id(), &request, PATIENCE).unwrap();
        response.expect("somebody listens").map_err(|error| error.code)
    }

    fn opens_total(&self) -> usize {
        self.opens.load(Ordering::SeqCst)
    }
}

fn socket(root: &Path, home: &Path, opens: &Arc<AtomicUsize>) -> Arc<RepositorySocket> {
    let (opens, home) = (Arc::clone(opens), home.to_owned());
    let (opening, identifying) = (home.clone(), home.clone());
    let places = RepositoryAccess {
        start: root.to_owned(),
        home,
        allowed_roots: Vec::new(),
        open: Arc::new(move |directory| {
            opens.fetch_add(1, Ordering::SeqCst);
            Ok(ConfiguredRepository {
                run: crate::RunRules::default(),
                engine: Engine::open(OpenOptions::new(directory, &opening))?,
                pack: PackRules::default(),
                budgets: PackBudgets::default(),
                final_results: 10,
                impact: ImpactRules::default(),
                catch_up: Duration::from_secs(10),
                watch: true,
                made_of: Vec::new(),
                before: BaseRulesFinder::new(|_| Ok(None)),
                transcripts: crate::TranscriptReader::default(),
            })
        }),
        identify: Arc::new(move |directory| {
            Ok(LocatedRepository::find(directory)?.repo_id(&identifying, None, icr_engine::IdRecording::Allowed)?)
        }),
    };
    let program = Program { version: "1.2.3".to_owned(), since: SystemTime::UNIX_EPOCH + Duration::from_secs(7) };
    RepositorySocket::new(Arc::new(Repositories::new(places)), &program, kinds(), None)
}

/// Everything that a view holds, as text; and whatever waits for its deadline.
fn kinds() -> Vec<RequestKind> {
    let dump: super::super::KindAnswer = Arc::new(|repository, deadline, body| {
        let (dump, _) = repository.ask(&ViewSelector::Worktree, deadline, |snapshot| snapshot.dump())?;
        Ok(json!({"asked": body, "dump": format!("{dump:?}"), "looks": repository.engine().looks()}))
    });
    vec![RequestKind { name: "dump", needs_index: true, answer: dump }]
}

#[track_caller]
fn becomes(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < PATIENCE, "it never comes");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// The view of somebody who has kept nothing.
fn fresh(root: &Path, home: &Path) -> Value {
    let engine = Engine::open(OpenOptions::new(root, home)).unwrap();
    let freshness = Freshness::default();
    let dump = Warm::default()
        .answer(&engine, &ViewSelector::Worktree, &freshness, &SilentObserver, |snapshot| snapshot.dump());
    json!(format!("{:?}", dump.unwrap()))
}

#[test]
fn status_says_who_listens_and_opens_no_store() {
    let process = Process::listening();
    assert_eq!(
        process.ask("status", process.fixture.root()),
        Ok(json!({"pid": std::process::id(), "version": "1.2.3", "since": 7, "indexed": true}))
    );
}

#[test]
fn answers_are_those_of_a_fresh_process_and_come_from_one_warm_view() {
    let process = Process::listening();
    let root = process.fixture.root();
    let mut looks = Vec::new();
    for edit in ["fn anchor() {}\n", "fn anchored() {}\n", "fn anchor() {}\nfn chain() {}\n"] {
        process.fixture.write(&format!("//- a.rs\n{edit}"));
        for _ in 0..2 {
            let answer = process.ask("dump", root).unwrap();
            assert_eq!((&answer["asked"], &answer["dump"]), (&json!("anchor"), &fresh(root, process.home.path())));
            looks.push(answer["looks"].as_u64().unwrap());
        }
    }
    assert_eq!((process.opens_total(), looks), (1, vec![1, 1, 2, 2, 3, 3]));
}

#[test]
fn another_worktree_is_opened_once_and_answered_from_its_own_files() {
    let process = Process::listening();
    let other = process.fixture.worktree("other", "HEAD");
    std::fs::write(other.join("a.rs"), "fn elsewhere() {}\n").unwrap();
    for _ in 0..2 {
        assert_eq!(process.ask("dump", &other).unwrap()["dump"], fresh(&other, process.home.path()));
        let own = process.ask("dump", process.fixture.root()).unwrap();
        assert_eq!(own["dump"], fresh(process.fixture.root(), process.home.path()));
    }
    assert_eq!(process.opens_total(), 2);
}

#[test]
fn another_repository_is_refused_and_not_opened() {
    let process = Process::listening();
    let foreign = Fixture::new("//- x.rs\nfn x() {}\n");
    // One that the user has indexed may be asked by calls, and is still not of this socket.
    for is_indexed in [false, true] {
        if is_indexed {
            let engine = Engine::open(OpenOptions::new(foreign.root(), process.home.path())).unwrap();
            engine.sync(&SyncOptions::default(), &SilentObserver).unwrap();
        }
        for kind in ["dump", "status"] {
            assert_eq!(process.ask(kind, foreign.root()), Err("WRONG_REPOSITORY".to_owned()), "{is_indexed}");
        }
    }
    assert_eq!(process.opens_total(), 0);
}

#[test]
fn what_cannot_be_answered_is_said() {
    let process = Process::listening();
    let root = process.fixture.root().to_owned();
    let check = |kind: &str, root: PathBuf, expected: &str| {
        assert_eq!(process.ask(kind, &root), Err(expected.to_owned()), "{kind} {}", root.display());
    };
    check("nothing", root.clone(), "UNKNOWN_KIND");
    check("", root.clone(), "UNKNOWN_KIND");
    check("dump", PathBuf::from("relative"), "BAD_REQUEST");
    check("dump", root.join("nowhere"), "BAD_REQUEST");
    check("dump", process.home.path().to_owned(), "NOT_A_REPOSITORY");
    let asked = Request { kind: "dump".to_owned(), root, body: Value::Null };
    let none = ask(process.home.path(), process.engine().repo_id(), &asked, Duration::ZERO);
    assert!(matches!(none, Err(AskError::OutOfTime { .. })), "{none:?}");
}

#[test]
fn there_is_no_socket_before_there_is_a_store_and_no_request_makes_an_index() {
    let process = Process::over(Fixture::new(FILES));
    let settled = || !matches!(*process.socket.state(), RepositorySocketState::Opening);
    process.socket.open();
    becomes(settled);
    assert!(!process.home.path().join("run").exists() && !process.socket.is_listening());
    assert!(!process.fixture.root().join(".git/icr").exists(), "not even an id is recorded");
    // A store that is begun and holds nothing.
    process.engine().store().create().unwrap();
    process.opens();
    let root = process.fixture.root();
    assert_eq!(process.ask("dump", root), Err("NOT_INDEXED".to_owned()));
    assert_eq!(process.ask("status", root).unwrap()["indexed"], false);
    assert!(!process.engine().store().is_indexed().unwrap());
    process.engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(process.ask("dump", root).unwrap()["dump"], fresh(root, process.home.path()));
}

#[test]
fn a_process_outside_of_repositories_has_no_socket() {
    let home = tempfile::tempdir().unwrap();
    let socket = socket(home.path(), home.path(), &Arc::default());
    socket.open();
    becomes(|| !matches!(*socket.state(), RepositorySocketState::Opening));
    assert!(!home.path().join("run").exists() && !socket.is_listening());
}

#[test]
fn a_closed_socket_is_gone_and_stays_so() {
    let process = Process::listening();
    process.socket.close();
    let path = process.home.path().join("run").join(format!("{}.sock", process.engine().repo_id()));
    assert!(!path.exists() && !process.socket.is_listening());
    process.socket.open();
    assert!(matches!(*process.socket.state(), RepositorySocketState::Closed));
}

#[test]
fn the_next_process_of_another_worktree_takes_over() {
    let process = Process::listening();
    let other = process.fixture.worktree("other", "HEAD");
    let opens = Arc::new(AtomicUsize::new(0));
    let second = socket(&other, process.home.path(), &opens);
    second.open();
    becomes(|| matches!(*second.state(), RepositorySocketState::Open(_)));
    assert!(!second.is_listening());
    process.socket.close();
    becomes(|| second.is_listening());
    assert_eq!(
        process.ask("dump", process.fixture.root()).unwrap()["dump"],
        fresh(process.fixture.root(), process.home.path())
    );
    assert_eq!((process.opens_total(), opens.load(Ordering::SeqCst)), (0, 1));
}
