//! Opening, writing, spaces, snapshots, growing.

use icr_model::{ChunkNo, LiveSet, Recipe};
use icr_vector::{Error, Options, Space, VectorCommitReport, VectorEncoding, VectorReader, VectorWriter, Vectors};

use super::child::{self, Work};
use super::{clustered, live, open, put, reader, space};

const SCALED: Space = Space { recipe: Recipe(1), dims: 2, form: VectorEncoding::Scaled, by_content: false };

#[test]
fn readers_go_where_they_are_asked_from() {
    fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Vectors>();
    crosses_threads::<VectorReader>();
    crosses_threads::<VectorWriter>();
}

#[test]
fn a_reader_keeps_what_it_saw() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    let empty = reader(&vectors);
    put(&vectors, &SCALED, 0, &[vec![1.0, 0.0]]);
    let one = reader(&vectors);
    put(&vectors, &SCALED, 1, &[vec![0.0, 1.0]]);
    let seen =
        [&empty, &one, &reader(&vectors)].map(|reader| reader.count_covered(SCALED.recipe, &live(0..9)).unwrap());
    assert_eq!(seen, [0, 1, 2]);
    assert_eq!([&empty, &one].map(|reader| reader.mark().unwrap()), [0, 1]);
    assert_eq!(vectors.mark().unwrap(), 2);
}

#[test]
fn a_commit_does_as_little_as_it_can() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    let mut writer = vectors.writer().unwrap();
    let mut commit = |change: &dyn Fn(&mut VectorWriter)| {
        change(&mut writer);
        writer.commit(0).unwrap()
    };
    let put = |writer: &mut VectorWriter, chunks: std::ops::Range<u32>| {
        chunks.for_each(|chunk| writer.write_chunk(&SCALED, ChunkNo(chunk), 0, &[&[1.0, 0.0]]).unwrap());
    };
    let none = VectorCommitReport::default();
    assert_eq!(commit(&|_| {}), none);
    let written = VectorCommitReport { chunks_written: 2_000, blocks_written: 4, ..none };
    assert_eq!(commit(&|writer| put(writer, 0..2_000)), written);
    assert_eq!(
        commit(&|writer| put(writer, 2_000..2_010)),
        VectorCommitReport { chunks_written: 10, blocks_written: 1, ..none }
    );
    assert_eq!(
        commit(&|writer| writer.delete_chunks(&live(100..1_024))),
        VectorCommitReport { chunks_deleted: 924, blocks_written: 1, blocks_freed: 1, ..none }
    );
    assert_eq!(commit(&|writer| writer.delete_chunks(&live(100..1_024))), none);
    // What is deleted before it is committed is never written; what is written after stays.
    assert_eq!(
        commit(&|writer| {
            put(writer, 5_000..5_010);
            writer.delete_chunks(&live(5_000..5_009));
            put(writer, 5_000..5_001);
        }),
        VectorCommitReport { chunks_written: 2, blocks_written: 1, ..none }
    );
    assert_eq!(reader(&vectors).count_covered(SCALED.recipe, &live(0..9_999)).unwrap(), 2_010 - 924 + 2);
}

#[test]
fn a_writer_that_is_dropped_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    let mut writer = vectors.writer().unwrap();
    writer.write_chunk(&SCALED, ChunkNo(0), 0, &[&[1.0, 0.0]]).unwrap();
    drop(writer);
    assert!(reader(&vectors).spaces().unwrap().is_empty());
}

#[test]
fn the_mark_never_goes_back_and_is_above_what_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    let mut writer = vectors.writer().unwrap();
    let mut marks = Vec::new();
    for (mark, chunk) in [(10, None), (4, None), (11, Some(20)), (30, None)] {
        if let Some(chunk) = chunk {
            writer.write_chunk(&SCALED, ChunkNo(chunk), 0, &[&[1.0, 0.0]]).unwrap();
        }
        writer.commit(mark).unwrap();
        marks.push(vectors.mark().unwrap());
    }
    assert_eq!(marks, [10, 10, 21, 30]);
}

