//! Setting pins and taking them away.

use crate::files::no_such_file;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;

use icr_git::{Membership, Repository};
use icr_memory::{Access, CloneKey, PinPriority};
use icr_model::{RepoPath, similar_names};
use icr_store::RepositoryPlace;
use serde::Serialize;

use super::Moment;
use crate::files::check_text;
use crate::search::path_of;
use crate::snapshot_context::SnapshotContext;
use crate::{Error, Snapshot};

/// Most characters of an id, and of a label.
const CHARACTERS_MOST: usize = 256;

/// Shortest and longest life of an expiring pin, in seconds: a minute, and the longest that a configuration may allow.
const LIFE_SECONDS: (u64, u64) = (60, 3_650 * 24 * 60 * 60);

/// Most files that an error lists when a directory was given.
const FILES_NAMED: usize = 3;

/// What to pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRequest {
    /// Id of the pin: 1 to 256 characters, none of them a control character. A pin with the same id is replaced.
    pub source_id: String,
    /// The file, relative to the root.
    pub path: String,
    /// What it is, for people: at most 256 characters, none of them a control character.
    pub label: Option<String>,
    /// How long the pin lives, 60 seconds to 3650 days; `None` for one that does not expire.
    pub ttl_seconds: Option<u64>,
    /// How much it counts beside other pins.
    pub priority: PinPriority,
}

/// A validated pin: its path is a file of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPin(icr_memory::Pin);

/// A pin that was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CreatedPin {
    /// What it is called.
    pub source_id: String,
    /// The file, relative to the root.
    pub path: String,
    /// What it is.
    pub label: Option<String>,
    /// When it was set.
    pub pinned_at: Moment,
    /// When it expires; `None` for a pin that does not expire.
    pub expires_at: Option<Moment>,
    /// How much it counts beside other pins, 1 to 10.
    pub priority: PinPriority,
}

/// The result of removing a pin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PinRemoval {
    /// Whether there was such a pin.
    pub unpinned: bool,
    /// What was asked for.
    pub source_id: String,
    /// Similar ids, if there was no such pin.
    #[serde(skip)]
    pub similar: Vec<String>,
}

/// The pin that `request` asks for, as [`ClonePins::set`] sets it.
///
/// # Errors
///
/// [`Error::Bounds`] for an id, a label or a life out of bounds; [`Error::OutsideRoot`], [`Error::Directory`],
/// [`Error::NoSuchFile`], [`Error::Secret`] and [`Error::NotText`] for what cannot be in a pack.
pub fn new_pin(snapshot: &Snapshot, request: &PinRequest, now: Moment) -> Result<NewPin, Error> {
    check(request)?;
    let path = path_of(&request.path);
    if leads_out(&path) {
        return Err(Error::OutsideRoot { path: request.path.clone() });
    }
    if snapshot.context.foundation.shape.policy().decide(&path) == Membership::Secret {
        return Err(Error::Secret { path: request.path.clone() });
    }
    let Some(file) = snapshot.view.file(&path)? else { return Err(not_pinnable(snapshot, &path)?) };
    check_text(&file)?;
    let life = request.ttl_seconds.map(Duration::from_secs);
    Ok(NewPin(icr_memory::Pin {
        source_id: request.source_id.clone(),
        path: file.path,
        label: request.label.clone(),
        blob_id: file.row.blob_id,
        pinned_at: now,
        expires_at: life.map(|life| now.saturating_add(life)),
        priority: request.priority,
    }))
}

/// The live pins of the clone, as [`ClonePins::live`] returns them. The question writes nothing: the engine records an
/// id of the clone after the answer.
pub(crate) fn live_pins(snapshot: &Snapshot, now: Moment) -> Result<Vec<icr_memory::Pin>, Error> {
    let live = ClonePins::of(&snapshot.context).read_live(now)?;
    if !live.is_empty() {
        snapshot.clone_to_settle.set(Some(now));
    }
    Ok(live)
}

/// The live pin of the clone that is called `source_id`.
pub(super) fn live_pin(snapshot: &Snapshot, source_id: &str, now: Moment) -> Result<icr_memory::Pin, Error> {
    ClonePins::of(&snapshot.context).live_pin(source_id, now)
}

/// Why a path without a file in the view cannot be pinned.
fn not_pinnable(snapshot: &Snapshot, path: &RepoPath) -> Result<Error, Error> {
    let mut below = snapshot.view.paths()?;
    let directory = path.to_string().trim_end_matches('/').to_owned();
    let prefix = if directory == "." { "" } else { &directory };
    below.retain(|other| other.is_below(path_of(prefix).as_bytes()) && other != path);
    if below.is_empty() {
        return Ok(no_such_file(snapshot, path));
    }
    below.sort();
    let files = below.iter().take(FILES_NAMED).map(RepoPath::to_string).collect();
    Ok(Error::Directory { path: path.to_string(), files })
}

