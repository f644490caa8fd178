//! The index on disk: commits, crashes, damage, concurrent use.

use std::fs;
use std::path::Path;

use icr_lexical::{
    ChunkDocument, DefinitionPattern, Error, HighWaterMark, Lexical, LexicalReader, LexicalWriter, MemoryIndex,
    Merging, PathDocument, PathStatistics, Statistics, WriterOptions, query_terms, recipe,
};
use icr_model::{BlobNo, ChunkNo, FieldCounts, LiveSet, PathNo, RepoPath};

const MARK: HighWaterMark = HighWaterMark { next_blob: 7, next_chunk: 70, next_path: 3, generation: 2 };

fn writer(index: &Lexical) -> LexicalWriter {
    index.writer(WriterOptions { memory_bytes: 0, threads: 1, merging: Merging::Never }).unwrap()
}

fn add(writer: &mut LexicalWriter, chunk: u32, blob: u32, body: &str) {
    writer.add_chunk(&document(chunk, blob, body)).unwrap();
}

fn document(chunk: u32, blob: u32, body: &str) -> ChunkDocument<'_> {
    ChunkDocument { body: body.as_bytes(), ..ChunkDocument::new(ChunkNo(chunk), BlobNo(blob)) }
}

/// Numbers of live chunks that have `query`, among the first hundred and those in memory.
fn found(reader: &LexicalReader, query: &str) -> Vec<u32> {
    let live = LiveSet::from_numbers((0..100).chain(ChunkNo::FIRST_IN_MEMORY..ChunkNo::FIRST_IN_MEMORY + 100));
    let statistics =
        Statistics { documents: 100, tokens: FieldCounts { body: 1000, definitions: 1000, comments: 1000 } };
    let chunks = reader.live_chunks(&live, statistics).unwrap();
    let hits = chunks.search(&query_terms(query), 100, |scores| scores.fields[0]).unwrap();
    let mut numbers: Vec<u32> = hits.chunks.iter().map(|hit| hit.chunk_no.0).collect();
    numbers.sort_unstable();
    numbers
}

#[track_caller]
fn check(index: &Lexical, query: &str, expected: &[u32]) {
    assert_eq!(found(&index.reader(None).unwrap(), query), expected);
}

/// An index with chunks 0 to 2 of three blobs, committed one by one.
fn three(path: &Path) -> Lexical {
    let index = Lexical::create(path).unwrap();
    let mut writer = writer(&index);
    for (no, body) in ["open file", "close file", "merge tree"].into_iter().enumerate() {
        add(&mut writer, no as u32, no as u32, body);
        writer.commit(MARK).unwrap();
    }
    writer.finish().unwrap();
    index
}

#[test]
fn a_commit_publishes_documents_and_mark() {
    let directory = tempfile::tempdir().unwrap();
    let index = Lexical::create(directory.path().join("lexical")).unwrap();
    assert_eq!(index.mark().unwrap(), HighWaterMark::default());
    check(&index, "file", &[]);
    let mut writer = writer(&index);
    add(&mut writer, 0, 0, "open file");
    check(&index, "file", &[]);
    writer.commit(MARK).unwrap();
    check(&index, "file", &[0]);
    assert_eq!(Lexical::open(index.path()).unwrap().mark().unwrap(), MARK);
}

#[test]
fn a_writer_that_is_dropped_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let mut dropped = writer(&index);
    add(&mut dropped, 3, 3, "another file");
    dropped.delete_blobs(&[BlobNo(0)]);
    drop(dropped);
    let reopened = Lexical::open(directory.path()).unwrap();
    check(&reopened, "file", &[0, 1]);
    assert_eq!(reopened.mark().unwrap(), MARK);
    let mut next = writer(&reopened);
    add(&mut next, 4, 4, "next file");
    next.commit(HighWaterMark { next_chunk: 71, ..MARK }).unwrap();
    check(&reopened, "file", &[0, 1, 4]);
}

#[test]
fn files_of_a_writer_that_was_killed_are_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    // What a killed process leaves: segment files that no commit names, and a lock file that nobody holds.
    fs::write(directory.path().join("00000000000000000000000000000000.idx"), b"half").unwrap();
    fs::write(directory.path().join(".tantivy-writer.lock"), b"").unwrap();
    check(&Lexical::open(directory.path()).unwrap(), "file", &[0, 1]);
    let mut next = writer(&index);
    add(&mut next, 3, 3, "next file");
    next.commit(MARK).unwrap();
    check(&index, "file", &[0, 1, 3]);
}

