//! Opens the parts of a published store in one consistent state.

use icr_store::{Access, Ledger, StorePlace};
use icr_view::{StoreMoment, TreeDelta};

use crate::Error;
use crate::vectors::vectors_now;

/// How often opening is retried because a publication or a collection happened in between. A commit takes longer than
/// opening.
const ATTEMPTS: usize = 20;

/// A ledger snapshot, taken before the other parts of the store are opened. The check whether the store is up to date
/// and the answer use the same snapshot.
pub(crate) struct LedgerSnapshot {
    pub(crate) ledger: Ledger,
    pub(crate) generation: u32,
    /// The delta to the requested tree, if it was computed.
    pub(crate) way: Option<TreeDelta>,
}

impl LedgerSnapshot {
    /// # Errors
    ///
    /// [`icr_store::Error::Absent`] when nothing was ever published; those of opening the ledger.
    pub(crate) fn now(place: &StorePlace) -> Result<Self, Error> {
        let ledger = Ledger::open(place, Access::Read)?;
        ledger.begin_snapshot()?;
        let generation = ledger.generation()?;
        Ok(Self { ledger, generation, way: None })
    }

    /// Opens the postings and vectors that hold everything in the ledger. Returns the delta too, if the ledger has not
    /// changed since it was computed.
    ///
    /// The ledger is opened first, and postings and vectors are committed first; so everything that the ledger lists is
    /// in the postings. Only a collection removes postings and vectors, after its ledger transaction, and only a
    /// rebuilt store has other ones under the same numbers. If the ledger is unchanged afterwards, neither has happened
    /// in between. Otherwise everything is opened again, and the delta is dropped.
    ///
    /// # Errors
    ///
    /// Those of opening any of the three.
    pub(crate) fn open(
        self,
        place: &StorePlace,
        options: icr_vector::Options,
    ) -> Result<(StoreMoment, Option<TreeDelta>), Error> {
        let mut last = None;
        let mut begun = Some(self);
        for attempt in 0..ATTEMPTS {
            let Self { ledger, generation, way } = match begun.take() {
                Some(begun) => begun,
                None => Self::now(place)?,
            };
            let opened = icr_ingest::open_lexical(place, &ledger).and_then(|lexical| Ok(lexical.reader(None)?));
            let opened = opened.map_err(Error::from).and_then(|postings| Ok((postings, vectors_now(place, options)?)));
            let is_same = match attempt {
                0 => ledger.renew_snapshot()?,
                // There are frequent publications, or SQLite cannot tell who publishes on this system. A separate
                // connection costs more but needs a weaker condition: that nothing was removed.
                _ => {
                    let now = Ledger::open(place, Access::Read).and_then(|ledger| ledger.generation());
                    now.is_ok_and(|now| now == generation) && !ledger.was_rewritten()
                }
            };
            match opened {
                Ok((postings, vectors)) if is_same => {
                    return Ok((StoreMoment::new(ledger, generation, postings, vectors), way));
                }
                Err(error) if is_same => return Err(error),
                Err(error) => last = Some(error),
                Ok(_) => {}
            }
        }
        Err(last.unwrap_or_else(|| icr_store::Error::Busy.into()))
    }
}
