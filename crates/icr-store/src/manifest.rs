//! The files of a published view.

use icr_model::{BlobNo, PathNo};

/// One file of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifestEntry {
    /// Its path.
    pub path_no: PathNo,
    /// Its content.
    pub blob_no: BlobNo,
}

/// The files of a view, sorted by path number; each path occurs once. Eight bytes per file on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewManifest {
    entries: Vec<ManifestEntry>,
}

impl ViewManifest {
    /// The manifest of `entries`, in any order.
    ///
    /// # Panics
    ///
    /// When a path occurs twice; a tree names each path once.
    pub fn new(mut entries: Vec<ManifestEntry>) -> Self {
        entries.sort_unstable();
        assert!(entries.windows(2).all(|pair| pair[0].path_no < pair[1].path_no), "a path stands twice in a manifest");
        Self { entries }
    }

    /// The files, sorted by path number.
    pub fn entries(&self) -> &[ManifestEntry] {
        &self.entries
    }

    /// The content at a path.
    pub fn blob_at(&self, path_no: PathNo) -> Option<BlobNo> {
        let at = self.entries.binary_search_by_key(&path_no, |entry| entry.path_no).ok()?;
        Some(self.entries[at].blob_no)
    }

    /// This manifest with changes: the content at a path is replaced (`Some`) or removed (`None`). `changes` is sorted
    /// by path number and names each path once. Cost: one pass over both.
    #[must_use]
    pub fn with_changes(&self, changes: &[(PathNo, Option<BlobNo>)]) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len() + changes.len());
        let mut old = self.entries.iter().copied().peekable();
        for &(path_no, blob_no) in changes {
            while let Some(entry) = old.next_if(|entry| entry.path_no < path_no) {
                entries.push(entry);
            }
            old.next_if(|entry| entry.path_no == path_no);
            entries.extend(blob_no.map(|blob_no| ManifestEntry { path_no, blob_no }));
        }
        entries.extend(old);
        Self { entries }
    }

    /// Encodes each file in eight little-endian bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        self.entries.iter().flat_map(|entry| [entry.path_no.0, entry.blob_no.0]).flat_map(u32::to_le_bytes).collect()
    }

    /// Decodes the bytes of [`ViewManifest::encode`]; `None` for any other bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (pairs, rest) = bytes.as_chunks::<8>();
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("half of eight bytes is four"));
        let entries: Vec<_> = pairs
            .iter()
            .map(|pair| ManifestEntry { path_no: PathNo(number(&pair[..4])), blob_no: BlobNo(number(&pair[4..])) })
            .collect();
        let sorted = entries.windows(2).all(|pair| pair[0].path_no < pair[1].path_no);
        (rest.is_empty() && sorted).then_some(Self { entries })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn manifest(files: &BTreeMap<u32, u32>) -> ViewManifest {
        let entry = |(path, blob): (&u32, &u32)| ManifestEntry { path_no: PathNo(*path), blob_no: BlobNo(*blob) };
        ViewManifest::new(files.iter().map(entry).collect())
    }

    proptest! {
        #[test]
        fn changes_equal_those_of_a_map(
            files in prop::collection::btree_map(0..40_u32, 0..9_u32, 0..30),
            changes in prop::collection::btree_map(0..40_u32, prop::option::of(0..9_u32), 0..30),
        ) {
            let mut expected = files.clone();
            for (path, blob) in &changes {
                match blob {
                    Some(blob) => expected.insert(*path, *blob),
                    None => expected.remove(path),
                };
            }
            let changes: Vec<_> = changes.into_iter().map(|(path, blob)| (PathNo(path), blob.map(BlobNo))).collect();
            let changed = manifest(&files).with_changes(&changes);
            prop_assert_eq!(&changed, &manifest(&expected));
            prop_assert_eq!(ViewManifest::decode(&changed.encode()), Some(changed));
        }
    }

    #[test]
    fn bytes_that_are_no_manifest_are_refused() {
        assert_eq!(ViewManifest::decode(&[0; 7]), None);
        assert_eq!(ViewManifest::decode(&[0; 16]), None, "a path stands twice");
    }
}