#[test]
fn a_second_writer_finds_the_index_busy() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let first = writer(&index);
    for index in [index.clone(), Lexical::open(directory.path()).unwrap()] {
        assert!(matches!(index.writer(WriterOptions::default()), Err(Error::Busy)));
    }
    drop(first);
    writer(&index).finish().unwrap();
}

#[test]
fn deletion_is_by_blob_and_covers_this_batch_and_earlier_ones() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let mut writer = writer(&index);
    add(&mut writer, 3, 3, "third file");
    add(&mut writer, 4, 3, "fourth file");
    add(&mut writer, 5, 5, "fifth file");
    writer.delete_blobs(&[BlobNo(0), BlobNo(3), BlobNo(99)]);
    writer.commit(MARK).unwrap();
    check(&index, "file", &[1, 5]);
    writer.merge_all().unwrap();
    check(&index, "file", &[1, 5]);
}

#[test]
fn merging_all_leaves_one_segment_and_keeps_the_mark() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    assert_eq!(index.reader(None).unwrap().segments_total(), 3);
    let mut writer = writer(&index);
    writer.merge_all().unwrap();
    assert_eq!(index.reader(None).unwrap().segments_total(), 1);
    check(&index, "file", &[0, 1]);
    assert_eq!(index.mark().unwrap(), MARK);
    writer.merge_all().unwrap();
    assert_eq!(index.reader(None).unwrap().segments_total(), 1);
}

#[test]
fn many_small_commits_are_merged_when_asked_to() {
    let directory = tempfile::tempdir().unwrap();
    let index = Lexical::create(directory.path()).unwrap();
    let mut writer = index.writer(WriterOptions::default()).unwrap();
    for no in 0..20 {
        add(&mut writer, no, no, "open file");
        writer.commit(HighWaterMark { next_chunk: no + 1, ..MARK }).unwrap();
    }
    writer.finish().unwrap();
    assert!(index.reader(None).unwrap().segments_total() < 20);
    check(&index, "file", &(0..20).collect::<Vec<_>>());
    assert_eq!(index.mark().unwrap().next_chunk, 20);
}

#[test]
fn a_reader_tells_that_its_files_were_cut_short_and_not_that_they_were_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let reader = index.reader(None).unwrap();
    assert!(reader.is_whole());
    let mut files = index.files().unwrap();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "idx"));
    fs::remove_file(directory.path().join(&files[0])).unwrap();
    assert!(reader.is_whole());
    fs::File::options().write(true).open(directory.path().join(&files[1])).unwrap().set_len(10).unwrap();
    assert!(!reader.is_whole());
    assert!(matches!(index.check_file(&files[1]), Err(Error::Damaged { .. })));
}

#[test]
fn a_reader_keeps_its_state_while_a_writer_commits_and_merges() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let before = index.reader(None).unwrap();
    let mut writer = writer(&index);
    add(&mut writer, 3, 3, "third file");
    writer.delete_blobs(&[BlobNo(0)]);
    writer.commit(MARK).unwrap();
    writer.merge_all().unwrap();
    assert_eq!(found(&before, "file"), [0, 1]);
    check(&index, "file", &[1, 3]);
}

#[test]
fn readers_of_another_handle_open_while_segments_come_and_go() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let reading = std::thread::spawn({
        let other = Lexical::open(directory.path()).unwrap();
        move || {
            let mut seen = 0;
            while seen < 12 {
                let numbers = found(&other.reader(None).unwrap(), "file");
                // Each state is that of one commit: chunks arrive in order.
                assert!(numbers.is_sorted() && numbers.len() >= seen, "{numbers:?} after {seen}");
                seen = numbers.len();
            }
        }
    });
    let mut writer = writer(&index);
    for no in 3..13 {
        add(&mut writer, no, no, "one more file");
        writer.commit(MARK).unwrap();
        writer.merge_all().unwrap();
    }
    reading.join().unwrap();
}

