//! Fetching from a server on this machine.

use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::server::{PausedClock, Reply, Request, Server, cut_reply, reply};
use flate2::Compression;
use flate2::write::GzEncoder;
use icr_embed::fetch::{
    ArchiveFormat, ExtractionMode, FetchOptions, FetchReport, Members, Product, PublishedFile, fetch,
};
use icr_embed::remote::Address;
use icr_model::hexadecimal;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A library with its licence, under gzip.
const TAR: &Members = &Members {
    form: ArchiveFormat::TarGz,
    rows: &[("lib/libm.so.1", "libm.so"), ("LICENSE", "m-LICENSE")],
    receipt: "m.sha256",
};

/// The same as a zip archive.
const ZIP: &Members = &Members { form: ArchiveFormat::Zip, rows: TAR.rows, receipt: TAR.receipt };

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The source of a file with these bytes.
fn source(file: &'static str, bytes: &[u8], kept: ExtractionMode) -> PublishedFile {
    let product = if kept == ExtractionMode::Whole { Product::Model } else { Product::Runtime };
    PublishedFile {
        product,
        platform: None,
        publisher: "https://hub.example/model/resolve/1",
        file,
        sha256: sha256(bytes).leak(),
        bytes: bytes.len() as u64,
        directory: "source/m",
        kept,
    }
}

/// A place to fetch into, from `server`.
struct Place {
    directory: TempDir,
    clock: Arc<PausedClock>,
    options: FetchOptions,
}

impl Place {
    fn new(server: &Server) -> Self {
        let clock = Arc::new(PausedClock::default());
        let mirror = Some(Address::parse(&server.url()).expect("an address"));
        let options = FetchOptions { mirror, clock: Arc::clone(&clock) as _ };
        Self { directory: tempfile::tempdir().expect("a temporary directory"), clock, options }
    }

    fn fetch(&self, sources: &[PublishedFile]) -> Result<FetchReport, String> {
        fetch(sources, self.directory.path(), &self.options, &|_, _| {}).map_err(|error| error.to_string())
    }

    /// The error of fetching, with what differs from run to run replaced.
    fn error(&self, sources: &[PublishedFile], server: &Server) -> String {
        let error = self.fetch(sources).expect_err("nothing that can be fetched");
        server.without_port(&error).replace(&self.directory.path().display().to_string(), "$PLACE")
    }

    /// Every file, with its text if that is short.
    fn files(&self) -> String {
        let mut found = Vec::new();
        list(self.directory.path(), self.directory.path(), &mut found);
        found.sort();
        found.join("\n")
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(path, bytes).expect("a file");
    }
}

fn list(root: &Path, directory: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            list(root, &path, found);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
            let text = if text.len() > 40 { format!("{} bytes", text.len()) } else { text };
            found.push(format!("{}: {text}", path.strip_prefix(root).expect("a path below").display()));
        }
    }
}

/// Serves `bytes`, also from the middle, if that is asked for.
fn with_ranges(bytes: &'static [u8]) -> impl Fn(&Request, usize) -> Reply + Send + 'static {
    move |request, _| match begin_of(request) {
        Some(begin) => part(bytes, begin, bytes.len()),
        None => reply("200 OK", "", bytes),
    }
}

/// The byte that a request asks to begin with.
fn begin_of(request: &Request) -> Option<usize> {
    request.header("range")?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
}

/// The part from `begin`, of which the connection brings what lies before `cut`.
fn part(bytes: &[u8], begin: usize, cut: usize) -> Reply {
    let range = format!("Content-Range: bytes {begin}-{}/{}\r\n", bytes.len() - 1, bytes.len());
    cut_reply("206 Partial Content", &range, &bytes[begin..], cut - begin)
}

const TEXT: &[u8] = b"twenty bytes of text";

#[test]
fn a_file_is_fetched_once() {
    let server = Server::new(with_ranges(TEXT));
    let place = Place::new(&server);
    let sources = [source("1_Pooling/config.json", TEXT, ExtractionMode::Whole)];
    let told = RefCell::new(Vec::new());
    let progress = |done, total| told.borrow_mut().push((done, total));
    let report = fetch(&sources, place.directory.path(), &place.options, &progress).expect("a file");
    let model = Some(place.directory.path().join("source/m"));
    assert_eq!(report, FetchReport { model: model.clone(), runtime: None, fetched: 1, present: 0 });
    assert_eq!(place.files(), "source/m/1_Pooling/config.json: twenty bytes of text");
    let told = told.into_inner();
    assert_eq!((told.first(), told.last()), (Some(&(0, 20)), Some(&(20, 20))));
    assert!(told.is_sorted(), "{told:?}");

    assert_eq!(place.fetch(&sources), Ok(FetchReport { model, runtime: None, fetched: 0, present: 1 }));
    let lines: Vec<String> = server.requests().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["GET /model/resolve/1/1_Pooling/config.json"]);
}

