//! Load test of `icr serve --http`: a fixed number of requests a second, whether or not earlier ones are answered.
//!
//! Requests have fixed start times, and their latency counts from these. So a request that waits for a connection
//! because others are slow counts as slow too. The load generator runs on the same machine; its CPU time is reported
//! separately.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use icr_engine::{Engine, IndexStatus, OpenOptions, ViewSelector};
use serde::Deserialize;

use crate::arguments::Load;
use crate::budget;
use crate::clock::{self, Cost, quantile};
use crate::commits::spread;
use crate::corpus::Corpus;
use crate::error::{Error, io};
use crate::queries::queries;
use crate::report::{BenchReport, Measurement, grouped};
use crate::temporary_clone::TemporaryClone;
use crate::workloads::{NO_PROGRAM, program, succeed};

/// Connections that requests go out on; fewer than the server lets in, and more than are ever busy below saturation.
const CONNECTIONS: usize = 64;

/// Files that requests are about.
const FILES: usize = 400;

/// Seconds of requests before timing begins. They open the views and fill the caches, which happens once.
const WARM_UP: Duration = Duration::from_secs(5);

/// Idle time before the server's CPU and memory are read, and how long its CPU is watched then.
const QUIET: Duration = Duration::from_secs(75);
const IDLE: Duration = Duration::from_secs(30);

/// Sends the load to the first repository, and one request of each kind to the others. If there are others, the server
/// then stays idle for a while, to measure its memory and CPU at rest.
///
/// # Errors
///
/// If the server cannot be tested.
pub(crate) fn run(request: &Load) -> Result<(), Error> {
    let program = program(request.icr.as_deref()).ok_or_else(|| Error::Usage { message: NO_PROGRAM.to_owned() })?;
    let home =
        tempfile::TempDir::with_prefix("icr-bench-").map_err(io("making a directory in", &std::env::temp_dir()))?;
    let served = request.repositories.iter().map(|path| BenchmarkRepository::new(path, &program, home.path()));
    let served = served.collect::<Result<Vec<_>, _>>()?;
    let Some((first, others)) = served.split_first() else { return Ok(()) };

    let server = Server::start(&program, home.path(), first.clone.root())?;
    for other in others {
        let targets: Vec<String> =
            first_of_each(&other.targets).map(|target| other.target_with_repository(target)).collect();
        server.load(&targets, request.rate, targets.len())?;
    }
    let count = |duration: Duration| (duration.as_secs_f64() * request.rate as f64) as usize;
    server.load(&first.targets, request.rate, count(WARM_UP))?;
    let before = server.cpu();
    let (loaded, generator) = clock::of_process(|| server.load(&first.targets, request.rate, count(request.duration)));
    let mut report = BenchReport::new(&first.name);
    report.facts = vec![
        ("is HEAD", first.head.clone()),
        ("files", grouped(first.status.files_indexed)),
        ("chunks", grouped(first.status.chunks_stored)),
        ("repositories", grouped(served.len() as u64)),
    ];
    report.rows = loaded?.rows(request.rate, before.zip(server.cpu()), generator);
    report.rows.push(Measurement::new("memory under load").figure(megabytes(server.resident_bytes()), "MB"));
    if !others.is_empty() {
        pause(QUIET);
        report.rows.extend(server.rows_at_rest());
    }
    report.publish(request.out.as_deref())
}

/// A repository that the server answers for.
struct BenchmarkRepository {
    name: String,
    head: String,
    clone: TemporaryClone,
    status: IndexStatus,
    targets: Vec<String>,
}

impl BenchmarkRepository {
    /// A temporary clone with an index in `home`.
    fn new(path: &Path, program: &Path, home: &Path) -> Result<Self, Error> {
        let corpus = Corpus::open(path)?;
        let clone = TemporaryClone::of(&corpus.repository, corpus.commit)?;
        let mut command = Command::new(program);
        command.args(["index", "--quiet", "--repo"]).arg(clone.root()).env("ICR_HOME", home).current_dir(home);
        succeed(command.stdin(Stdio::null()), program)?;
        let engine = Engine::open(OpenOptions::new(clone.root().to_owned(), home.to_owned()))?;
        let status = icr_engine::status(&engine.snapshot(&ViewSelector::Worktree)?)?;
        Ok(Self {
            name: path.file_name().unwrap_or_default().to_string_lossy().trim_end_matches(".git").to_owned(),
            head: corpus.commit.to_string()[..12].to_owned(),
            targets: targets(&queries(&corpus)?, &paths(&clone)?),
            clone,
            status,
        })
    }