#[test]
fn memory_stands_beside_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let first = ChunkNo::FIRST_IN_MEMORY;
    let memory = MemoryIndex::build(&[document(first, first, "edited file")], &[]).unwrap();
    assert_eq!(found(&index.reader(Some(&memory)).unwrap(), "file"), [0, 1, first]);
    let reader = index.reader(None).unwrap();
    assert_eq!(found(&reader.with_memory(&memory).unwrap(), "file"), [0, 1, first]);
    assert_eq!(found(&reader, "file"), [0, 1]);
    assert_eq!(found(&LexicalReader::of_memory(&memory).unwrap(), "file"), [first]);
    assert_eq!(
        found(&LexicalReader::of_memory(&MemoryIndex::build(&[], &[]).unwrap()).unwrap(), "file"),
        Vec::<u32>::new()
    );
}

#[test]
fn token_counts_are_those_of_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let index = Lexical::create(directory.path()).unwrap();
    let document = ChunkDocument {
        body: b"fn open_file() {} // Opens\xff it",
        definitions: vec!["open_file"],
        docs: vec![b"Opens", b"it"],
        ..ChunkDocument::new(ChunkNo(0), BlobNo(0))
    };
    let mut writer = writer(&index);
    let counts = writer.add_chunk(&document).unwrap();
    assert_eq!((counts.body, counts.definitions, counts.comments), (7, 3, 3));
    assert_eq!(MemoryIndex::build(&[document], &[]).unwrap().chunk_tokens(), [counts]);
    let path = RepoPath::from("src/open_file.rs");
    assert_eq!(writer.add_path(&PathDocument { path_no: PathNo(0), path: &path }).unwrap(), 5);
}

#[test]
fn paths_and_chunks_do_not_mix() {
    let path = RepoPath::from("src/file.rs");
    let paths = [PathDocument { path_no: PathNo(0), path: &path }];
    let memory = MemoryIndex::build(&[document(0, 0, "open file")], &paths).unwrap();
    let reader = LexicalReader::of_memory(&memory).unwrap();
    let live = LiveSet::from_numbers([0]);
    let chunks = reader
        .live_chunks(&live, Statistics { documents: 1, tokens: FieldCounts { body: 2, ..FieldCounts::default() } })
        .unwrap();
    let paths = reader.live_paths(&live, PathStatistics { documents: 1, tokens: 3 }).unwrap();
    assert_eq!((chunks.documents_total(), paths.documents_total()), (1, 1));
    assert_eq!(
        chunks.search(&query_terms("src file"), 9, |scores| scores.fields[0]).unwrap().chunks[0].scores.matched,
        0b10
    );
    assert_eq!(paths.search(&query_terms("open file src"), 9).unwrap().paths[0].matched, 0b110);
}

#[test]
fn look_ups_by_key_are_exact_and_by_identifier_ignore_case() {
    let documents = [
        ChunkDocument {
            requires: vec!["std::fs".into(), "fs".into(), "fs".into(), String::new()],
            provides: vec!["crate::io".into()],
            ..document(3, 1, "Save!(x) save $scope")
        },
        ChunkDocument { requires: vec!["a b\x1fc".into(), "k".repeat(70_000)], ..document(1, 1, "scope x") },
    ];
    let memory = MemoryIndex::build(&documents, &[]).unwrap();
    let live = LiveSet::from_numbers(0..10);
    let chunks = LexicalReader::of_memory(&memory).unwrap().live_chunks(&live, Statistics::default()).unwrap();
    let numbers = |found: Result<Vec<icr_lexical::ChunkRef>, Error>| {
        found.unwrap().iter().map(|chunk| chunk.chunk_no.0).collect::<Vec<_>>()
    };
    assert_eq!(numbers(chunks.with_requires("fs")), [3]);
    assert_eq!(numbers(chunks.with_requires("std")), [0_u32; 0]);
    assert_eq!(numbers(chunks.with_requires("a b\x1fc")), [1]);
    assert_eq!(numbers(chunks.with_requires(&"k".repeat(70_000))), [1]);
    assert_eq!(numbers(chunks.with_requires("")), [0_u32; 0]);
    assert_eq!(numbers(chunks.with_provides("crate::io")), [3]);
    assert_eq!(numbers(chunks.with_provides("fs")), [0_u32; 0]);
    assert_eq!(numbers(chunks.with_identifier("scope")), [1, 3]);
    assert_eq!(numbers(chunks.with_identifier("Scope")), [1, 3]);
    assert_eq!(numbers(chunks.with_identifier("x")), [0_u32; 0]);
    assert_eq!(numbers(chunks.with_identifier("Save!")), [3]);
    assert_eq!(numbers(chunks.with_identifier("save scope")), [3]);
    assert_eq!(numbers(chunks.with_identifier("+")), [0_u32; 0]);
}

