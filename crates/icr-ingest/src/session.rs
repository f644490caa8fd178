//! One writing run: what is numbered and posted but not yet listed, and the order in which it becomes so.

use std::collections::HashMap;

use icr_lexical::{Lexical, PathDocument, Writer, WriterOptions};
use icr_model::{BlobNo, ChunkNo, PathNo, RepoPath};
use icr_store::{Access, BlobRow, CompleteBlob, Ledger, LedgerWrite, Numbers, RecipeNo, StorePlace};

use crate::{Computed, Error, Observer, Shape, Step, SyncReport, Wanted};

/// Numbers, postings and rows of one run. Dropping it without [`Session::list`] leaves the ledger as it was.
pub(crate) struct Session<'a> {
    pub(crate) ledger: Ledger,
    lexical: Lexical,
    writer: Option<Writer>,
    shape: &'a Shape,
    observer: &'a dyn Observer,
    recipe_numbers: HashMap<String, RecipeNo>,
    blobs: Vec<(BlobRow, Vec<u8>)>,
    paths: Vec<(PathNo, RepoPath, u32)>,
    path_numbers: HashMap<RepoPath, (PathNo, u32)>,
}

impl<'a> Session<'a> {
    /// A run over the store of `place`, whose lock the caller holds.
    pub(crate) fn open(place: &StorePlace, shape: &'a Shape, observer: &'a dyn Observer) -> Result<Self, Error> {
        place.create()?;
        let ledger = Ledger::open(place, Access::Write)?;
        let lexical = match Lexical::create(place.lexical()) {
            Err(icr_lexical::Error::Exists { .. }) => crate::open_lexical(place, &ledger)?,
            _ if ledger.listed()? != Numbers::default() => crate::open_lexical(place, &ledger)?,
            created => created?,
        };
        Ok(Self {
            ledger,
            lexical,
            writer: None,
            shape,
            observer,
            recipe_numbers: HashMap::new(),
            blobs: Vec::new(),
            paths: Vec::new(),
            path_numbers: HashMap::new(),
        })
    }

    /// Numbers and posts what was computed; what is missing is passed over. The rows wait for [`Session::list`].
    pub(crate) fn post(
        &mut self,
        computed: &[Computed],
        report: &mut SyncReport,
    ) -> Result<Vec<(Wanted, BlobRow)>, Error> {
        let present: Vec<&Computed> = computed.iter().filter(|computed| computed.is_present()).collect();
        self.record_recipes(&present)?;
        let chunks = present.iter().map(|computed| computed.chunks_total()).sum();
        let numbers = Numbers { blob: present.len() as u32, chunk: chunks, path: 0 };
        let reserved = self.reserve(numbers)?;
        let mut rows = Vec::with_capacity(present.len());
        let mut chunk_first = reserved.chunk;
        for (at, computed) in present.into_iter().enumerate() {
            let blob_no = BlobNo(reserved.blob.0 + at as u32);
            let mut tokens = [0_u64; 3];
            for document in computed.documents(blob_no, chunk_first) {
                let added = writer(&mut self.writer, &self.lexical)?.add_chunk(&document)?;
                tokens
                    .iter_mut()
                    .zip([added.body, added.def, added.doc])
                    .for_each(|(sum, count)| *sum += u64::from(count));
                report.postings_written += 1;
            }
            let recipe_no = self.recipe_numbers[computed.wanted.language];
            let row = computed.row(blob_no, recipe_no, chunk_first, tokens);
            let facts = &computed.extraction.as_ref().expect("missing objects were left out above").facts;
            self.blobs.push((row.clone(), facts.encode()));
            rows.push((computed.wanted, row));
            chunk_first = ChunkNo(chunk_first.0 + computed.chunks_total());
            report.chunks_new += u64::from(computed.chunks_total());
        }
        self.observer.step(Step::DocumentsAdded);
        Ok(rows)
    }

