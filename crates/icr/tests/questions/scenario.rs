//! A repository with a linked worktree, one store, one server that never ends, and what happens to them.

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use icr_fixture::Fixture;
use serde_json::json;

use crate::place::Place;
use crate::question::{Draws, NAMES, Question};
use crate::server::{Era, Server};

/// Bytes of a file that is read under the usual size limit and not under a small one of 10 KiB.
const MEDIUM: usize = 14_000;

/// Bytes of a file above the usual size limit of 500 KiB.
const LARGE: usize = 600_000;

/// Everything that a history happens to.
pub(crate) struct World {
    pub(crate) place: Place,
    /// Roots of worktrees: the repository's own, then a linked one where there is one.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) server: Server,
    /// A process that indexes beside the questions.
    indexing: Option<Child>,
    names_given: usize,
}

impl World {
    /// A repository with some commits, an index of the last one, and a server that was asked nothing.
    pub(crate) fn new() -> Self {
        let place = Place::of(Fixture::new("//- README.md\n# alpha\n\nWhat beta does for gamma.\n"));
        let server = Server::ready(&place, Era::Modern);
        let roots = vec![place.root().to_owned()];
        let world = Self { place, roots, server, indexing: None, names_given: 0 };
        let mut draws = Draws::new(7);
        // More than one index of HEAD lists, so that questions about the past index in memory.
        for _ in 0..15 {
            world.write_some(&mut draws, 3);
            world.commit("begin");
        }
        world.place.index();
        world
    }