#[test]
fn spaces_stand_side_by_side_and_go_alone() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    // Two models of equal dimensions are two spaces.
    let spaces = [VectorEncoding::ScaledAndHalf, VectorEncoding::Scaled]
        .map(|form| Space { recipe: Recipe(form as u128), ..space(2, form) });
    for space in &spaces {
        put(&vectors, space, 0, &[vec![1.0, 0.0], vec![0.0, 1.0]]);
    }
    let mut writer = vectors.writer().unwrap();
    writer.write_chunk(&spaces[0], ChunkNo(1), 9, &[&[1.0, 1.0], &[0.0, 0.0]]).unwrap();
    writer.note_use(spaces[0].recipe, 70);
    writer.note_use(Recipe(99), 70);
    writer.commit(0).unwrap();
    writer.note_use(spaces[0].recipe, 60);
    writer.commit(0).unwrap();
    let listed = |vectors: &Vectors| {
        let spaces = reader(vectors).spaces().unwrap();
        let spaces = spaces.iter().map(|status| {
            let Space { dims, form, .. } = status.space;
            let (chunks, rows, bytes, used) = (status.chunks, status.rows, status.bytes, status.last_used_s);
            format!("{form:?} of {dims}: {chunks} chunks, {rows} rows, {bytes} bytes, used {used:?}")
        });
        spaces.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(listed(&vectors), @r"
    Scaled of 2: 2 chunks, 2 rows, 24 bytes, used None
    ScaledAndHalf of 2: 2 chunks, 3 rows, 80 bytes, used Some(70)
    ");
    let mut writer = vectors.writer().unwrap();
    writer.drop_space(spaces[0].recipe);
    writer.drop_space(Recipe(99));
    writer.commit(0).unwrap();
    insta::assert_snapshot!(listed(&vectors), @"Scaled of 2: 2 chunks, 2 rows, 24 bytes, used None");
    let reader = reader(&vectors);
    assert_eq!(reader.chunk_with(spaces[0].recipe, 9).unwrap(), None);
    assert_eq!(reader.nearest(spaces[0].recipe, &[1.0], &live(0..2), 5).unwrap().chunks, []);
    assert_eq!(reader.similarities(spaces[0].recipe, &[1.0], &[ChunkNo(0)]).unwrap(), [None]);
    assert_eq!(reader.missing(spaces[0].recipe, &live(0..2)).unwrap(), live(0..2));
}

#[test]
fn a_text_seen_before_is_found_by_its_digest() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path()), space(2, VectorEncoding::ScaledAndHalf));
    let mut writer = vectors.writer().unwrap();
    writer.write_chunk(&space, ChunkNo(3), 77, &[&[3.0, 4.0], &[0.0, -2.0]]).unwrap();
    writer.write_chunk(&SCALED, ChunkNo(3), 77, &[&[3.0, 4.0]]).unwrap();
    writer.commit(0).unwrap();
    let windows = reader(&vectors).windows(space.recipe, ChunkNo(3)).unwrap();
    assert_eq!(windows.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    assert!((windows[0][0] - 0.6).abs() < 1e-3 && windows[1] == [0.0, -1.0], "{windows:?}");
    let found = |content| reader(&vectors).chunk_with(space.recipe, content).unwrap().map(|chunk| chunk.0);
    assert_eq!((found(77), found(78)), (Some(3), None));
    assert_eq!(reader(&vectors).chunk_with(SCALED.recipe, 77).unwrap(), None);
    // A copy takes over, so that the look-up survives the first one.
    writer.write_chunk(&space, ChunkNo(900), 77, &[&[3.0, 4.0]]).unwrap();
    writer.commit(0).unwrap();
    writer.delete_chunks(&live(3..4));
    writer.commit(0).unwrap();
    assert_eq!(found(77), Some(900));
    // Another text in its place.
    writer.write_chunk(&space, ChunkNo(900), 78, &[&[3.0, 4.0]]).unwrap();
    writer.commit(0).unwrap();
    assert_eq!((found(77), found(78)), (None, Some(900)));
}