/// The pins of one clone. Reads and writes the database of pins of its repository, and records the id of the clone in
/// its git directory; reads no store.
#[derive(Debug)]
pub struct ClonePins<'a> {
    repository: &'a Repository,
    database: PathBuf,
    is_read_only: bool,
}

impl<'a> ClonePins<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        let SnapshotContext { foundation, options, .. } = context;
        let database = RepositoryPlace::new(&options.home, &foundation.repo_id).directory().join("pins.db");
        Self { repository: &foundation.repository, database, is_read_only: options.read_only }
    }

    /// Sets a pin for this clone and replaces one with the same id; deletes pins that have expired. Pins survive
    /// [`crate::SyncOptions::rebuild`] and [`crate::Engine::collect_garbage`].
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] for an engine that never writes; [`Error::Memory`].
    pub fn set(&self, pin: &NewPin) -> Result<CreatedPin, Error> {
        self.refuse_read_only()?;
        let NewPin(pin) = pin;
        let mut pins = icr_memory::Pins::create(&self.database)?;
        let clone = self.settle_clone(&mut pins, pin.pinned_at)?;
        pins.pin(clone, pin, pin.pinned_at)?;
        Ok(CreatedPin {
            source_id: pin.source_id.clone(),
            path: pin.path.to_string(),
            label: pin.label.clone(),
            pinned_at: pin.pinned_at,
            expires_at: pin.expires_at,
            priority: pin.priority,
        })
    }

    /// Removes a pin of this clone.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] for an engine that never writes; [`Error::Memory`].
    pub fn remove(&self, source_id: &str, now: Moment) -> Result<PinRemoval, Error> {
        self.refuse_read_only()?;
        let unpinned = match icr_memory::Pins::existing(&self.database, Access::Write)? {
            Some(mut pins) => {
                let clone = self.settle_clone(&mut pins, now)?;
                pins.unpin(clone, source_id, now)?
            }
            None => false,
        };
        let similar = if unpinned { Vec::new() } else { self.similar_ids(source_id, now)? };
        Ok(PinRemoval { unpinned, source_id: source_id.to_owned(), similar })
    }

    /// The latest operations on the pins of this clone, the newest first, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`].
    pub fn operations(&self, limit: usize) -> Result<Vec<icr_memory::PinOperation>, Error> {
        let Some(pins) = icr_memory::Pins::existing(&self.database, Access::Read)? else { return Ok(Vec::new()) };
        Ok(pins.operations(self.clone_key(&pins)?, limit)?)
    }

    /// Undoes the operation `number` on a pin of this clone, or the newest one.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] for an engine that never writes; [`Error::Memory`], of an operation that is not there or cannot be undone too.
    pub fn undo(&self, number: Option<i64>, now: Moment) -> Result<icr_memory::PinOperation, Error> {
        self.refuse_read_only()?;
        let mut pins = icr_memory::Pins::create(&self.database)?;
        let clone = self.settle_clone(&mut pins, now)?;
        Ok(pins.undo(clone, number, now)?)
    }

    /// The live pins of this clone by descending priority, then newest first. If the clone has no id yet, one is recorded
    /// in its git directory.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`].
    pub fn live(&self, now: Moment) -> Result<Vec<icr_memory::Pin>, Error> {
        let live = self.read_live(now)?;
        if !live.is_empty() {
            self.settle_if_new(now);
        }
        Ok(live)
    }

    /// As [`ClonePins::live`], without recording anything.
    fn read_live(&self, now: Moment) -> Result<Vec<icr_memory::Pin>, Error> {
        let pins = icr_memory::Pins::existing(&self.database, self.access())?;
        let Some(pins) = pins else { return Ok(Vec::new()) };
        Ok(pins.live(self.clone_key(&pins)?, now)?)
    }

    /// Records an id of a clone that has pins and no id: if it was moved without one, it would lose its pins. If it
    /// cannot be recorded, the pins stay with the directory.
    pub(crate) fn settle_if_new(&self, now: Moment) {
        if self.is_read_only || self.repository.recorded_clone().is_some() {
            return;
        }
        let settle = || match icr_memory::Pins::existing(&self.database, Access::Write)? {
            Some(mut pins) => self.settle_clone(&mut pins, now).map(drop),
            None => Ok(()),
        };
        if let Err(error) = settle() {
            tracing::debug!(%error, "the pins stay with the directory");
        }
    }

    /// How many pins of this clone can be read, whether they have expired or not. Writes nothing.
    pub(crate) fn count_readable(&self) -> Result<usize, icr_memory::Error> {
        let Some(pins) = icr_memory::Pins::existing(&self.database, Access::Read)? else { return Ok(0) };
        Ok(pins.live(self.clone_key(&pins)?, Moment(i64::MIN))?.len())
    }

    /// The live pin of this clone that is called `source_id`.
    fn live_pin(&self, source_id: &str, now: Moment) -> Result<icr_memory::Pin, Error> {
        let pins = icr_memory::Pins::existing(&self.database, self.access())?;
        let pin = pins.map(|pins| pins.get(self.clone_key(&pins)?, source_id, now)).transpose()?.flatten();
        match pin {
            Some(pin) => Ok(pin),
            None => {
                let similar = self.similar_ids(source_id, now)?;
                Err(Error::NoSuchPin { source_id: source_id.to_owned(), similar })
            }
        }
    }

    /// The key under which the pins of this clone are stored: its id, or its git directory if the id has no pins yet.
    fn clone_key(&self, pins: &icr_memory::Pins) -> Result<CloneKey, icr_memory::Error> {
        let recorded = self.repository.recorded_clone().map(|clone| CloneKey::of_id(&clone.id));
        match recorded {
            Some(key) if pins.has_any(&key)? => Ok(key),
            _ => Ok(self.repository.common_dir().into()),
        }
    }

    /// The key for storing pins of this clone: its id, which is recorded in its git directory and moves with it. If the
    /// git directory was copied together with the id and the original clone still exists, the copy gets its own id and
    /// a copy of the pins. If nothing can be recorded, the path of the git directory is the key.
    fn settle_clone(&self, pins: &mut icr_memory::Pins, now: Moment) -> Result<CloneKey, icr_memory::Error> {
        let here = self.repository.common_dir();
        let new_id = || format!("{:016x}", RandomState::new().hash_one(here));
        let Some(clone) = self.repository.recorded_clone() else {
            let recorded = self.repository.record_clone(&new_id(), false).ok();
            // Another process may have recorded an id meanwhile; the first one stays.
            let Some(clone) = recorded.and_then(|()| self.repository.recorded_clone()) else {
                return Ok(here.into());
            };
            let key = CloneKey::of_id(&clone.id);
            pins.move_clone(here, &key, now)?;
            return Ok(key);
        };
        let key = CloneKey::of_id(&clone.id);
        if clone.directory == here {
            // Pins left by a process that ended between recording the id and moving the pins to it.
            if pins.has_any(here)? {
                pins.move_clone(here, &key, now)?;
            }
            return Ok(key);
        }
        let is_copied = icr_git::clone_id_at(&clone.directory).as_ref() == Some(&clone.id);
        let id = if is_copied { new_id() } else { clone.id };
        if let Err(error) = self.repository.record_clone(&id, true) {
            tracing::debug!(%error, "where the clone is now is not recorded");
            return Ok(key);
        }
        let new = CloneKey::of_id(&id);
        if is_copied {
            pins.copy_clone(&key, &new, now)?;
        }
        Ok(new)
    }

    /// Ids of this clone's pins that are written like `source_id`.
    fn similar_ids(&self, source_id: &str, now: Moment) -> Result<Vec<String>, Error> {
        let pins = self.read_live(now)?;
        let similar = similar_names(source_id, pins.iter().map(|pin| pin.source_id.as_str()), 3);
        Ok(similar.into_iter().map(str::to_owned).collect())
    }

    fn access(&self) -> Access {
        if self.is_read_only { Access::Read } else { Access::Write }
    }

    fn refuse_read_only(&self) -> Result<(), Error> {
        if self.is_read_only { Err(Error::ReadOnly { what: "a pin" }) } else { Ok(()) }
    }
}

