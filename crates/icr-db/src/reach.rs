//! Sets of files, and the files that a file reaches through imports.

use salsa::plumbing::AsId;

use crate::exports::exports;
use crate::graph::PathInput;
use crate::resolve::imported_files;
use crate::view::GraphView;

/// A set of files: one bit per file, in blocks that are allocated when they get their first file. The numbers of
/// inputs are close together, in runs as long as a block.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct FileSet {
    /// By block number: the place in `blocks` plus one; 0 for a block without files.
    places: Vec<u32>,
    blocks: Vec<[u64; BLOCK_WORDS]>,
    files_total: usize,
}

/// Words of a block. A block has one bit for each input of a salsa page, which has 1,024 slots (salsa's table.rs).
const BLOCK_WORDS: usize = 1024 / 64;

impl FileSet {
    /// Number of files in the set.
    pub(crate) fn len(&self) -> usize {
        self.files_total
    }

    pub(crate) fn contains(&self, file: PathInput) -> bool {
        let (block, word, bit) = bit_of(file);
        match self.places.get(block) {
            None | Some(0) => false,
            Some(place) => self.blocks[*place as usize - 1][word] & bit != 0,
        }
    }

    /// Adds a file. Returns whether it is new.
    pub(crate) fn insert(&mut self, file: PathInput) -> bool {
        let (block, word, bit) = bit_of(file);
        if self.places.len() <= block {
            self.places.resize(block + 1, 0);
        }
        if self.places[block] == 0 {
            self.blocks.push([0; BLOCK_WORDS]);
            self.places[block] = self.blocks.len() as u32;
        }
        let word = &mut self.blocks[self.places[block] as usize - 1][word];
        let is_new = *word & bit == 0;
        *word |= bit;
        self.files_total += usize::from(is_new);
        is_new
    }
}

/// Place of a file: block, word in the block, and mask of the bit in the word.
fn bit_of(file: PathInput) -> (usize, usize, u64) {
    let number = file.as_id().index() as usize;
    (number / (64 * BLOCK_WORDS), number / 64 % BLOCK_WORDS, 1 << (number % 64))
}

/// Files in the order in which they were reached, each once.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct ReachedFiles {
    pub(crate) files: Vec<PathInput>,
    pub(crate) set: FileSet,
}

/// All files reached from `files` by re-exports of whole files, including `files` themselves; at most `limit` files.
pub(crate) fn closure(view: GraphView<'_>, mut files: Vec<PathInput>, limit: usize) -> ReachedFiles {
    closure_from(view, files.clone(), limit).unwrap_or_else(|_| {
        // With a limit, the order decides which files are left out, so sort them.
        view.in_order(&mut files);
        closure_from(view, files, limit).unwrap_or_else(|cut| cut)
    })
}

/// The closure; as an error, the files that were reached before the limit.
fn closure_from(view: GraphView<'_>, mut open: Vec<PathInput>, limit: usize) -> Result<ReachedFiles, ReachedFiles> {
    let mut reached = ReachedFiles::default();
    while let Some(file) = open.pop() {
        if reached.set.contains(file) {
            continue;
        }
        if reached.files.len() == limit {
            return Err(reached);
        }
        open.extend_from_slice(&exports(view.db(), file).whole);
        reached.set.insert(file);
        reached.files.push(file);
    }
    Ok(reached)
}

/// Files around one file, by number of import steps. Computed only as far as it was asked for.
#[derive(Debug)]
pub(crate) struct ImportNeighbourhood {
    file: PathInput,
    set: FileSet,
    /// For each step, the files that it reached first.
    rings: Vec<FileSet>,
    /// Files that the last step reached first.
    level: Vec<PathInput>,
    steps: u32,
    /// Most steps to take.
    steps_limit: u32,
    /// Most files, including the one in the middle. Of the farthest ones, those that are first by path are kept.
    files_limit: usize,
}

impl ImportNeighbourhood {
    /// Contains only `file` itself so far.
    pub(crate) fn new(file: PathInput, steps_limit: u32, files_limit: usize) -> Self {
        let mut set = FileSet::default();
        set.insert(file);
        Self { file, set, rings: Vec::new(), level: vec![file], steps: 0, steps_limit, files_limit }
    }

    /// Number of steps to a file, if it was reached.
    pub(crate) fn step_of(&self, file: PathInput) -> Option<u32> {
        let is_reached = self.set.contains(file);
        is_reached.then(|| self.rings.iter().position(|ring| ring.contains(file)).map_or(0, |step| step as u32 + 1))
    }

    /// The files that were reached.
    #[cfg(test)]
    pub(crate) fn files(&self) -> &FileSet {
        &self.set
    }

    /// Takes one more step. The first step also goes to the files of `open`, which count as one step away however they
    /// are reached. Returns whether there was a step to take.
    pub(crate) fn go_on(&mut self, view: GraphView<'_>, open: &[PathInput]) -> bool {
        if self.steps == self.steps_limit || self.level.is_empty() {
            return false;
        }
        let steps = self.steps + 1;
        if !self.step(view, open) {
            // With a limit, the order decides which files are left out, so sort them.
            let mut open = open.to_vec();
            view.in_order(&mut open);
            *self = Self::new(self.file, self.steps_limit, self.files_limit);
            while self.steps < steps && self.step(view, &open) {}
            self.level.clear();
        }
        true
    }

    /// Whether all files that the step reaches were added.
    fn step(&mut self, view: GraphView<'_>, open: &[PathInput]) -> bool {
        let open = if self.steps == 0 { open } else { &[] };
        self.steps += 1;
        self.rings.push(FileSet::default());
        for file in std::mem::take(&mut self.level) {
            for reached in open.iter().chain(imported_files(view.db(), file)) {
                if self.set.len() == self.files_limit {
                    return false;
                }
                if self.set.insert(*reached) {
                    self.level.push(*reached);
                    self.rings.last_mut().expect("the step has a ring").insert(*reached);
                }
            }
        }
        true
    }
}