#[test]
fn what_does_not_fit_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    put(&vectors, &SCALED, 0, &[vec![1.0, 0.0]]);
    let (reader, live) = (reader(&vectors), live(0..1));
    let ask = |question: &[f32]| reader.nearest(SCALED.recipe, question, &live, 1).unwrap_err().to_string();
    let write = |space: Space, chunk, windows: &[&[f32]]| {
        let mut writer = vectors.writer().unwrap();
        let put = writer.write_chunk(&space, ChunkNo(chunk), 0, windows);
        put.and_then(|()| writer.commit(0)).unwrap_err().to_string()
    };
    let many = vec![[1.0_f32, 0.0]; 257];
    let many: Vec<&[f32]> = many.iter().map(<[f32; 2]>::as_slice).collect();
    let found = [
        ask(&[1.0]),
        ask(&[1.0, f32::NAN]),
        reader.similarities(SCALED.recipe, &[1.0, 2.0, 3.0], &[]).unwrap_err().to_string(),
        write(SCALED, 0, &[&[1.0, 2.0], &[1.0]]),
        write(SCALED, 0, &[&[f32::INFINITY, 2.0]]),
        write(SCALED, 0, &[]),
        write(SCALED, 0, &many),
        write(SCALED, 1 << 31, &[&[1.0, 2.0]]),
        write(Space { dims: 3, ..SCALED }, 0, &[&[1.0, 2.0, 3.0]]),
        write(Space { form: VectorEncoding::ScaledAndHalf, ..SCALED }, 0, &[&[1.0, 2.0]]),
        write(Space { dims: 0, ..SCALED }, 0, &[&[]]),
    ];
    insta::assert_snapshot!(found.join("\n"), @r"
    a vector of 1 components does not fit the space 00000000000000000000000000000001, whose vectors have 2
    component 1 of a vector is NaN, not a finite number
    a vector of 3 components does not fit the space 00000000000000000000000000000001, whose vectors have 2
    a vector of 1 components does not fit the space 00000000000000000000000000000001, whose vectors have 2
    component 0 of a vector is inf, not a finite number
    chunk 0 cannot be stored: it has no window; a chunk has a vector at least
    chunk 0 cannot be stored: it has more than 256 windows
    chunk 2147483648 cannot be stored: numbers from 2^31 on are of memory and never reach a store
    a vector of 3 components does not fit the space 00000000000000000000000000000001, whose vectors have 2
    the space 00000000000000000000000000000001 is kept as Scaled, not as ScaledAndHalf
    a vector of 0 components does not fit the space 00000000000000000000000000000001, whose vectors have 0
    ");
    assert_eq!(reader.count_covered(SCALED.recipe, &live).unwrap(), 1);
}

#[test]
fn zero_vectors_are_there_and_near_to_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    put(&vectors, &SCALED, 0, &[vec![0.0, 0.0], vec![-1.0, 0.0]]);
    let reader = reader(&vectors);
    let nearest = reader.nearest(SCALED.recipe, &[1.0, 0.0], &live(0..2), 9).unwrap();
    assert_eq!(nearest.chunks, [(ChunkNo(1), -1.0)]);
    assert_eq!(reader.count_covered(SCALED.recipe, &live(0..2)).unwrap(), 2);
    let all = [ChunkNo(0), ChunkNo(1)];
    assert_eq!(reader.similarities(SCALED.recipe, &[1.0, 0.0], &all).unwrap(), [Some(0.0), Some(-1.0)]);
    assert_eq!(reader.similarities(SCALED.recipe, &[0.0, 0.0], &all).unwrap(), [Some(0.0), Some(0.0)]);
    assert_eq!(reader.nearest(SCALED.recipe, &[0.0, 0.0], &live(0..2), 9).unwrap().chunks, []);
}

#[test]
fn handles_of_one_directory_share_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a/vectors.lmdb");
    let missing = Vectors::open_read_only(&path, Options::default()).unwrap_err();
    assert!(matches!(missing, Error::Missing { .. }), "{missing}");
    let first = open(&path);
    let second = Vectors::open_read_only(directory.path().join("a/../a/vectors.lmdb"), Options::default()).unwrap();
    put(&first, &SCALED, 0, &[vec![1.0, 0.0]]);
    assert_eq!(second.mark().unwrap(), 1);
    drop((first, second));
    // Closed by the last handle, and opened otherwise.
    let read_only = Vectors::open_read_only(&path, Options::default()).unwrap();
    assert_eq!(read_only.mark().unwrap(), 1);
    assert!(matches!(read_only.writer(), Err(Error::ReadOnly { .. })));
    assert!(matches!(Vectors::open(&path, Options::default()), Err(Error::ReadOnly { .. })));
    let reader = reader(&read_only);
    drop(read_only);
    assert!(matches!(Vectors::open(&path, Options::default()), Err(Error::ReadOnly { .. })), "a reader is a handle");
    drop(reader);
    assert_eq!(open(&path).mark().unwrap(), 1);
}

#[test]
fn a_directory_that_was_replaced_is_not_taken_for_the_old_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vectors.lmdb");
    let old = open(&path);
    put(&old, &SCALED, 0, &[vec![1.0, 0.0]]);
    std::fs::remove_dir_all(&path).unwrap();
    assert!(matches!(Vectors::open(&path, Options::default()), Err(Error::Replaced { .. })));
    assert_eq!(old.mark().unwrap(), 1);
    drop(old);
    assert_eq!(open(&path).mark().unwrap(), 0);
}