    /// One more event; says which.
    pub(crate) fn happen(&mut self, draws: &mut Draws) -> String {
        let name = draws.of(&NAMES);
        match draws.below(30) {
            0..=2 => self.told("edit", |world| world.write_some(draws, 1)),
            3..=6 => self.told("commit some times", |world| {
                for _ in 0..=draws.below(4) {
                    world.write_some(draws, 2);
                    world.commit(name);
                }
            }),
            7 => self.told("delete a file", |world| {
                let files = world.lines(&["ls-files"]);
                if let Some(file) = draws.any(&files) {
                    let _ = fs::remove_file(world.place.root().join(file));
                }
            }),
            8 => self.told("rename a file", |world| {
                let files = world.lines(&["ls-files", "*.py", "*.ts"]);
                if let Some(file) = draws.any(&files) {
                    let to = format!("lib/{name}_{}", file.rsplit('/').next().unwrap_or(file));
                    let _ = fs::create_dir_all(world.place.root().join("lib"));
                    world.git(&["mv", "-f", file, &to]);
                    world.commit("rename");
                }
            }),
            9 => self.told("amend", |world| {
                world.write_some(draws, 1);
                world.git(&["add", "-A"]);
                world.git(&["commit", "-q", "--allow-empty", "--amend", "-m", name]);
            }),
            10 => self.told("revert, so that two commits have one tree", |world| {
                world.commit("before a revert");
                world.git(&["revert", "--no-edit", "HEAD"]);
                world.git(&["revert", "--no-edit", "HEAD"]);
            }),
            11 => self.told("branch", |world| {
                world.names_given += 1;
                world.git(&["switch", "-q", "-c", &format!("b{}", world.names_given)]);
            }),
            12..=13 => self.told("switch", |world| {
                world.git(&["stash", "-q", "-u"]);
                let branches = world.lines(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
                if let Some(branch) = draws.any(&branches) {
                    world.git(&["switch", "-q", branch]);
                }
            }),
            14 => self.told("detach", |world| {
                world.git(&["stash", "-q", "-u"]);
                let commits = world.commits();
                if let Some(commit) = draws.any(&commits) {
                    world.git(&["checkout", "-q", "--detach", commit]);
                }
            }),
            15 => self.told("rebase", |world| {
                world.git(&["stash", "-q", "-u"]);
                let branches = world.lines(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
                if let Some(branch) = draws.any(&branches)
                    && !world.git(&["rebase", "-q", branch])
                {
                    world.git(&["rebase", "--abort"]);
                }
            }),
            16 => self.told("reset, and git forgets what was", |world| {
                world.git(&["reset", "-q", "--hard", "HEAD~1"]);
                world.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
                world.git(&["gc", "-q", "--prune=now"]);
            }),
            17 => self.told("tag", |world| {
                world.names_given += 1;
                world.git(&["tag", "-m", "a tag", &format!("t{}", world.names_given)]);
            }),
            18 => self.told("a linked worktree", |world| {
                if world.roots.len() == 1 {
                    let linked = world.place.fixture.worktree("linked", "HEAD");
                    world.roots.push(linked);
                }
                let file = world.roots[1].join(format!("{name}.py"));
                fs::write(file, text(draws, "py")).expect("the worktree can be written");
            }),
            19 => self
                .told("a smaller size limit", |world| world.write(".icr.toml", "[watcher]\nmax_file_size_kb = 10\n")),
            20 => self.told("the usual size limit", |world| {
                let _ = fs::remove_file(world.place.root().join(".icr.toml"));
            }),
            21 => self.told("a size limit on a branch", |world| {
                world.names_given += 1;
                world.git(&["switch", "-q", "-c", &format!("b{}", world.names_given)]);
                world.write(".icr.toml", "[watcher]\nmax_file_size_kb = 12\n");
                world.commit("a limit");
            }),
            22 => self.told("other ignore rules", |world| {
                let rules = ["", "*.ts\n", "lib/\n!lib/beta.py\n"];
                world.write(".icrignore", draws.of(&rules));
            }),
            23 => self.told("two commits of a file above the limit", |world| {
                for _ in 0..2 {
                    let line = format!("{}-{}\n", draws.of(&NAMES), draws.below(1_000));
                    world.write("pnpm-lock.yaml", &line.repeat(LARGE / line.len() + 1));
                    world.commit("lock");
                }
            }),
            24 => self.told("a file above a small limit", |world| {
                let mut content = String::new();
                while content.len() < MEDIUM {
                    content.push_str(&text(draws, "py"));
                }
                world.write("src/table.py", &content);
                world.commit("table");
            }),
            25 => self.told("another process indexes", |world| {
                world.write_some(draws, 2);
                world.commit("beside");
                world.indexing = world.place.icr(&["index", "--quiet"]).spawn().ok();
            }),
            26 => self.told("icr gc", |world| drop(world.place.icr(&["gc", "--quiet"]).output())),
            27 => self.told("icr index --rebuild", |world| {
                drop(world.place.icr(&["index", "--rebuild", "--quiet"]).output())
            }),
            28 => self.told("staged", |world| {
                world.write_some(draws, 2);
                world.git(&["add", "-A"]);
                world.write_some(draws, 1);
            }),
            _ => self.told("another process indexes a revision", |world| {
                let commits = world.commits();
                if let Some(commit) = draws.any(&commits) {
                    drop(world.place.icr(&["index", "--quiet", "--at", commit]).output());
                }
            }),
        }
    }

    /// Waits for what goes on beside the questions.
    pub(crate) fn settle(&mut self) {
        if let Some(mut indexing) = self.indexing.take() {
            let _ = indexing.wait();
        }
    }

    /// Asks the server, if it is a question for one.
    pub(crate) fn ask_server(&mut self, question: &Question) {
        if let Question::Called { tool, arguments } = question {
            self.server.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        }
    }

    /// Revisions that may be asked, as somebody types them.
    pub(crate) fn revisions(&self) -> Vec<String> {
        let mut names = vec!["HEAD".to_owned()];
        let depth = self.lines(&["rev-list", "--first-parent", "--max-count=12", "HEAD"]).len();
        names.extend((1..depth).map(|steps| format!("HEAD~{steps}")));
        names.extend(self.lines(&["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags"]));
        let commits = self.commits();
        names.extend(commits.iter().map(|commit| commit[..12].to_owned()));
        names
    }

    /// Commits of all branches, newest first.
    pub(crate) fn commits(&self) -> Vec<String> {
        self.lines(&["rev-list", "--all", "--max-count=20"])
    }

    /// Output of git in the first worktree, by lines; none where git refuses.
    pub(crate) fn lines(&self, args: &[&str]) -> Vec<String> {
        self.place.fixture.try_git(args).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn told(&mut self, event: &str, happen: impl FnOnce(&mut Self)) -> String {
        happen(self);
        event.to_owned()
    }

    /// Whether git did it.
    fn git(&self, args: &[&str]) -> bool {
        self.place.fixture.try_git(args).is_ok()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn write(&self, path: &str, content: &str) {
        self.place.fixture.write_bytes(path, content.as_bytes());
    }

    fn write_some(&self, draws: &mut Draws, most: usize) {
        for _ in 0..=draws.below(most) {
            let language = draws.of(&["py", "py", "ts", "md"]);
            let path = format!("{}/{}.{language}", draws.of(&["src", "lib", "src/deep"]), draws.of(&NAMES));
            self.write(&path, &text(draws, language));
        }
    }
}

/// A text of few words, so that names, lines and whole files collide.
fn text(draws: &mut Draws, language: &str) -> String {
    let mut text = String::new();
    let (one, other, number) = (draws.of(&NAMES), draws.of(&NAMES), draws.below(40));
    match language {
        "py" => {
            text.push_str(&format!("from {one} import {other}\n\n"));
            for _ in 0..=draws.below(3) {
                let (name, called, number) = (draws.of(&NAMES), draws.of(&NAMES), draws.below(40));
                text.push_str(&format!(
                    "def {name}(a, b={number}):\n    \"\"\"Do the {called} of {one}, {number}.\"\"\"\n    return {called}(a)\n\n\n"
                ));
            }
        }
        "ts" => text.push_str(&format!(
            "import {{ {other} }} from './{one}';\n\nexport interface I{one} {{ v: number }}\n\nexport function {one}(x: I{one}) {{\n  return {other}(x, {number});\n}}\n"
        )),
        _ => text.push_str(&format!("# {one} {number}\n\nWhat {other} does for {one}.\n")),
    }
    text
}