    /// The request with this repository as an argument.
    fn target_with_repository(&self, target: &str) -> String {
        format!("{target}&repo={}", encoded(&self.clone.root().to_string_lossy()))
    }
}

/// The first request of each question.
fn first_of_each(targets: &[String]) -> impl Iterator<Item = &String> {
    let mut seen = HashSet::new();
    targets.iter().filter(move |target| seen.insert(question(target).to_owned()))
}

/// The path of a request.
fn question(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}

/// Targets of requests: of ten, seven search, one reads a file, one asks for an outline, and one asks for a pack or for
/// neighbors, in turn.
fn targets(queries: &[String], paths: &[String]) -> Vec<String> {
    let query = |number: usize| encoded(queries.get(number % queries.len().max(1)).map_or("main", String::as_str));
    let path = |number: usize| encoded(paths.get(number % paths.len().max(1)).map_or("README.md", String::as_str));
    let target = |number: usize| match number % 10 {
        3 => format!("/api/read?path={}", path(number / 10)),
        6 => format!("/api/outline?path={}", path(number / 10 + 1)),
        9 if number % 20 == 9 => format!("/api/pack?query={}", query(number / 20)),
        9 => format!("/api/neighbors?path={}", path(number / 20)),
        kind => format!("/api/search?query={}", query(number / 10 * 7 + kind - kind / 3)),
    };
    (0..20 * queries.len().max(paths.len() / 2).max(1)).map(target).collect()
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Source files at even distances.
fn paths(clone: &TemporaryClone) -> Result<Vec<String>, Error> {
    let listed = clone.git(&["ls-files", "-z"])?;
    let is_source = |path: &&str| {
        let language = icr_lang::language_of(&icr_model::RepoPath::from(*path));
        icr_lang::language_row(language).is_some_and(icr_lang::LanguageRow::is_code)
    };
    let sources: Vec<&str> = listed.split('\0').filter(is_source).collect();
    Ok(spread(&sources, FILES, 0).into_iter().map(str::to_owned).collect())
}

/// A server in a process of its own, ended on drop.
struct Server {
    process: Child,
    address: SocketAddr,
    token: String,
}

impl Server {
    fn start(program: &Path, home: &Path, repository: &Path) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct ServerAnnouncement {
            address: SocketAddr,
            token_file: PathBuf,
        }
        let mut command = Command::new(program);
        command.args(["serve", "--http", "0", "--json", "--repo"]).arg(repository);
        command.env("ICR_HOME", home).current_dir(home);
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(io("running", program))?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(io("reading", program))?;
        }
        let said = serde_json::from_str(&line).map_err(|error| (error.to_string(), process.kill()));
        let started: ServerAnnouncement = said.map_err(|(message, _)| Error::Program {
            program: program.display().to_string(),
            code: "no line of JSON".to_owned(),
            message,
        })?;
        let token = std::fs::read_to_string(&started.token_file).map_err(io("reading", &started.token_file))?;
        Ok(Self { process, address: started.address, token: token.trim().to_owned() })
    }

    /// Sends `count` requests, `rate` a second.
    fn load(&self, targets: &[String], rate: usize, count: usize) -> Result<LoadMeasurement, Error> {
        let (next, loaded, began) = (AtomicUsize::new(0), Mutex::new(LoadMeasurement::default()), Instant::now());
        let worker = || -> std::io::Result<()> {
            let mut connection = Connection::open(self)?;
            let mut own = LoadMeasurement::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                let due = began + Duration::from_secs_f64(number as f64 / rate as f64);
                pause(due.saturating_duration_since(Instant::now()));
                let target = &targets[number % targets.len()];
                let status = connection.get(target)?;
                own.add(target, status, due.elapsed());
            }
            loaded.lock().expect("no worker panics").extend(own);
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
        })
        .map_err(|source| Error::Connection { address: self.address, source })?;
        let mut loaded = loaded.into_inner().expect("no worker panics");
        loaded.seconds = began.elapsed().as_secs_f64();
        Ok(loaded)
    }

    /// CPU of the server so far; `None` without `/proc`.
    fn cpu(&self) -> Option<Duration> {
        clock::of_other(self.process.id())
    }

    fn resident_bytes(&self) -> u64 {
        clock::resident_bytes(self.process.id()).unwrap_or_default()
    }

    fn rows_at_rest(&self) -> Vec<Measurement> {
        let before = self.cpu();
        pause(IDLE);
        let share = before.zip(self.cpu()).map(|(before, after)| (after - before).as_secs_f64() / IDLE.as_secs_f64());
        let memory = Measurement::new("memory at rest").figure(megabytes(self.resident_bytes()), "MB");
        let cpu = Measurement::new("CPU at rest").figure(100.0 * share.unwrap_or_default(), "% of a processor");
        vec![memory.budget(budget::SERVER_AT_REST_MB), cpu.budget(budget::SERVER_AT_REST_PERCENT)]
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Latency of each answer, from the time when its request was due.
#[derive(Debug, Default)]
struct LoadMeasurement {
    milliseconds: Vec<f64>,
    /// By the question's path.
    by_question: BTreeMap<String, Vec<f64>>,
    refused: usize,
    seconds: f64,
}

impl LoadMeasurement {
    fn add(&mut self, target: &str, status: u16, took: Duration) {
        let took = clock::milliseconds(took);
        self.milliseconds.push(took);
        self.by_question.entry(question(target).to_owned()).or_default().push(took);
        self.refused += usize::from(status != 200);
    }

    fn extend(&mut self, other: Self) {
        self.milliseconds.extend(other.milliseconds);
        for (question, times) in other.by_question {
            self.by_question.entry(question).or_default().extend(times);
        }
        self.refused += other.refused;
    }

    fn rows(&self, rate: usize, cpu: Option<(Duration, Duration)>, generator: Cost) -> Vec<Measurement> {
        let times = &self.milliseconds;
        let answers = times.len().max(1) as f64;
        let p = |times: &[f64], part: f64| quantile(times, part);
        let mut rows = vec![
            Measurement::new(format!("{rate} requests a second, p99"))
                .figure(p(times, 0.99), "ms")
                .budget(budget::REQUEST_P99_MS)
                .note(format!("p50 {:.1}, p90 {:.1}, worst {:.1}", p(times, 0.5), p(times, 0.9), p(times, 1.0))),
            Measurement::new("answers a second").figure(answers / self.seconds.max(f64::MIN_POSITIVE), ""),
            Measurement::new("answers that are not 200").figure(self.refused as f64, "").budget(0.0),
        ];
        for (question, times) in &self.by_question {
            let note = format!("p99 {:.1}, {} answers", p(times, 0.99), times.len());
            rows.push(Measurement::new(format!("{question}, p50")).figure(p(times, 0.5), "ms").note(note));
        }
        if let Some((before, after)) = cpu {
            let server = clock::milliseconds(after - before) / answers;
            rows.push(Measurement::new("CPU of the server").figure(server, "ms an answer"));
        }
        rows.push(Measurement::new("CPU of the generator").figure(generator.cpu_ms / answers, "ms an answer"));
        rows
    }
}

/// A connection that is kept open.
struct Connection<'a> {
    server: &'a Server,
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl<'a> Connection<'a> {
    fn open(server: &'a Server) -> std::io::Result<Self> {
        let stream = TcpStream::connect(server.address)?;
        stream.set_nodelay(true)?;
        Ok(Self { server, stream: BufReader::new(stream), body: Vec::new() })
    }

    /// Asks, reads the whole answer, and gives its status.
    fn get(&mut self, target: &str) -> std::io::Result<u16> {
        let Server { address, token, .. } = self.server;
        let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length, mut line) = (0, None, String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            if let Some(rest) = text.strip_prefix("HTTP/1.1 ") {
                status = rest.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or_default();
            }
            if let Some((name, value)) = text.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let length = length.ok_or_else(|| std::io::Error::other("an answer without a length"))?;
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        Ok(status)
    }
}

/// Sleeps without depending on a wake-up.
fn pause(duration: Duration) {
    let until = Instant::now() + duration;
    while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        std::thread::park_timeout(left);
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_of_ten_requests_search() {
        let targets = targets(&["a b".to_owned(), "c".to_owned()], &["x y.rs".to_owned()]);
        let count = |question: &str| targets.iter().filter(|target| target.starts_with(question)).count();
        let questions = ["/api/search?", "/api/read?", "/api/outline?", "/api/pack?", "/api/neighbors?"];
        assert_eq!(questions.map(|question| 20 * count(question) / targets.len()), [14, 2, 2, 1, 1]);
        assert_eq!(targets[3], "/api/read?path=x%20y.rs");
        let searched = |query: &str| targets.contains(&format!("/api/search?query={query}"));
        assert!(searched("a%20b") && searched("c"));
    }
}