#[test]
fn similar_names_do_not_depend_on_names_of_dead_chunks() {
    let dead: Vec<String> = ('a'..='z').map(|letter| format!("open_fil{letter}")).collect();
    let names: Vec<&str> = dead.iter().map(String::as_str).collect();
    let documents = [
        ChunkDocument { definitions: vec!["open_files"], ..document(0, 0, "") },
        ChunkDocument { definitions: names, ..document(50, 50, "") },
    ];
    let memory = MemoryIndex::build(&documents, &[]).unwrap();
    let live = LiveSet::from_numbers(0..10);
    let chunks = LexicalReader::of_memory(&memory).unwrap().live_chunks(&live, Statistics::default()).unwrap();
    assert_eq!(chunks.similar_definitions("open_fil", 5).unwrap(), ["open_files"]);
}

#[test]
fn definitions_are_found_without_case_and_shown_as_written() {
    let documents = [
        ChunkDocument { definitions: vec!["OpenFile", "open"], ..document(0, 0, "") },
        ChunkDocument { definitions: vec!["openfile", "Ünopened", "# Open Issues"], ..document(1, 1, "") },
        ChunkDocument { definitions: vec!["OpenFile"], ..document(2, 2, "") },
        ChunkDocument { definitions: vec!["openDead"], ..document(50, 50, "") },
    ];
    let memory = MemoryIndex::build(&documents, &[]).unwrap();
    let live = LiveSet::from_numbers(0..10);
    let chunks = LexicalReader::of_memory(&memory).unwrap().live_chunks(&live, Statistics::default()).unwrap();
    let names = |pattern| {
        let found = chunks.definitions(&pattern, 10).unwrap();
        found.iter().map(|found| format!("{} {}", found.name, found.chunks.len())).collect::<Vec<_>>()
    };
    assert_eq!(names(DefinitionPattern::Exact("OPENFILE")), ["OpenFile 2", "openfile 1"]);
    assert_eq!(names(DefinitionPattern::Exact("openf")), Vec::<String>::new());
    assert_eq!(names(DefinitionPattern::Prefix("Open")), ["open 1", "OpenFile 2", "openfile 1"]);
    assert_eq!(names(DefinitionPattern::Substring("nopen")), ["Ünopened 1"]);
    assert_eq!(names(DefinitionPattern::Substring("ÜN")), ["Ünopened 1"]);
    assert_eq!(names(DefinitionPattern::Subsequence("ofl")), ["OpenFile 2", "openfile 1"]);
    assert_eq!(names(DefinitionPattern::Subsequence("oi")), ["OpenFile 2", "openfile 1", "# Open Issues 1"]);
    assert_eq!(names(DefinitionPattern::Substring("")).len(), 5);
}

#[test]
fn more_than_64_terms_are_scored_and_the_first_64_marked() {
    let words: Vec<String> = (10..80).map(|no| format!("word{no}")).collect();
    let body = words.join(" ");
    let memory = MemoryIndex::build(&[document(0, 0, &body)], &[]).unwrap();
    let live = LiveSet::from_numbers([0]);
    let statistics = Statistics::default().with(memory.chunk_tokens()[0]);
    let chunks = LexicalReader::of_memory(&memory).unwrap().live_chunks(&live, statistics).unwrap();
    let hits = chunks.search(&words, 1, |scores| scores.fields[0]).unwrap();
    assert_eq!(hits.chunks[0].scores.matched, u64::MAX);
    assert_eq!(hits.terms.iter().map(|term| term.any).sum::<u64>(), 70);
}

