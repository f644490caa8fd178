//! Processes beside this one: this test binary again, told by its environment what to do.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use icr_model::Recipe;
use icr_vector::{Options, Space, VectorEncoding, Vectors};

use super::{clustered, open, put};

const WORK: &str = "ICR_VECTOR_TESTS_WORK";
const DIRECTORY: &str = "ICR_VECTOR_TESTS_DIRECTORY";

/// What a child does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Writes [`GROWN`] chunks.
    Grow,
    /// Writes a batch after the other, and a line after each, until it is killed.
    Commit,
    /// Opens the vectors where it may have [`ADDRESSES`] bytes of address space.
    OpenInLimit,
}

/// Bytes of address space of [`Work::OpenInLimit`].
pub(crate) const ADDRESSES: u64 = 4 << 30;

/// The space of the children.
pub(crate) const SPACE: Space = Space { recipe: Recipe(64), dims: 64, form: VectorEncoding::Scaled, by_content: false };

/// Chunks of [`Work::Grow`]: four times the map of the parent.
pub(crate) const GROWN: u32 = 16_384;

/// Chunks of a commit of [`Work::Commit`].
pub(crate) const BATCH: u32 = 1_000;

pub(crate) fn spawn(work: Work, directory: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a test has an executable"));
    command.args(["--exact", "child::child", "--nocapture"]);
    command.env(WORK, format!("{work:?}")).env(DIRECTORY, directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a test can start itself")
}

/// Kills a child that commits, some time after `commits` commits.
pub(crate) fn kill_while_committing(directory: &Path, commits: u32) {
    let mut child = spawn(Work::Commit, directory);
    let lines = BufReader::new(child.stdout.take().expect("a pipe was asked for")).lines();
    let committed = lines.map_while(Result::ok).filter(|line| line.contains("committed"));
    assert_eq!(committed.take(commits as usize).count(), commits as usize, "the child ended by itself");
    child.kill().expect("the child is running");
    child.wait().expect("the child is ours");
}

/// What a child does when this binary is started as one; nothing otherwise.
#[test]
fn child() {
    let Ok(work) = std::env::var(WORK) else { return };
    let directory = std::env::var_os(DIRECTORY).expect("a child is told where to work");
    let directory = Path::new(&directory);
    if work == format!("{:?}", Work::Grow) {
        let vectors = Vectors::open(directory, Options::default()).expect("a directory of our own");
        put(&vectors, &SPACE, 0, &clustered(GROWN as usize, 64, 1));
        return;
    }
    #[cfg(target_os = "linux")]
    if work == format!("{:?}", Work::OpenInLimit) {
        use rustix::process::{Resource, Rlimit, setrlimit};
        setrlimit(Resource::As, Rlimit { current: Some(ADDRESSES), maximum: Some(ADDRESSES) })
            .expect("less is allowed");
        let vectors = Vectors::open(directory, Options::default()).expect("a directory of our own");
        assert_eq!(vectors.map_bytes(), ADDRESSES / 8);
        let mut rest = Vec::<u8>::new();
        rest.try_reserve_exact(ADDRESSES as usize / 4 * 3).expect("most of it is for everything else");
        return;
    }
    let (vectors, rows) = (open(directory), clustered(BATCH as usize, 64, 2));
    for batch in 0.. {
        put(&vectors, &SPACE, batch * BATCH, &rows);
        if writeln!(std::io::stdout(), "\ncommitted").is_err() {
            return;
        }
    }
}
