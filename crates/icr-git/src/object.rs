//! Objects by id. Only this module converts between ids of icr and of gix, and tells missing objects from corrupt ones.

use gix::objs::{Data, Find, FindHeader, Kind};
use icr_model::{BlobId, CommitId, TreeId, is_hexadecimal};

use crate::Error;

/// The object named `id`, decoded into `buffer`. The bytes of commits, trees and tags are verified against the id: what
/// icr derives from them is shared by all clones of a repository, and one may have been unpacked from an archive of
/// somebody else. They are small; those of blobs are verified by [`crate::BlobReader`], once in a process.
///
/// # Errors
///
/// [`Error::MissingObject`] and [`Error::CorruptObject`]; the latter also when the object is not of `kind`.
pub(crate) fn find<'a>(
    repo: &gix::Repository,
    id: gix::ObjectId,
    kind: Kind,
    buffer: &'a mut Vec<u8>,
) -> Result<Data<'a>, Error> {
    if kind == Kind::Tree && id == gix::ObjectId::empty_tree(repo.object_hash()) {
        // Git knows the empty tree without storing it.
        buffer.clear();
        return Ok(Data::new(buffer, Kind::Tree, repo.object_hash()));
    }
    // An id of the other hash kind exists nowhere here, and gix compares only ids of equal length.
    if id.kind() != repo.object_hash() {
        return Err(missing(id));
    }
    let data = repo.objects.try_find(&id, buffer).map_err(|error| corrupt(id, error))?;
    let data = data.ok_or_else(|| missing(id))?;
    if data.kind != kind {
        return Err(other_kind(id, data.kind, kind));
    }
    if kind == Kind::Commit && has_endless_headers(data.data) {
        return Err(corrupt(id, "it has more than 1 MiB of headers"));
    }
    if kind != Kind::Blob {
        verify(repo, id, kind, data.data)?;
    }
    Ok(data)
}

/// Whether an object of this kind with these bytes has the id.
///
/// # Errors
///
/// [`Error::CorruptObject`] if it has another one.
pub(crate) fn verify(repo: &gix::Repository, id: gix::ObjectId, kind: Kind, bytes: &[u8]) -> Result<(), Error> {
    match gix::objs::compute_hash(repo.object_hash(), kind, bytes) {
        Ok(found) if found == id => Ok(()),
        Ok(found) => Err(corrupt(id, format!("its content is that of {found}"))),
        Err(error) => Err(corrupt(id, error)),
    }
}

/// Most bytes of the headers of a commit. Decoded, a header of a few bytes takes 24 times its length.
const HEADER_BYTES: usize = 1 << 20;

/// Whether the headers of a commit, which an empty line ends, are longer than any tool writes them.
fn has_endless_headers(commit: &[u8]) -> bool {
    commit.len() > HEADER_BYTES && !commit[..HEADER_BYTES].windows(2).any(|bytes| bytes == b"\n\n")
}

/// Largest plausible size of an object, in bytes: no repository has a file of a tebibyte. An object that claims more is
/// damaged, or was made to overflow sums of sizes.
const MOST_BYTES: u64 = 1 << 40;

/// Kind and size of the object named `id`. Its content is not read if it is packed.
///
/// # Errors
///
/// [`Error::MissingObject`] and [`Error::CorruptObject`].
pub(crate) fn header(repo: &gix::Repository, id: gix::ObjectId) -> Result<(Kind, u64), Error> {
    if id.kind() != repo.object_hash() {
        return Err(missing(id));
    }
    let header = repo.objects.try_header(&id).map_err(|error| corrupt(id, error))?;
    match header.map(|header| (header.kind, header.size)) {
        Some((_, size)) if size > MOST_BYTES => Err(corrupt(id, format!("it says that it has {size} bytes"))),
        header => header.ok_or_else(|| missing(id)),
    }
}

/// Fewest digits that git accepts as an abbreviated object id.
const SHORTEST_PREFIX: usize = 4;

/// An abbreviated object id in the repository's hash, from its hexadecimal digits. gix treats any abbreviated id as
/// SHA-1, which finds nothing in a SHA-256 repository.
pub(crate) fn id_prefix(repo: &gix::Repository, digits: &str) -> Option<gix::hash::Prefix> {
    let length = repo.object_hash().len_in_hex();
    if !(SHORTEST_PREFIX..=length).contains(&digits.len()) || !is_hexadecimal(digits) {
        return None;
    }
    let id = gix::ObjectId::from_hex(format!("{digits:0<length$}").as_bytes()).ok()?;
    gix::hash::Prefix::new(&id, digits.len()).ok()
}

pub(crate) fn missing(id: gix::ObjectId) -> Error {
    Error::MissingObject { id: id.to_string() }
}

pub(crate) fn corrupt(id: gix::ObjectId, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::CorruptObject { id: id.to_string(), source: source.into() }
}

fn other_kind(id: gix::ObjectId, is: Kind, wanted: Kind) -> Error {
    corrupt(id, format!("it is a {is}, where a {wanted} belongs"))
}

macro_rules! conversions {
    ($($name:ident: $type:ident),*) => {$(
        #[doc = concat!("The id of gix as a [`", stringify!($type), "`].")]
        pub(crate) fn $name(id: &gix::oid) -> $type {
            $type::from_bytes(id.as_bytes()).expect("object ids have 20 or 32 bytes")
        }
    )*};
}
conversions!(blob_id: BlobId, tree_id: TreeId, commit_id: CommitId);

/// Converts the bytes of an icr id into an id of gix.
pub(crate) fn object_id(bytes: &[u8]) -> gix::ObjectId {
    gix::ObjectId::try_from(bytes).expect("ids of icr have 20 or 32 bytes")
}