#[test]
fn a_missing_index_is_named_and_an_existing_one_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    for path in [directory.path().to_path_buf(), directory.path().join("nowhere")] {
        let error = Lexical::open(&path).unwrap_err();
        assert!(matches!(error, Error::Missing { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("no postings at `{}`", path.display()));
    }
    three(directory.path());
    assert!(matches!(Lexical::create(directory.path()), Err(Error::Exists { .. })));
    check(&Lexical::open(directory.path()).unwrap(), "file", &[0, 1]);
}

/// What opening, reading and searching the index at `path` says.
fn use_all(path: &Path) -> Result<(), Error> {
    let index = Lexical::open(path)?;
    index.mark()?;
    let live = LiveSet::from_numbers(0..100);
    let chunks = index.reader(None)?.live_chunks(
        &live,
        Statistics { documents: 100, tokens: FieldCounts { body: 1000, definitions: 1000, comments: 1000 } },
    )?;
    chunks.search(&query_terms("open merge file"), 10, |scores| scores.fields[0])?;
    chunks.definitions(&DefinitionPattern::Substring("e"), 10)?;
    chunks.with_identifier("file")?;
    Ok(())
}

#[test]
fn every_file_that_is_missing_or_cut_short_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    three(directory.path());
    let files: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .collect();
    assert!(files.len() > 15, "{files:?}");
    for file in files {
        let bytes = fs::read(&file).unwrap();
        // `pos` holds positions, which icr does not keep and tantivy allows to be absent.
        if file.extension().is_some_and(|extension| extension != "pos") {
            fs::remove_file(&file).unwrap();
            let error = use_all(directory.path()).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. } | Error::Missing { .. }), "{}: {error:?}", file.display());
        }
        for length in [0, 3, bytes.len() / 2, bytes.len() - 2] {
            fs::write(&file, &bytes[..length]).unwrap();
            let error = use_all(directory.path()).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. }), "{} cut to {length}: {error:?}", file.display());
        }
        fs::write(&file, &bytes).unwrap();
    }
    use_all(directory.path()).unwrap();
}

#[test]
fn a_changed_byte_is_found_by_checking_and_never_panics_a_search() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    assert_eq!(index.damaged_files().unwrap(), Vec::<std::path::PathBuf>::new());
    for entry in fs::read_dir(directory.path()).unwrap() {
        let file = entry.unwrap().path();
        let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        if !["idx", "term", "fieldnorm", "fast"].contains(&extension.as_str()) {
            continue;
        }
        let bytes = fs::read(&file).unwrap();
        // The footer of some 90 bytes is checked apart.
        for at in 0..bytes.len().saturating_sub(100) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            fs::write(&file, &changed).unwrap();
            if let Err(error) = use_all(directory.path()) {
                assert!(matches!(error, Error::Damaged { .. }), "{} byte {at}: {error:?}", file.display());
            }
            if at == 0 {
                let named = Lexical::open(directory.path()).unwrap().damaged_files().unwrap();
                assert_eq!(named, [Path::new(file.file_name().unwrap())]);
            }
        }
        fs::write(&file, &bytes).unwrap();
    }
}

#[test]
fn an_index_with_other_fields_is_damage_by_name() {
    let directory = tempfile::tempdir().unwrap();
    three(directory.path());
    let meta = directory.path().join("meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    fs::write(&meta, text.replace("\"name\": \"name\"", "\"name\": \"other\"")).unwrap();
    let error = Lexical::open(directory.path()).unwrap_err().to_string();
    assert!(error.contains("its fields are `body`, `def`, `doc`, `other`"), "{error}");
}

#[test]
fn a_mark_that_is_none_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let meta = directory.path().join("meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    fs::write(&meta, text.replace("7 70 3 2", "7 70 x 2")).unwrap();
    let error = index.mark().unwrap_err().to_string();
    assert!(error.ends_with("`7 70 x 2` is not a mark"), "{error}");
}

#[test]
fn readers_write_nothing() {
    let directory = tempfile::tempdir().unwrap();
    three(directory.path());
    for entry in fs::read_dir(directory.path()).unwrap() {
        let file = entry.unwrap().path();
        if file.file_name().unwrap().to_string_lossy().ends_with(".lock") {
            fs::remove_file(file).unwrap();
        }
    }
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        names
    };
    let before = names();
    use_all(directory.path()).unwrap();
    assert_eq!(names(), before);
}

#[test]
fn the_recipe_is_computed_and_stable() {
    assert_eq!(recipe(), recipe());
    assert_ne!(recipe().0, 0);
}
