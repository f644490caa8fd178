//! Questions that can be asked, drawn by chance.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::scenario::World;

/// Words of texts, names of files and of definitions.
pub(crate) const NAMES: [&str; 7] = ["alpha", "beta", "gamma", "delta", "omega", "parse", "render"];

/// Numbers that look random and are the same for one seed: SplitMix64 of Steele, Lea and Flood, 2014.
#[derive(Debug, Clone)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 33) as usize % bound
    }

    /// One of `values`.
    pub(crate) fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// One of `values`, if there is any.
    pub(crate) fn any<'v>(&mut self, values: &'v [String]) -> Option<&'v str> {
        (!values.is_empty()).then(|| values[self.below(values.len())].as_str())
    }
}

/// Somebody's question.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// A command line, run in a worktree.
    Typed { root: PathBuf, args: Vec<String>, input: Option<String> },
    /// A call of a tool.
    Called { tool: &'static str, arguments: Value },
}

impl Question {
    /// A question about what there is now or was once.
    pub(crate) fn draw(draws: &mut Draws, world: &World) -> Self {
        let root = world.roots[draws.below(world.roots.len())].clone();
        let revisions = world.revisions();
        // Half of the questions are about the worktree.
        let revision = (draws.below(2) == 0).then(|| draws.any(&revisions).map(str::to_owned)).flatten();
        let files = world.lines(&["ls-tree", "-r", "--name-only", revision.as_deref().unwrap_or("HEAD")]);
        let file = draws.any(&files).unwrap_or("README.md").to_owned();
        let (word, other) = (draws.of(&NAMES).to_owned(), draws.of(&NAMES));
        let words = format!("{word} {other}");
        let range = format!("{}..{}", draws.any(&revisions).unwrap_or("HEAD"), draws.any(&revisions).unwrap_or("HEAD"));
        let patch = world.lines(&["diff", "--binary", draws.any(&revisions).unwrap_or("HEAD")]).join("\n") + "\n";
        if draws.below(3) == 0 {
            return Self::typed(draws, root, revision, [file, word, words, range, patch]);
        }
        Self::called(draws, world, root, revision, [file, word, words, range, patch])
    }

    fn typed(draws: &mut Draws, root: PathBuf, revision: Option<String>, texts: [String; 5]) -> Self {
        let [file, word, words, range, patch] = texts;
        let commands: [&[&str]; 25] = [
            &["search", &words],
            &["search", "--mode", "lexical", &word],
            &["search", "--mode", "semantic", &words],
            &["search", "--mode", "grep", &word],
            &["search", "--scope", "diffs", &word],
            &["search", "--scope", "contracts", &word],
            &["symbols", &word],
            &["refs", &word],
            &["map", "--depth", "4"],
            &["read", &file],
            &["slice", &file, &word],
            &["neighbors", &file],
            &["graph"],
            &["graph", "--refs"],
            &["cochange"],
            &["cochange", &file],
            &["commands"],
            &["pack", &words],
            &["context", &words],
            &["plan", &words],
            &["impact"],
            &["impact", "--staged"],
            &["impact", &range],
            &["impact", "--paths", &file],
            &["impact", "-"],
        ];
        let command = commands[draws.below(commands.len())];
        let mut args: Vec<String> = command.iter().map(|arg| (*arg).to_owned()).collect();
        if let Some(revision) = revision.filter(|_| command[0] != "impact") {
            args.extend(["--at".to_owned(), revision]);
        }
        // The store then lags behind, and its reader makes up for it.
        if draws.below(4) == 0 {
            args.push("--read-only".to_owned());
        }
        let input = (command.last() == Some(&"-")).then_some(patch);
        Self::Typed { root, args, input }
    }

    fn called(draws: &mut Draws, world: &World, root: PathBuf, revision: Option<String>, texts: [String; 5]) -> Self {
        let [file, word, words, range, patch] = texts;
        let calls: [(&'static str, Value); 19] = [
            ("env_peek", json!({"path": file, "start_line": 1, "end_line": 10})),
            ("env_peek", json!({"path": file, "start_line": 1, "end_line": 40})),
            ("env_peek", json!({"path": file, "start_line": 2, "end_line": 9})),
            ("env_slice", json!({"path": file, "symbol": word})),
            ("env_search", json!({"query": word, "scope": "repo"})),
            ("env_search", json!({"query": words, "scope": "repo"})),
            ("env_search", json!({"query": words, "scope": "diffs"})),
            ("env_search", json!({"query": word, "scope": "contracts"})),
            ("project_symbol_search", json!({"query": word})),
            ("project_map", json!({"include_stats": true})),
            ("graph_neighbors", json!({"path": file})),
            ("memory_pack", json!({"prompt": words})),
            ("context_pack", json!({"goal": words})),
            ("project_commands", json!({})),
            ("rlm_plan", json!({"task": words, "scope": "repo"})),
            ("impact_diff", json!({"range": range})),
            ("impact_diff", json!({"diff": patch})),
            ("impact_diff", json!({})),
            ("project_impact", json!({"changed_paths": [file]})),
        ];
        let (tool, mut arguments) = calls[draws.below(calls.len())].clone();
        let fields: &mut Map<String, Value> = arguments.as_object_mut().expect("arguments are objects");
        let takes_revision = !matches!(tool, "impact_diff" | "project_impact");
        if let Some(revision) = revision.filter(|_| takes_revision) {
            fields.insert("rev".to_owned(), json!(revision));
        }
        if root != world.roots[0] || draws.below(2) == 0 {
            fields.insert("repo_root".to_owned(), json!(root));
        }
        Self::Called { tool, arguments }
    }
}