#[test]
fn what_is_kept_open_stands_in_nobody_s_way() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vectors.lmdb");
    let vectors = open(&path);
    put(&vectors, &SCALED, 0, &[vec![1.0, 0.0]]);
    vectors.keep_open();
    drop(vectors);
    assert_eq!(open(&path).mark().unwrap(), 1);
    // Another file has taken its place.
    std::fs::remove_dir_all(&path).unwrap();
    let vectors = open(&path);
    assert_eq!(vectors.mark().unwrap(), 0);
    put(&vectors, &SCALED, 0, &[vec![1.0, 0.0]]);
    drop(vectors);
    // It was opened to be read, and is to be written.
    let read_only = Vectors::open_read_only(&path, Options::default()).unwrap();
    read_only.keep_open();
    assert!(matches!(Vectors::open(&path, Options::default()), Err(Error::ReadOnly { .. })), "somebody reads it");
    read_only.keep_open();
    drop(read_only);
    let vectors = open(&path);
    vectors.writer().unwrap();
    vectors.keep_open();
    drop(vectors);
    icr_vector::close_kept();
    assert_eq!(open(&path).mark().unwrap(), 1);
}

#[cfg(unix)]
#[test]
fn files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vectors.lmdb");
    let _vectors = open(&path);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for entry in std::fs::read_dir(&path).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
}

#[test]
fn a_full_map_grows_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path()), space(64, VectorEncoding::ScaledAndHalf));
    let before = vectors.map_bytes();
    let rows = clustered(6_000, 64, 1);
    put(&vectors, &space, 0, &rows[..10]);
    put(&vectors, &space, 10, &rows[10..]);
    assert!(before <= 256 << 10 && vectors.map_bytes() >= 1 << 20, "{before} {}", vectors.map_bytes());
    assert_eq!(reader(&vectors).count_covered(space.recipe, &live(0..6_000)).unwrap(), 6_000);
    let nearest = reader(&vectors).nearest(space.recipe, &rows[5_000], &live(0..6_000), 1).unwrap();
    assert_eq!(nearest.chunks[0].0, ChunkNo(5_000));
}

#[cfg(target_os = "linux")]
#[test]
fn a_map_leaves_most_of_a_limited_address_space_to_everything_else() {
    let directory = tempfile::tempdir().unwrap();
    put(&open(directory.path()), &SCALED, 0, &[vec![1.0, 0.0]]);
    assert!(child::spawn(Work::OpenInLimit, directory.path()).wait().unwrap().success());
}

#[test]
fn a_map_that_another_process_outgrew_is_followed() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    assert_eq!(reader(&vectors).spaces().unwrap(), []);
    let status = child::spawn(Work::Grow, directory.path()).wait().unwrap();
    assert!(status.success());
    let covered = reader(&vectors).count_covered(child::SPACE.recipe, &live(0..child::GROWN)).unwrap();
    assert_eq!(covered, u64::from(child::GROWN));
    put(&vectors, &child::SPACE, child::GROWN, &[vec![1.0; 64]]);
    assert_eq!(reader(&vectors).mark().unwrap(), child::GROWN + 1);
}

#[test]
fn a_killed_writer_leaves_a_whole_commit() {
    for kills_after in [1, 3, 10] {
        let directory = tempfile::tempdir().unwrap();
        child::kill_while_committing(directory.path(), kills_after);
        let vectors = open(directory.path());
        let mark = vectors.mark().unwrap();
        assert!(mark >= kills_after * child::BATCH && mark.is_multiple_of(child::BATCH), "{mark}");
        let reader = reader(&vectors);
        assert_eq!(reader.count_covered(child::SPACE.recipe, &live(0..u32::MAX >> 8)).unwrap(), u64::from(mark));
        // Nobody holds the lock of the dead.
        put(&vectors, &child::SPACE, mark, &[vec![1.0; 64]]);
        assert_eq!(vectors.mark().unwrap(), mark + 1);
    }
}

#[test]
fn writers_and_readers_do_not_disturb_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = open(directory.path());
    let rows = clustered(64, 64, 8);
    std::thread::scope(|scope| {
        for part in 0..4_u32 {
            let (vectors, rows) = (&vectors, &rows);
            scope.spawn(move || {
                for batch in 0..10 {
                    put(vectors, &child::SPACE, part * 1_000 + batch * 16, &rows[..16]);
                }
            });
        }
        for _ in 0..50 {
            let reader = reader(&vectors);
            let covered = reader.count_covered(child::SPACE.recipe, &live(0..4_000)).unwrap();
            let nearest = reader.nearest(child::SPACE.recipe, &rows[0], &live(0..4_000), usize::MAX).unwrap();
            assert_eq!((covered, covered % 16), (nearest.chunks.len() as u64, 0));
        }
    });
    assert_eq!(reader(&vectors).count_covered(child::SPACE.recipe, &LiveSet::from_numbers(0..4_000)).unwrap(), 640);
}
