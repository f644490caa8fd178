//! Sets of files, and which of them a file reaches.

use salsa::plumbing::AsId;

use crate::exports::exports;
use crate::graph::PathInput;
use crate::resolve::imported_files;
use crate::view::GraphView;

/// A set of files: a bit for each, in blocks that are there once they hold one. The numbers of inputs lie close together,
/// in runs as long as a block.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct FileSet {
    /// By number of the block, one more than its place in `blocks`; 0 where it holds no file.
    places: Vec<u32>,
    blocks: Vec<[u64; BLOCK_WORDS]>,
    files_total: usize,
}

/// Words of a block, which has a bit for each input of a page: as many as salsa puts into one (its table.rs).
const BLOCK_WORDS: usize = 1024 / 64;

impl FileSet {
    /// Files in the set.
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

    /// Adds a file; whether it is new.
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

/// Block, word in it, and bit in that, of a file.
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

/// Everything reached from `files` by re-exports of whole files, themselves included; at most `limit` files.
pub(crate) fn closure(view: GraphView<'_>, mut files: Vec<PathInput>, limit: usize) -> ReachedFiles {
    closure_from(view, files.clone(), limit).unwrap_or_else(|_| {
        // What is left out depends on the order.
        view.in_order(&mut files);
        closure_from(view, files, limit).unwrap_or_else(|cut| cut)
    })
}

/// The closure, or as an error what of it was reached before the limit.
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

/// Files around one, by steps along imports; as far as somebody asked.
#[derive(Debug)]
pub(crate) struct ImportNeighbourhood {
    file: PathInput,
    set: FileSet,
    /// By step, the files that were reached by it first.
    rings: Vec<FileSet>,
    /// Files that the last step reached first.
    level: Vec<PathInput>,
    steps: u32,
    /// Most steps.
    steps_limit: u32,
    /// Most files, the one in the middle included; of those farther away the first in order of their paths.
    files_limit: usize,
}

impl ImportNeighbourhood {
    /// Nothing yet but `file` itself.
    pub(crate) fn new(file: PathInput, steps_limit: u32, files_limit: usize) -> Self {
        let mut set = FileSet::default();
        set.insert(file);
        Self { file, set, rings: Vec::new(), level: vec![file], steps: 0, steps_limit, files_limit }
    }

    /// How many steps away a file is, if it was reached.
    pub(crate) fn step_of(&self, file: PathInput) -> Option<u32> {
        let is_reached = self.set.contains(file);
        is_reached.then(|| self.rings.iter().position(|ring| ring.contains(file)).map_or(0, |step| step as u32 + 1))
    }

    /// The files that were reached.
    #[cfg(test)]
    pub(crate) fn files(&self) -> &FileSet {
        &self.set
    }

    /// Goes one step on, the first time also to the files of `open`, which are one step away however they are reached.
    /// Whether there was one to go.
    pub(crate) fn go_on(&mut self, view: GraphView<'_>, open: &[PathInput]) -> bool {
        if self.steps == self.steps_limit || self.level.is_empty() {
            return false;
        }
        let steps = self.steps + 1;
        if !self.step(view, open) {
            // What is left out depends on the order.
            let mut open = open.to_vec();
            view.in_order(&mut open);
            *self = Self::new(self.file, self.steps_limit, self.files_limit);
            while self.steps < steps && self.step(view, &open) {}
            self.level.clear();
        }
        true
    }

    /// Whether all was taken that the step reaches.
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
