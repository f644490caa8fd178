//! No queue: this system does not promise that what was done before a moment is told at that moment.

use std::path::Path;

use crate::monitor::{MonitorEvent, MonitorRefusal, Names};

/// There is none.
#[derive(Debug)]
pub(crate) enum ChangeQueue {}

impl ChangeQueue {
    pub(crate) fn new() -> Result<Self, MonitorRefusal> {
        Err(MonitorRefusal("only Linux promises that what was done before is told before".to_owned()))
    }

    pub(crate) fn directories(&self) -> usize {
        match *self {}
    }

    pub(crate) fn watch(&mut self, _: &Path, _: Names, _: u64, _: u64) -> Result<Option<u64>, MonitorRefusal> {
        match *self {}
    }

    pub(crate) fn keep_seen(&mut self, _: u64) {
        match *self {}
    }

    pub(crate) fn drain(&mut self, _: &mut dyn FnMut(MonitorEvent)) -> Result<(), MonitorRefusal> {
        match *self {}
    }
}
