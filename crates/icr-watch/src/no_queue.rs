//! A placeholder for systems which do not promise that all earlier changes are in the queue when it is read.

use std::path::Path;

use crate::monitor::{MonitorEvent, MonitorRefusal, Names};

/// Never constructed.
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