#[test]
fn what_was_interrupted_goes_on_where_it_stopped() {
    let server = Server::new(|request, number| match (number, begin_of(request)) {
        (0, None) => cut_reply("200 OK", "", TEXT, 7),
        (1, Some(7)) => part(TEXT, 7, 12),
        (_, Some(begin)) => part(TEXT, begin, TEXT.len()),
        (_, None) => reply("400 Bad Request", "", b""),
    });
    let place = Place::new(&server);
    place.fetch(&[source("vocab.txt", TEXT, ExtractionMode::Whole)]).expect("a file in three parts");
    assert_eq!(place.files(), "source/m/vocab.txt: twenty bytes of text");
    let ranges: Vec<_> = server.requests().iter().map(|request| request.header("range").map(str::to_owned)).collect();
    assert_eq!(ranges, [None, Some("bytes=7-".to_owned()), Some("bytes=12-".to_owned())]);
    // Each attempt brought something, so there was no reason to wait.
    assert_eq!(place.clock.pauses(), []);
}

#[test]
fn a_run_goes_on_where_an_earlier_one_gave_up() {
    let source = source("vocab.txt", TEXT, ExtractionMode::Whole);
    let place = {
        let server = Server::new(|request, _| match begin_of(request) {
            None => cut_reply("200 OK", "", TEXT, 7),
            Some(_) => reply("503 Service Unavailable", "", b""),
        });
        let place = Place::new(&server);
        assert_eq!(
            place.error(&[source], &server),
            "http://127.0.0.1:PORT/model/resolve/1/vocab.txt: it answered 503 Service Unavailable (asked 3 times); 7 of 20 \
             bytes are kept; fetch again to go on"
        );
        assert_eq!(place.clock.pauses(), [1_000, 2_000]);
        let digest = &source.sha256[..16];
        assert_eq!(place.files(), format!("source/m/.vocab.txt.{digest}.part: twenty "));
        place
    };
    let server = Server::new(with_ranges(TEXT));
    let place = Place { directory: place.directory, ..Place::new(&server) };
    place.fetch(&[source]).expect("the rest");
    assert_eq!(place.files(), "source/m/vocab.txt: twenty bytes of text");
    assert_eq!(server.requests()[0].header("range"), Some("bytes=7-"));
}

