//! Opening what is published, all of one moment.

use icr_store::{Access, Ledger, StorePlace};
use icr_view::{StoreMoment, TreeDelta};

use crate::Error;
use crate::vectors::vectors_now;

/// How often opening starts again because somebody published or collected in between. A commit takes longer than opening.
const ATTEMPTS: usize = 20;

/// The ledger in a snapshot, before anything else of the store is opened: what decides whether the store is up to date is what
/// is then asked.
pub(crate) struct LedgerSnapshot {
    pub(crate) ledger: Ledger,
    pub(crate) generation: u32,
    /// To the tree that was asked for, where that was looked for.
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

    /// Opens the postings and the vectors that hold all that the ledger lists, and goes on with the way where it is still of
    /// this moment.
    ///
    /// The ledger is opened first and postings and vectors are committed first, so what the ledger lists is posted. Only a
    /// collection takes postings and vectors away, after its ledger transaction, and only a store that is derived again has
    /// others under the same numbers: a ledger that is still the same afterwards says that neither happened in between.
    /// Where it is not, all is opened again, and the way is lost.
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
                // Somebody publishes often, or the system does not let SQLite know who does. A connection of its own costs more
                // and asks for less: that nothing was taken away.
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
