//! Opening what is published, all of one moment.

use icr_lexical::Reader;
use icr_store::{Access, Ledger, StorePlace};

use crate::Error;
use crate::vectors::vectors_now;

/// How often opening starts again because garbage was collected in between. A collection takes longer than opening.
const ATTEMPTS: usize = 20;

/// What is published: the ledger in a snapshot, postings that hold all it lists, and the vectors of it where there are any.
pub(crate) struct Published {
    pub(crate) ledger: Ledger,
    pub(crate) postings: Reader,
    pub(crate) vectors: Option<icr_vector::Reader>,
}

/// The ledger in a snapshot, and postings and vectors that hold all it lists.
///
/// The ledger is opened first and postings and vectors are committed first, so what the ledger lists is posted. Only a
/// collection takes postings and vectors away, after its ledger transaction, and only a store that is derived again has
/// others under the same numbers: a generation that did not move says that neither happened in between.
///
/// # Errors
///
/// [`icr_store::Error::Absent`] when nothing was ever published; those of opening either.
pub(crate) fn open_published(place: &StorePlace, options: icr_vector::Options) -> Result<Published, Error> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let ledger = Ledger::open(place, Access::Read)?;
        ledger.begin_snapshot()?;
        let opened = icr_ingest::open_lexical(place, &ledger).and_then(|lexical| Ok(lexical.reader(None)?));
        let opened = opened.map_err(Error::from).and_then(|postings| Ok((postings, vectors_now(place, options)?)));
        // Where there is no ledger any more, the store is being derived again.
        let now = Ledger::open(place, Access::Read).and_then(|ledger| ledger.generation()).ok();
        let unmoved = now == Some(ledger.generation()?) && !ledger.was_rewritten();
        match opened {
            Ok((postings, vectors)) if unmoved => return Ok(Published { ledger, postings, vectors }),
            Err(error) if unmoved => return Err(error),
            Err(error) => last = Some(error),
            Ok(_) => {}
        }
    }
    Err(last.unwrap_or_else(|| icr_store::Error::Busy.into()))
}