fn check(request: &PinRequest) -> Result<(), Error> {
    let allowed = |least: usize| format!("{least} to {CHARACTERS_MOST} characters, none of them a control character");
    let is_allowed = |text: &str, least| {
        (least..=CHARACTERS_MOST).contains(&text.chars().count()) && !text.chars().any(char::is_control)
    };
    let texts = [("the id of a pin", Some(&request.source_id), 1), ("the label of a pin", request.label.as_ref(), 0)];
    for (field, text, least) in texts {
        if let Some(text) = text.filter(|text| !is_allowed(text, least)) {
            return Err(Error::Bounds { field, allowed: allowed(least), value: escaped_excerpt(text) });
        }
    }
    match request.ttl_seconds {
        Some(seconds) if !(LIFE_SECONDS.0..=LIFE_SECONDS.1).contains(&seconds) => Err(Error::Bounds {
            field: "the life of a pin",
            allowed: format!("{} to {} seconds", LIFE_SECONDS.0, LIFE_SECONDS.1),
            value: format!("{seconds} seconds"),
        }),
        _ => Ok(()),
    }
}

/// The invalid text, shortened and without characters that a terminal would obey.
fn escaped_excerpt(text: &str) -> String {
    const CHARACTERS_SHOWN: usize = 40;
    let beginning: String = text.chars().take(CHARACTERS_SHOWN).flat_map(char::escape_debug).collect();
    match text.chars().count() {
        0..=CHARACTERS_SHOWN => beginning,
        characters => format!("{beginning}… ({characters} characters)"),
    }
}

/// Whether a path does not lie below the root, whatever is there.
fn leads_out(path: &RepoPath) -> bool {
    let bytes = path.as_bytes();
    bytes.starts_with(b"/") || bytes.split(|byte| *byte == b'/').any(|component| component == b"..")
}
