//! Converts the bytes of a worktree file to those that git would store, by git's built-in conversions only.

use std::sync::Arc;

use gix::attrs::StateRef;
use gix::objs::{Find, Kind};
use icr_model::{BlobId, RepoPath};

use crate::Error;
use crate::error::internal;
use crate::object::blob_id;

/// Converts files on one thread. Fastest when files come ordered by path.
pub(crate) struct Converter {
    repo: gix::Repository,
    index: Arc<gix::index::File>,
    attributes: gix::worktree::Stack,
    filter: gix::attrs::search::Outcome,
    pipeline: gix::filter::plumbing::Pipeline,
}

impl Converter {
    /// A converter that knows the repository's configuration and, through `index`, its attributes.
    pub(crate) fn new(repo: gix::Repository, index: Arc<gix::index::File>) -> Result<Self, Error> {
        let doing = "reading the settings of git's conversions";
        let source = gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping;
        let attributes = repo.attributes_only(&index, source).map_err(internal(doing))?.detach();
        let mut options = gix::filter::Pipeline::options(&repo).map_err(internal(doing))?;
        // No external program is ever run, whatever is configured.
        options.drivers.clear();
        // Whether a checkout would restore the same bytes matters when committing, not when reading.
        options.crlf_roundtrip_check = gix::filter::plumbing::pipeline::CrlfRoundTripCheck::Skip;
        let filter = attributes.selected_attribute_matches(["filter"]);
        let pipeline = gix::filter::plumbing::Pipeline::new(Default::default(), repo.object_hash(), options);
        Ok(Self { repo, index, attributes, filter, pipeline })
    }

    /// Name of the external filter that the attributes of `path` request, whether or not it is configured.
    pub(crate) fn external_filter(&mut self, path: &RepoPath) -> Result<Option<String>, Error> {
        let at = self.attributes.at_entry(gix::bstr::BStr::new(path.as_bytes()), None, &self.repo.objects);
        let at = at.map_err(|source| unconvertible(path, source))?;
        at.matching_attributes(&mut self.filter);
        let state = self.filter.iter_selected().next().map(|found| found.assignment.state);
        Ok(match state {
            Some(StateRef::Value(driver)) => Some(driver.as_bstr().to_string()),
            _ => None,
        })
    }

    /// Writes what git would store for the file `path` with the content `on_disk` into `out`, and returns its id.
    pub(crate) fn convert(&mut self, path: &RepoPath, on_disk: &[u8], out: &mut Vec<u8>) -> Result<BlobId, Error> {
        let name = gix::path::from_byte_slice(path.as_bytes()).map_err(|source| unconvertible(path, source))?;
        let at = self.attributes.at_entry(gix::bstr::BStr::new(path.as_bytes()), None, &self.repo.objects);
        let at = at.map_err(|source| unconvertible(path, source))?;
        let (index, objects) = (&self.index, &self.repo.objects);
        let converted = self
            .pipeline
            .convert_to_git(
                on_disk,
                name,
                &mut |_, attributes| {
                    at.matching_attributes(attributes);
                },
                // Git does not convert line ends that are in the index already.
                &mut |buffer| {
                    let Some(entry) = index.entry_by_path(gix::bstr::BStr::new(path.as_bytes())) else {
                        return Ok(None);
                    };
                    let found = objects.try_find(&entry.id, buffer)?;
                    Ok(found.filter(|found| found.kind == Kind::Blob).map(|_| ()))
                },
            )
            .map_err(|source| unconvertible(path, source))?;
        out.clear();
        out.extend_from_slice(converted.as_bytes().unwrap_or(on_disk));
        let id = gix::objs::compute_hash(self.repo.object_hash(), Kind::Blob, out);
        id.map(|id| blob_id(&id)).map_err(|source| unconvertible(path, source))
    }
}

fn unconvertible(path: &RepoPath, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Unconvertible { path: path.clone(), source: source.into() }
}