#[test]
fn a_server_that_cannot_go_on_in_the_middle_begins_anew() {
    let server = Server::new(|_, number| cut_reply("200 OK", "", TEXT, [9, TEXT.len()][number.min(1)]));
    let place = Place::new(&server);
    place.fetch(&[source("vocab.txt", TEXT, ExtractionMode::Whole)]).expect("a file");
    assert_eq!(place.files(), "source/m/vocab.txt: twenty bytes of text");
    assert_eq!(server.requests().len(), 2);

    let server = Server::new(|_, _| cut_reply("200 OK", "", TEXT, 9));
    let place = Place::new(&server);
    let error = place.error(&[source("vocab.txt", TEXT, ExtractionMode::Whole)], &server);
    assert!(error.contains("(asked 3 times); 9 of 20 bytes are kept"), "{error}");
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_damaged_part_is_thrown_away() {
    let source = source("vocab.txt", TEXT, ExtractionMode::Whole);
    let name = format!("source/m/.vocab.txt.{}.part", &source.sha256[..16]);
    for part in [&b"TWENTY "[..], b"TWENTY BYTES OF TEXT", b"twenty bytes of text and more"] {
        let server = Server::new(with_ranges(TEXT));
        let place = Place::new(&server);
        place.write(&name, part);
        place.fetch(&[source]).expect("a file");
        assert_eq!(place.files(), "source/m/vocab.txt: twenty bytes of text");
    }
}

#[test]
fn other_bytes_than_published_are_not_kept() {
    let server = Server::new(with_ranges(b"twenty bytes of TEXT"));
    let place = Place::new(&server);
    let error = place.error(&[source("vocab.txt", TEXT, ExtractionMode::Whole)], &server);
    let (found, expected) = (sha256(b"twenty bytes of TEXT"), sha256(TEXT));
    let address = "http://127.0.0.1:PORT/model/resolve/1/vocab.txt";
    assert_eq!(error, format!("{address}: its SHA-256 is {found}, expected {expected}; nothing of it was kept"));
    assert_eq!(place.files(), "");
    assert_eq!(server.requests().len(), 1);
}

/// The error of a server that answers everything with `answer`.
#[track_caller]
fn check_refused(answer: impl Fn(&Request, usize) -> Reply + Send + 'static, expected: &str) {
    let server = Server::new(answer);
    let place = Place::new(&server);
    let error = place.error(&[source("vocab.txt", TEXT, ExtractionMode::Whole)], &server);
    assert_eq!(error, format!("http://127.0.0.1:PORT/model/resolve/1/vocab.txt: {expected}"));
    assert!(!place.directory.path().join("source/m/vocab.txt").exists());
}

#[test]
fn servers_that_have_no_such_file_are_named() {
    check_refused(
        |_, _| reply("404 Not Found", "", b"no"),
        "it answered 404 Not Found; is a mirror set that has no such file?",
    );
    check_refused(
        |_, _| reply("200 OK", "", b"<html>Log in to this network</html>"),
        "it gave 35 bytes; the published file has 20",
    );
    check_refused(
        |_, _| Reply::Bytes(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ntwenty bytes of text and more".to_vec()),
        "it gave more bytes; the published file has 20",
    );
    check_refused(
        |_, _| Reply::Bytes(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ntwenty".to_vec()),
        "it gave fewer bytes; the published file has 20 (asked 3 times); 6 of 20 bytes are kept; fetch again to go on",
    );
    check_refused(
        |request, _| match begin_of(request) {
            None => cut_reply("200 OK", "", TEXT, 5),
            Some(_) => part(TEXT, 3, TEXT.len()),
        },
        "it answered with another part of the file than was asked for",
    );
}

#[test]
fn publishers_may_lead_elsewhere() {
    let elsewhere = Server::new(with_ranges(TEXT));
    let to = elsewhere.url();
    let server = Server::new(move |_, _| reply("302 Found", &format!("Location: {to}/store/x?signed=1\r\n"), b""));
    let place = Place::new(&server);
    place.fetch(&[source("vocab.txt", TEXT, ExtractionMode::Whole)]).expect("a file");
    assert_eq!(place.files(), "source/m/vocab.txt: twenty bytes of text");
    assert_eq!(elsewhere.requests()[0].line, "GET /store/x?signed=1");

    check_refused(|_, _| reply("302 Found", "Location: /model\r\n", b""), "it leads in circles");
}

#[test]
fn what_is_in_the_way_stays_as_it_is() {
    let server = Server::new(with_ranges(TEXT));
    let source = source("vocab.txt", TEXT, ExtractionMode::Whole);

    let place = Place::new(&server);
    place.write("source/m/vocab.txt", b"mine");
    let (found, expected) = (sha256(b"mine"), sha256(TEXT));
    let right = "remove it, or fetch into another directory";
    assert_eq!(
        place.error(&[source], &server),
        format!(
            "$PLACE/source/m/vocab.txt: another file is in the way, its SHA-256 is {found} and not {expected}; {right}"
        )
    );
    assert_eq!(place.files(), "source/m/vocab.txt: mine");

    let place = Place::new(&server);
    place.write("source/m/vocab.txt/x", b"mine");
    assert_eq!(
        place.error(&[source], &server),
        format!("$PLACE/source/m/vocab.txt: a directory is in the way; {right}")
    );

    let place = Place::new(&server);
    place.write("source", b"mine");
    let error = place.error(&[source], &server);
    assert!(error.starts_with("$PLACE/source/m"), "{error}");
    assert_eq!(place.files(), "source: mine");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn two_processes_do_not_write_one_file() {
    let server = Server::new(with_ranges(TEXT));
    let place = Place::new(&server);
    let source = source("vocab.txt", TEXT, ExtractionMode::Whole);
    let name = format!("source/m/.vocab.txt.{}.part", &source.sha256[..16]);
    place.write(&name, b"");
    let other = fs::File::open(place.directory.path().join(&name)).expect("the part");
    other.lock().expect("a lock");
    let error = place.error(&[source], &server);
    assert_eq!(error, format!("$PLACE/{name}: another process is fetching it; wait for that one"));
}

/// A tar archive under gzip of paths, kinds and contents. Paths stand in it as they are given.
fn tar_of(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, kind, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        if *kind == tar::EntryType::Symlink {
            header.set_link_name("../../outside").expect("a short path");
        }
        header.set_cksum();
        archive.append(&header, *bytes).expect("memory takes it");
    }
    archive.into_inner().and_then(GzEncoder::finish).expect("memory takes it")
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in entries {
        archive.start_file(*path, zip::write::SimpleFileOptions::default()).expect("memory takes it");
        archive.write_all(bytes).expect("memory takes it");
    }
    archive.finish().expect("memory takes it").into_inner()
}

const FILE: tar::EntryType = tar::EntryType::Regular;

fn good_tar() -> Vec<u8> {
    let link = tar::EntryType::Symlink;
    tar_of(&[
        ("./m-1/", tar::EntryType::Directory, b""),
        ("./m-1/LICENSE", FILE, b"do what you like"),
        ("./m-1/lib/libm.so", link, b""),
        ("./m-1/lib/libm.so.1", FILE, b"machine code"),
        ("./m-1/include/m.h", FILE, b"int m();"),
    ])
}

#[test]
fn members_of_archives_are_kept_with_a_receipt() {
    let zip =
        zip_of(&[("m-1/LICENSE", b"do what you like"), ("m-1/lib/libm.so.1", b"machine code"), ("m-1/m.h", b"x")]);
    for (file, bytes, members) in [("m-1.tgz", good_tar(), TAR), ("m-1.zip", zip, ZIP)] {
        let bytes: &'static [u8] = bytes.leak();
        let server = Server::new(with_ranges(bytes));
        let place = Place::new(&server);
        let sources = [source(file, bytes, ExtractionMode::Members(members))];
        let runtime = Some(place.directory.path().join("source/m/libm.so"));
        assert_eq!(
            place.fetch(&sources),
            Ok(FetchReport { model: None, runtime: runtime.clone(), fetched: 1, present: 0 }),
            "{file}"
        );
        let receipt = format!(
            "# {}  {file}\n{}  libm.so\n{}  m-LICENSE\n",
            sha256(bytes),
            sha256(b"machine code"),
            sha256(b"do what you like")
        );
        let found = fs::read_to_string(place.directory.path().join("source/m/m.sha256")).expect("a receipt");
        assert_eq!(found, receipt);
        let files = format!(
            "source/m/libm.so: machine code\nsource/m/m-LICENSE: do what you like\nsource/m/m.sha256: {} bytes",
            receipt.len()
        );
        assert_eq!(place.files(), files);
        assert_eq!(place.fetch(&sources), Ok(FetchReport { model: None, runtime, fetched: 0, present: 1 }));
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_later_archive_takes_the_place_of_an_earlier_one_and_of_nothing_else() {
    let (old, new): (&'static [u8], &'static [u8]) = (
        good_tar().leak(),
        tar_of(&[("m-2/LICENSE", FILE, b"do what you like"), ("m-2/lib/libm.so.1", FILE, b"better code")]).leak(),
    );
    let server =
        Server::new(move |request, _| reply("200 OK", "", if request.line.ends_with("2.tgz") { new } else { old }));
    let place = Place::new(&server);
    let kept = ExtractionMode::Members(TAR);
    place.fetch(&[source("m-1.tgz", old, kept)]).expect("the earlier");
    place.fetch(&[source("m-2.tgz", new, kept)]).expect("the later");
    assert!(place.files().contains("libm.so: better code\n"), "{}", place.files());

    place.write("source/m/libm.so", b"my own");
    let error = place.error(&[source("m-1.tgz", old, kept)], &server);
    let right = "remove it, or fetch into another directory";
    assert_eq!(error, format!("$PLACE/source/m/libm.so: a file that was not fetched is in the way; {right}"));
    assert!(place.files().contains("libm.so: my own\n"), "{}", place.files());
    assert!(!place.files().contains(".part"), "{}", place.files());

    // A run that was killed between the members and their receipt is no hindrance.
    fs::remove_file(place.directory.path().join("source/m/m.sha256")).expect("the receipt");
    place.write("source/m/libm.so", b"machine code");
    place.fetch(&[source("m-1.tgz", old, kept)]).expect("the same file");
}

/// The error of an archive, of which nothing is kept.
#[track_caller]
fn check_archive(members: &'static Members, bytes: Vec<u8>, expected: &str) {
    let bytes: &'static [u8] = bytes.leak();
    let server = Server::new(with_ranges(bytes));
    let place = Place::new(&server);
    let error = place.error(&[source("m.arc", bytes, ExtractionMode::Members(members))], &server);
    let reason = error.split_once(".part: ").map_or(error.as_str(), |(_, reason)| reason);
    assert_eq!(reason, format!("{expected}; nothing of it was kept"));
    assert_eq!(place.files(), "");
}

#[test]
fn archives_that_lead_out_of_themselves_are_refused() {
    let library = ("m-1/lib/libm.so.1", FILE, &b"machine code"[..]);
    for path in ["../libm.so", "/etc/libm.so", "m-1/../../libm.so", "C:\\libm.so", "m-1\\..\\libm.so"] {
        let reason = format!("it holds `{path:?}`, which leads out of it");
        check_archive(TAR, tar_of(&[library, (path, FILE, b"x")]), &reason);
        check_archive(ZIP, zip_of(&[("m-1/lib/libm.so.1", b"machine code"), (path, b"x")]), &reason);
    }
}

#[test]
fn archives_without_what_they_should_hold_are_refused() {
    let licence = ("m-1/LICENSE", FILE, &b"do what you like"[..]);
    let library = ("m-1/lib/libm.so.1", FILE, &b"machine code"[..]);
    check_archive(TAR, tar_of(&[library]), "it does not hold `LICENSE`");
    check_archive(TAR, tar_of(&[]), "it does not hold `lib/libm.so.1`");
    check_archive(TAR, tar_of(&[library, licence, library]), "it holds `lib/libm.so.1` twice");
    let link = ("m-1/lib/libm.so.1", tar::EntryType::Symlink, &b""[..]);
    check_archive(TAR, tar_of(&[licence, link]), "its `m-1/lib/libm.so.1` is not a file");
    check_archive(ZIP, zip_of(&[("m-1/LICENSE", b"x")]), "it does not hold `lib/libm.so.1`");
    let mut cut = good_tar();
    cut.truncate(cut.len() / 2);
    for (members, bytes) in [(TAR, b"no archive".to_vec()), (TAR, cut), (ZIP, b"no archive".to_vec())] {
        let bytes: &'static [u8] = bytes.leak();
        let server = Server::new(with_ranges(bytes));
        let place = Place::new(&server);
        let error = place.error(&[source("m.arc", bytes, ExtractionMode::Members(members))], &server);
        assert!(error.contains("archive") && error.ends_with("; nothing of it was kept"), "{error}");
        assert_eq!(place.files(), "");
    }
}