    /// Numbers of `paths`, given out and posted where they are new, with their token counts.
    pub(crate) fn number_paths<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p RepoPath>,
    ) -> Result<Vec<(PathNo, u32)>, Error> {
        let mut numbers: Vec<Option<(PathNo, u32)>> = Vec::new();
        let mut order: Vec<&RepoPath> = Vec::new();
        let mut new: Vec<&RepoPath> = Vec::new();
        for path in paths {
            let mut known = self.path_numbers.get(path).copied();
            if known.is_none()
                && let Some(path_no) = self.ledger.path_no(path)?
            {
                let tokens = self.ledger.path(path_no)?.map_or(0, |(_, tokens)| tokens);
                known = Some((path_no, tokens));
            }
            if let Some(known) = known {
                self.path_numbers.insert(path.clone(), known);
            } else if self.path_numbers.insert(path.clone(), (PathNo(u32::MAX), 0)).is_none() {
                new.push(path);
            }
            order.push(path);
            numbers.push(known);
        }
        if !new.is_empty() {
            let reserved = self.reserve(Numbers { path: new.len() as u32, ..Numbers::default() })?;
            for (at, path) in new.into_iter().enumerate() {
                let path_no = PathNo(reserved.path.0 + at as u32);
                let tokens = writer(&mut self.writer, &self.lexical)?.add_path(&PathDocument { path_no, path })?;
                self.paths.push((path_no, path.clone(), tokens));
                self.path_numbers.insert(path.clone(), (path_no, tokens));
            }
        }
        Ok(order.into_iter().map(|path| self.path_numbers[path]).collect())
    }

    /// Commits the postings, then lists what was posted and does `further` in one transaction. `step` is where the
    /// store then stands.
    pub(crate) fn list(
        &mut self,
        step: Step,
        further: impl FnOnce(&LedgerWrite<'_>) -> Result<(), icr_store::Error>,
    ) -> Result<(), Error> {
        if let Some(writer) = &mut self.writer {
            let numbers = self.ledger.numbers()?;
            writer.commit(mark_of(numbers))?;
            self.observer.step(Step::PostingsCommitted);
        }
        let (blobs, paths) = (std::mem::take(&mut self.blobs), std::mem::take(&mut self.paths));
        self.ledger.write(|write| {
            for (row, facts) in &blobs {
                write.complete(&CompleteBlob { row: row.clone(), facts })?;
            }
            for (path_no, path, tokens) in &paths {
                write.add_path(*path_no, path, *tokens)?;
            }
            further(write)
        })?;
        self.observer.step(step);
        Ok(())
    }

    /// Waits for merges that are under way, so that none is thrown away when the process ends.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.writer {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }

    fn reserve(&mut self, numbers: Numbers) -> Result<icr_store::Reserved, Error> {
        let floor = numbers_of(self.lexical.mark()?);
        let reserved = self.ledger.reserve(numbers, floor)?;
        self.observer.step(Step::NumbersReserved);
        Ok(reserved)
    }

    fn record_recipes(&mut self, computed: &[&Computed]) -> Result<(), Error> {
        let mut new: Vec<&str> = computed.iter().map(|computed| computed.wanted.language).collect();
        new.sort_unstable();
        new.dedup();
        new.retain(|language| !self.recipe_numbers.contains_key(*language));
        if new.is_empty() {
            return Ok(());
        }
        let numbers = self.ledger.write(|write| {
            new.iter()
                .map(|language| Ok(((*language).to_owned(), write.recipe(self.shape.recipes(language))?)))
                .collect::<Result<Vec<_>, _>>()
        })?;
        self.recipe_numbers.extend(numbers);
        self.observer.step(Step::RecipesRecorded);
        Ok(())
    }
}

fn writer<'w>(writer: &'w mut Option<Writer>, lexical: &Lexical) -> Result<&'w mut Writer, Error> {
    if writer.is_none() {
        *writer = Some(lexical.writer(WriterOptions::default())?);
    }
    Ok(writer.as_mut().expect("it was opened above"))
}

pub(crate) fn mark_of(numbers: Numbers) -> icr_lexical::HighWaterMark {
    icr_lexical::HighWaterMark { next_blob: numbers.blob, next_chunk: numbers.chunk, next_path: numbers.path }
}

pub(crate) fn numbers_of(mark: icr_lexical::HighWaterMark) -> Numbers {
    Numbers { blob: mark.next_blob, chunk: mark.next_chunk, path: mark.next_path }
}
