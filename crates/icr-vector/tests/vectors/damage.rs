//! Files that are not what was written: an error that says so, never a panic, never a crash.

use std::fs;
use std::path::{Path, PathBuf};

use heed::types::Bytes;
use icr_model::{ChunkNo, Recipe};
use icr_vector::{Error, IndexUse, Options, Space, VectorEncoding, Vectors};
use proptest::prelude::*;

use super::{clustered, live, put};

const SPACE: Space = Space { recipe: Recipe(5), dims: 16, form: VectorEncoding::ScaledAndHalf, by_content: true };

/// What the error says, and what was done to the file.
type Damage = (&'static str, fn(&mut Vec<u8>));

/// A new value for an old one.
type Change = fn(&[u8]) -> Vec<u8>;

/// A store of three blocks with trees, closed; and its file.
fn stored(directory: &Path) -> PathBuf {
    let vectors = Vectors::open(directory, options()).unwrap();
    put(&vectors, &SPACE, 0, &clustered(1_200, 16, 1));
    let mut writer = vectors.writer().unwrap();
    writer.build_index(SPACE.recipe);
    writer.commit(0).unwrap();
    directory.join("data.mdb")
}

fn options() -> Options {
    Options { index: IndexUse::Scan, ..Options::default() }
}

/// Reads all there is.
fn read(directory: &Path, options: Options) -> Result<(), Error> {
    let vectors = Vectors::open(directory, options)?;
    let reader = vectors.reader(None)?;
    reader.mark()?;
    reader.spaces()?;
    reader.count_covered(SPACE.recipe, &live(0..1_200))?;
    reader.windows(SPACE.recipe, ChunkNo(1_000))?;
    let question = &clustered(1, 16, 2)[0];
    reader.similarities(SPACE.recipe, question, &[ChunkNo(0), ChunkNo(600)])?;
    reader.nearest(SPACE.recipe, question, &live(0..1_200), 10).map(drop)
}

#[track_caller]
fn check(directory: &Path, reason: &str) {
    match read(directory, options()) {
        Err(error @ Error::Damaged { .. }) => assert!(error.to_string().contains(reason), "{error}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn damaged_files_are_named() {
    let damages: &[Damage] = &[
        ("the file is cut short", |bytes| bytes.truncate(100)),
        ("the file is cut short", |bytes| bytes.truncate(4096)),
        ("there is no page", |bytes| bytes.truncate(8192 * 4)),
        ("the file is none of LMDB", |bytes| bytes[..8192].fill(b'x')),
        ("the file is none of LMDB", |bytes| bytes[16] ^= 1),
        ("LMDB's data version 999, not 1", |bytes| bytes[20..24].copy_from_slice(&999_u32.to_le_bytes())),
        ("pages of 0 bytes make no sense", |bytes| bytes[40..44].fill(0)),
        ("their format is `LMDB 1", |bytes| replace(bytes, b"lmdb 1, little", b"LMDB 1, little")),
    ];
    for (reason, damage) in damages {
        let directory = tempfile::tempdir().unwrap();
        let file = stored(directory.path());
        let mut bytes = fs::read(&file).unwrap();
        damage(&mut bytes);
        fs::write(&file, bytes).unwrap();
        check(directory.path(), reason);
    }
}

#[test]
fn a_file_that_is_cut_short_while_it_is_in_use_is_named() {
    for bytes in [0, 100, 4_096, 8_192, 40_000] {
        let directory = tempfile::tempdir().unwrap();
        let file = stored(directory.path());
        let vectors = Vectors::open(directory.path(), options()).unwrap();
        vectors.reader(None).unwrap().mark().unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_len(bytes).unwrap();
        for other in [vectors.clone(), Vectors::open(directory.path(), options()).unwrap()] {
            let error = other.reader(None).err().expect("the file is too short").to_string();
            assert!(error.contains("cut short"), "{bytes}: {error}");
        }
    }
}

#[track_caller]
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let places: Vec<usize> = (0..bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(old)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[*at..*at + new.len()].copy_from_slice(new));
}

#[test]
fn values_that_make_no_sense_are_named() {
    let values: &[(&str, &[u8], Option<Change>)] = &[
        ("a block of 3 bytes has no header", &[2, 0, 0, 0, 0, 0, 1], Some(|_| vec![1, 2, 3])),
        ("cannot hold 512 vectors of 16 components", &[2, 0, 0, 0, 0, 0, 0], Some(|old| old[..old.len() - 1].to_vec())),
        ("float16", &[3, 0, 0, 0, 0, 0, 1], Some(|old| old[2..].to_vec())),
        ("lacks float16 values", &[3, 0, 0, 0, 0, 0, 1], None),
        ("the row of the space", &space_key(), Some(|old| old[1..].to_vec())),
        ("of 17 components", &space_key(), Some(|old| [&old[..2], &[17], &old[3..]].concat())),
        ("the mark is no number", &[0, 0], Some(|_| b"12".to_vec())),
        ("has no number for a key", &[2, 0, 0, 9], Some(|_| vec![0])),
        ("has no recipe for a key", &[1, 9], Some(|_| vec![0])),
    ];
    for (reason, key, value) in values {
        let directory = tempfile::tempdir().unwrap();
        stored(directory.path());
        change(directory.path(), key, *value);
        check(directory.path(), reason);
    }
}

fn space_key() -> [u8; 17] {
    let mut key = [1; 17];
    key[1..].copy_from_slice(&SPACE.recipe.to_bytes());
    key
}

#[test]
fn trees_that_make_no_sense_are_named() {
    let values: [Change; 3] =
        [|old| old[..old.len() - 4].to_vec(), |_| Vec::new(), |old| [&[0xff; 4], &old[4..]].concat()];
    for value in values {
        let directory = tempfile::tempdir().unwrap();
        stored(directory.path());
        change(directory.path(), &[6, 0, 0, 0, 0, 0, 0], Some(value));
        let trees = Options { index: IndexUse::Arroy, ..options() };
        assert!(matches!(read(directory.path(), trees), Err(Error::Damaged { .. })));
        assert!(read(directory.path(), options()).is_ok(), "a scan needs no trees");
    }
}

/// What reads the chunk 600, alone or among others.
type ReadOperation = fn(&Vectors) -> Result<(), Error>;

#[test]
fn a_damaged_row_is_named_whichever_way_it_is_read() {
    // The chunk's row is number 88 of the block 1: 8 bytes, 512 places of 2, 512 scales of 4.
    let damages: [Change; 3] = [
        |old| [&old[..8 + 88 * 2], &[0, 2], &old[8 + 89 * 2..]].concat(),
        |old| [&old[..1032 + 88 * 4], &f32::NAN.to_le_bytes(), &old[1032 + 89 * 4..]].concat(),
        |old| [&old[..1032 + 88 * 4], &(-1.0_f32).to_le_bytes(), &old[1032 + 89 * 4..]].concat(),
    ];
    let reads: [(&str, ReadOperation); 9] = [
        ("nearest", |vectors| {
            let reader = vectors.reader(None)?;
            reader.nearest(SPACE.recipe, &[1.0; 16], &live(0..1_200), 3).map(drop)
        }),
        ("similarities", |vectors| {
            vectors.reader(None)?.similarities(SPACE.recipe, &[1.0; 16], &[ChunkNo(600)]).map(drop)
        }),
        ("windows", |vectors| vectors.reader(None)?.windows(SPACE.recipe, ChunkNo(600)).map(drop)),
        ("sum", |vectors| vectors.reader(None)?.sum(SPACE.recipe, &[(ChunkNo(600), 1.0)]).map(drop)),
        ("covered", |vectors| vectors.reader(None)?.count_covered(SPACE.recipe, &live(0..1_200)).map(drop)),
        ("missing", |vectors| vectors.reader(None)?.missing(SPACE.recipe, &live(0..1_200)).map(drop)),
        ("spaces", |vectors| vectors.reader(None)?.spaces().map(drop)),
        ("put", |vectors| {
            let mut writer = vectors.writer()?;
            writer.write_chunk(&SPACE, ChunkNo(601), 0, &[&[1.0; 16]])?;
            writer.commit(0).map(drop)
        }),
        ("build_index", |vectors| {
            let mut writer = vectors.writer()?;
            writer.build_index(SPACE.recipe);
            writer.commit(0).map(drop)
        }),
    ];
    for damage in damages {
        let directory = tempfile::tempdir().unwrap();
        stored(directory.path());
        change(directory.path(), &[2, 0, 0, 0, 0, 0, 1], Some(damage));
        let vectors = Vectors::open(directory.path(), options()).unwrap();
        for (name, read) in &reads {
            let read = read(&vectors);
            assert!(matches!(read, Err(Error::Damaged { .. })), "{name}: {read:?}");
        }
        // What is not damaged is there.
        assert_eq!(vectors.reader(None).unwrap().windows(SPACE.recipe, ChunkNo(0)).unwrap().len(), 1);
    }
}

#[test]
fn a_flipped_bit_of_a_vector_is_named_when_its_block_is_first_read() {
    for table in [2, 3, 4] {
        let directory = tempfile::tempdir().unwrap();
        stored(directory.path());
        change_stored(directory.path(), &[table, 0, 0, 0, 0, 0, 1], |old| {
            let mut flipped = old.to_vec();
            flipped[old.len() / 2] ^= 0x40;
            Some(flipped)
        });
        let vectors = Vectors::open(directory.path(), options()).unwrap();
        let question = [1.0; 16];
        let nearest = vectors.reader(None).unwrap().nearest(SPACE.recipe, &question, &live(0..1_200), 3);
        let windows = vectors.reader(None).unwrap().windows(SPACE.recipe, ChunkNo(600));
        let mut writer = vectors.writer().unwrap();
        writer.write_chunk(&SPACE, ChunkNo(601), 0, &[&question]).unwrap();
        let written = writer.commit(0).map(drop);
        let read = if table == 4 { vec![written] } else { vec![nearest.map(drop), windows.map(drop), written] };
        for read in read {
            let error = read.expect_err("a bit is another one").to_string();
            assert!(error.contains("has other bytes than were written"), "{error}");
        }
    }
}

/// Changes a value behind the back of the crate, and the sum behind it if there is one: those of blocks and of spaces have.
/// Deletes it when there is no new one.
fn change(directory: &Path, key: &[u8], value: Option<Change>) {
    let has_sum = matches!((key.len(), key[0]), (7, 2..=4) | (17, 1));
    let summed = |old: &[u8], value: Change| {
        let value = value(&old[..old.len() - 4]);
        let sum = crc32fast::hash(&[key, &value].concat());
        [value, sum.to_le_bytes().to_vec()].concat()
    };
    change_stored(directory, key, |old| value.map(|value| if has_sum { summed(old, value) } else { value(old) }));
}

/// Changes what is stored for a value.
fn change_stored(directory: &Path, key: &[u8], change: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    // SAFETY: nobody else has the directory of this test open.
    let env = unsafe { heed::EnvOpenOptions::new().max_dbs(3).map_size(64 << 20).open(directory) }.unwrap();
    let txn = env.write_txn().unwrap();
    let rows = env
        .create_databases_and_commit(txn, |opener, txn| {
            opener.create_database::<Bytes, Bytes>(txn, Some("rows")).map(heed::CommitOrAbort::<_, ()>::Commit)
        })
        .unwrap()
        .unwrap_commit();
    let mut txn = env.write_txn().unwrap();
    let old = rows.get(&txn, key).unwrap().unwrap_or_default().to_vec();
    match change(&old) {
        Some(value) => rows.put(&mut txn, key, &value).unwrap(),
        None => assert!(rows.delete(&mut txn, key).unwrap()),
    }
    txn.commit().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Pages that lead to others are few, so most of the changes are aimed at them; a crash would end the test.
    #[test]
    fn no_changed_byte_ends_the_process(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4096_usize, any::<u8>()), 1..4),
        in_headers in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("data.mdb");
        let mut bytes = sound();
        let tree_pages: Vec<usize> =
            (0..bytes.len() / 4096).filter(|page| page * 4096 == 0 || bytes[page * 4096 + 10] & 0x0b != 0).collect();
        for (page, at, value) in changes {
            let at = if in_headers { at % 64 } else { at };
            bytes[page.get(&tree_pages) * 4096 + at] ^= value;
        }
        fs::write(&file, bytes).unwrap();
        match read(directory.path(), options()) {
            Ok(()) | Err(Error::Damaged { .. } | Error::Dimensions { .. } | Error::Full { .. }) => {}
            Err(error) => prop_assert!(false, "{error:?}"),
        }
    }
}

/// The bytes of [`stored`], made once.
fn sound() -> Vec<u8> {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    let make = || {
        let directory = tempfile::tempdir().unwrap();
        fs::read(stored(directory.path())).unwrap()
    };
    BYTES.get_or_init(make).clone()
}
