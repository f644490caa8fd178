//! A progress bar on stderr for work that takes long enough to be noticed.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::output::note;
use icr_engine::{BlobPass, Observer, Progress, RunPart, WriteStep};
use icr_model::even_after_panic;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Environment variable that names a step at which the process aborts. The value `filling` stands for the moment when a
/// model has embedded some but not all chunks. Used by tests of crashes; only in debug builds.
#[cfg(debug_assertions)]
const DIE_AT: &str = "ICR_TEST_DIE_AT";

/// Work that takes less than this shows no progress; after it, the progress is drawn again as often.
const SHOWN_AFTER: Duration = Duration::from_millis(100);

/// Shows the progress of a run when stderr is a terminal: from a tenth of a second on until it is dropped, in words, and
/// as a bar where the work can be counted.
pub(crate) struct Bar {
    drawn: Option<VisibleBar>,
    /// Files of the run; 0 where nothing was indexed.
    files: AtomicU64,
    is_published: AtomicBool,
    /// File that records that the user was told what to try next.
    told: PathBuf,
}

/// Shown once, after the first index under a home of icr.
const TRY_NEXT: &str = "indexed; try next: `icr map`, `icr search WORDS`, `icr refs NAME`, `git diff | icr impact -`; `icr hooks install` keeps the index \
                        at HEAD, and `icr init` tells your coding agents of icr";

struct VisibleBar {
    bar: ProgressBar,
    counts: Arc<RunCounts>,
    /// Dropped to end the thread that draws.
    shown: Option<Sender<()>>,
    drawing: Option<JoinHandle<()>>,
}

impl Bar {
    pub(crate) fn new(quiet: bool, home: &Path) -> Self {
        let is_visible = !quiet && std::io::stderr().is_terminal();
        Self {
            drawn: is_visible.then(VisibleBar::new),
            files: AtomicU64::new(0),
            is_published: AtomicBool::new(false),
            told: home.join("told").join("first-index"),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let is_shown = self.drawn.take().is_some();
        let has_indexed = *self.files.get_mut() > 0 && *self.is_published.get_mut();
        if is_shown && has_indexed && !self.told.exists() {
            let directory = self.told.parent().map_or(Ok(()), std::fs::create_dir_all);
            // If this cannot be recorded, the hint is shown again, which does no harm.
            let _ = directory.and_then(|()| std::fs::write(&self.told, ""));
            note(&mut std::io::stderr().lock(), TRY_NEXT);
        }
    }
}

impl VisibleBar {
    fn new() -> Self {
        let style = style("{spinner} {wide_msg}");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style);
        let counts = Arc::new(RunCounts::default());
        let (shown, waiting) = channel::<()>();
        let (drawn, counted) = (bar.clone(), Arc::clone(&counts));
        let drawing = std::thread::spawn(move || draw(&drawn, &counted, &waiting));
        Self { bar, counts, shown: Some(shown), drawing: Some(drawing) }
    }
}

impl Drop for VisibleBar {
    fn drop(&mut self) {
        drop(self.shown.take());
        if let Some(drawing) = self.drawing.take() {
            // A display that failed is no reason to fail.
            let _ = drawing.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Draws the progress every tenth of a second until the sender of `waiting` is dropped.
fn draw(bar: &ProgressBar, counts: &RunCounts, waiting: &Receiver<()>) {
    let mut line = ProgressLine::default();
    while waiting.recv_timeout(SHOWN_AFTER) == Err(RecvTimeoutError::Timeout) {
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_message(line.text(counts, bar.elapsed()));
        bar.tick();
    }
}

/// What a run does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    /// Nothing that can be counted.
    Words(&'static str),
    /// Reads commits; nobody knows how many there will be.
    History,
    /// Indexes files.
    Files,
    /// Writes what was made of the files so far, which cannot be counted itself.
    Writing(&'static str),
    /// Embeds chunks.
    Chunks,
    /// Writes the vectors of all these chunks.
    Vectors,
    /// Measures past commits.
    Calibration,
}

/// Counts of a run. Threads add to them; the thread that draws reads them.
#[derive(Debug)]
struct RunCounts {
    activity: Mutex<Activity>,
    commits: AtomicU64,
    files_total: AtomicU64,
    extracted: AtomicU64,
    prepared: AtomicU64,
    /// Bytes of the files; 0 where that is not known.
    bytes_total: AtomicU64,
    /// Bytes that were extracted and bytes that were prepared, together.
    bytes_of_passes: AtomicU64,
    chunks: AtomicU64,
    chunks_total: AtomicU64,
    /// Past commits that were measured.
    measured: AtomicU64,
    measured_total: AtomicU64,
}

impl Default for RunCounts {
    fn default() -> Self {
        Self {
            activity: Mutex::new(Activity::Words("looking at what changed")),
            commits: AtomicU64::new(0),
            files_total: AtomicU64::new(0),
            extracted: AtomicU64::new(0),
            prepared: AtomicU64::new(0),
            bytes_total: AtomicU64::new(0),
            bytes_of_passes: AtomicU64::new(0),
            chunks: AtomicU64::new(0),
            chunks_total: AtomicU64::new(0),
            measured: AtomicU64::new(0),
            measured_total: AtomicU64::new(0),
        }
    }
}

impl RunCounts {
    fn begin(&self, activity: Activity) {
        *even_after_panic(self.activity.lock()) = activity;
    }

    fn activity(&self) -> Activity {
        *even_after_panic(self.activity.lock())
    }

    /// Begins to count the files of another run.
    fn reset_files(&self) {
        let counts = [&self.files_total, &self.extracted, &self.prepared, &self.bytes_total, &self.bytes_of_passes];
        counts.into_iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// Share of the counted work that is done, in `0.0..=1.0`; `None` while nothing is counted of a total. Each of the
    /// two passes over a file is half of its work.
    fn share(&self) -> Option<f64> {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (done, total) = match self.activity() {
            Activity::Words(_) | Activity::History | Activity::Writing(_) | Activity::Vectors => return None,
            Activity::Calibration => (of(&self.measured), of(&self.measured_total)),
            Activity::Chunks => (of(&self.chunks), of(&self.chunks_total)),
            Activity::Files => self.work_on_files(),
        };
        share_of(done, total)
    }

    /// How much of the work on files is done, and how much it is together: in bytes, or where that is not known in files.
    fn work_on_files(&self) -> (u64, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        match of(&self.bytes_total) {
            0 => (of(&self.extracted) + of(&self.prepared), 2 * of(&self.files_total)),
            bytes => (of(&self.bytes_of_passes), 2 * bytes),
        }
    }

    /// What is done to the files, and how many of them are done; only the former if there are none.
    fn files_text(&self, doing: &str) -> String {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (done, total) = self.work_on_files();
        let Some(share) = share_of(done, total) else { return doing.to_owned() };
        // Each of the two passes over a file is half of its work, as for its bytes.
        let files_done = (of(&self.extracted) + of(&self.prepared)) / 2;
        let files = count_of_total(files_done, of(&self.files_total));
        let bytes = match of(&self.bytes_total) {
            0 => String::new(),
            total => format!(", {}", mebibytes(of(&self.bytes_of_passes) / 2, total)),
        };
        format!("{doing} {} {files} files{bytes}", bar_of(share))
    }

    /// What is done, and how much of it, without times.
    fn text(&self) -> String {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let bar = || bar_of(self.share().unwrap_or_default());
        match self.activity() {
            Activity::Words(doing) => doing.to_owned(),
            Activity::History => format!("reading the history: {} commits", HumanCount(of(&self.commits))),
            Activity::Chunks => {
                format!("reading {} {} chunks", bar(), count_of_total(of(&self.chunks), of(&self.chunks_total)))
            }
            Activity::Vectors => format!("writing the vectors of {} chunks", HumanCount(of(&self.chunks_total))),
            Activity::Calibration => {
                let commits = count_of_total(of(&self.measured), of(&self.measured_total));
                format!("calibrating warnings {} {commits} commits", bar())
            }
            Activity::Writing(doing) => self.files_text(doing),
            Activity::Files => self.files_text("indexing"),
        }
    }
}

/// `500/1,000`
fn count_of_total(count: u64, total: u64) -> String {
    format!("{}/{}", HumanCount(count.min(total)), HumanCount(total))
}

/// The share that `done` is of `total`, in `0.0..=1.0`; `None` of nothing.
fn share_of(done: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| (done as f64 / total as f64).min(1.0))
}

/// Cells of a bar: with ten, the line with counts and time of a large repository fits into 80 columns.
const CELLS: usize = 10;

fn bar_of(share: f64) -> String {
    let full = ((share * CELLS as f64) as usize).min(CELLS);
    "█".repeat(full) + &"░".repeat(CELLS - full)
}

/// `12.0/80.4 MiB`
fn mebibytes(done: u64, total: u64) -> String {
    let of = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    format!("{:.1}/{:.1} MiB", of(done.min(total)), of(total))
}

/// `7 s`, `2 min 05 s`
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

/// The line that is drawn, and what it depends on besides the counts.
#[derive(Debug, Default)]
struct ProgressLine {
    /// What was last counted of a total, when that began, and how much of it was done.
    counted: Option<(Activity, Duration, f64)>,
    left: TimeLeft,
}

impl ProgressLine {
    /// The line at `elapsed` after the start of the run: what is done, how much of it, and the time left, or the elapsed
    /// time as long as that is not known.
    fn text(&mut self, counts: &RunCounts, elapsed: Duration) -> String {
        let left = counts.share().and_then(|share| {
            let activity = counts.activity();
            let goes_on = |(last, _, done): &(Activity, Duration, f64)| *last == activity && *done <= share;
            let began = match self.counted.filter(goes_on) {
                Some((_, began, _)) => began,
                None => {
                    self.left = TimeLeft::default();
                    elapsed
                }
            };
            self.counted = Some((activity, began, share));
            self.left.estimate(elapsed.saturating_sub(began), share)
        });
        // As long as work is left, some time is.
        let shown = |left: Duration| format!("about {} left", seconds(left.max(Duration::from_secs(1))));
        let time = left.map_or_else(|| seconds(elapsed), shown);
        format!("{}  {time}", counts.text())
    }
}

/// Time and share of the work after which the time left is estimated: before, the first files decide it.
const STEADY_AFTER: Duration = Duration::from_secs(5);
const STEADY_SHARE: f64 = 0.05;

/// Seconds over which an estimate moves towards what is measured.
const SMOOTHED_OVER_S: f64 = 5.0;

/// Seconds by which an estimate may rise in a second.
const MOST_RISE: f64 = 0.25;

/// An estimate of the time left, from the mean rate since the beginning. It is smoothed and rises only slowly.
#[derive(Debug, Default)]
struct TimeLeft {
    /// When it was last estimated, and the estimate, in seconds.
    last: Option<(f64, f64)>,
}

impl TimeLeft {
    /// The estimate at `elapsed` with `share` of the work done; `None` until it is steady.
    fn estimate(&mut self, elapsed: Duration, share: f64) -> Option<Duration> {
        if elapsed < STEADY_AFTER || share < STEADY_SHARE {
            return None;
        }
        let now = elapsed.as_secs_f64();
        let measured = now * (1.0 - share) / share;
        let left = match self.last {
            None => measured,
            Some((before, left)) => {
                let passed = (now - before).max(0.0);
                let expected = (left - passed).max(0.0);
                let smoothed = expected + (measured - expected) * (passed / SMOOTHED_OVER_S).min(1.0);
                smoothed.min(left + passed * MOST_RISE)
            }
        };
        self.last = Some((now, left));
        Some(Duration::from_secs_f64(left))
    }
}

impl Observer for Bar {
    fn is_watched(&self) -> bool {
        self.drawn.is_some()
    }

    fn part(&self, part: RunPart) {
        let Some(VisibleBar { counts, .. }) = &self.drawn else { return };
        match part {
            RunPart::History => {
                counts.commits.store(0, Ordering::Relaxed);
                counts.begin(Activity::History);
            }
            RunPart::Comparison => {
                counts.reset_files();
                counts.begin(Activity::Words("comparing with what is indexed"));
            }
            RunPart::Calibration => counts.begin(Activity::Words("calibrating warnings")),
        }
    }

    fn count_commit(&self) {
        if let Some(VisibleBar { counts, .. }) = &self.drawn {
            counts.commits.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn bytes_total(&self, bytes: u64) {
        if let Some(VisibleBar { counts, .. }) = &self.drawn {
            counts.bytes_total.store(bytes, Ordering::Relaxed);
        }
    }

    fn count_blob(&self, pass: BlobPass, bytes: u64) {
        let Some(VisibleBar { counts, .. }) = &self.drawn else { return };
        let files = match pass {
            BlobPass::Extracted => &counts.extracted,
            BlobPass::Prepared => &counts.prepared,
        };
        files.fetch_add(1, Ordering::Relaxed);
        counts.bytes_of_passes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn step(&self, step: WriteStep) {
        die_at(step.name());
        tracing::debug!(step = step.name(), "reached");
        if step == WriteStep::Published {
            self.is_published.store(true, Ordering::Relaxed);
        }
        let Some(VisibleBar { counts, .. }) = &self.drawn else { return };
        match step {
            WriteStep::PostingsCommitted => counts.begin(Activity::Writing("writing vectors")),
            WriteStep::VectorsCommitted => counts.begin(Activity::Writing("listing what is indexed")),
            // More files follow.
            WriteStep::BlobsListed => counts.begin(Activity::Files),
            WriteStep::Published => counts.begin(Activity::Writing("finishing")),
            WriteStep::GarbageForgotten | WriteStep::GarbageDeleted => {
                counts.begin(Activity::Words("taking out what nobody needs"));
            }
            WriteStep::RecipesRecorded | WriteStep::NumbersReserved | WriteStep::DocumentsAdded => {}
        }
    }

    fn progress(&self, done: u64, total: u64) {
        self.files.store(total, Ordering::Relaxed);
        let Some(VisibleBar { counts, .. }) = &self.drawn else { return };
        counts.files_total.store(total, Ordering::Relaxed);
        // Missing files are done without being prepared.
        counts.extracted.fetch_max(done, Ordering::Relaxed);
        counts.prepared.fetch_max(done, Ordering::Relaxed);
        counts.begin(if done == total { Activity::Writing("writing the index") } else { Activity::Files });
    }

    fn calibrating(&self, done: u64, total: u64) {
        let Some(VisibleBar { counts, .. }) = &self.drawn else { return };
        counts.measured.store(done, Ordering::Relaxed);
        counts.measured_total.store(total, Ordering::Relaxed);
        counts.begin(Activity::Calibration);
    }

    fn filling(&self, done: u64, total: u64) {
        // When at least half but not all is done.
        if (total / 2..total).contains(&done) {
            die_at("filling");
        }
        let Some(VisibleBar { counts, .. }) = &self.drawn else { return };
        counts.chunks.store(done, Ordering::Relaxed);
        counts.chunks_total.store(total, Ordering::Relaxed);
        counts.begin(if done == total { Activity::Vectors } else { Activity::Chunks });
    }
}

/// Aborts the process if a test asks for it at this step.
#[cfg(debug_assertions)]
fn die_at(place: &str) {
    if crate::environment::variable(DIE_AT).is_some_and(|name| name == place) {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
fn die_at(_place: &str) {}

/// Shows the progress of a download in bytes when stderr is a terminal.
pub(crate) struct ByteBar {
    bar: Option<ProgressBar>,
}

impl ByteBar {
    pub(crate) fn new(quiet: bool, doing: &'static str) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let template = "{msg} {bar:40} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
        Self { bar: visible.then(|| stderr_progress_bar(template, 0).with_message(doing)) }
    }

    pub(crate) fn show(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

impl Drop for ByteBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn stderr_progress_bar(template: &'static str, total: u64) -> ProgressBar {
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()).with_style(style(template))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant")
}

/// Files after which the bar is drawn again: drawing it for each of a hundred thousand costs more than the work.
const DRAWN_EVERY: u64 = 64;

/// Shows the files that a question is done with, when stderr is a terminal.
pub(crate) struct FileBar {
    visible: bool,
    doing: &'static str,
    done: AtomicU64,
    bar: Mutex<Option<ProgressBar>>,
}

impl FileBar {
    pub(crate) fn new(quiet: bool, doing: &'static str) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        Self { visible, doing, done: AtomicU64::new(0), bar: Mutex::new(None) }
    }
}

impl Progress for FileBar {
    fn total(&self, files: u64) {
        if !self.visible {
            return;
        }
        let bar = stderr_progress_bar("{msg} {bar:40} {pos}/{len} files  {eta} left", files);
        *self.bar.lock().expect("drawing a bar does not panic") = Some(bar.with_message(self.doing));
    }

    fn count_file(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !done.is_multiple_of(DRAWN_EVERY) {
            return;
        }
        if let Some(bar) = &*self.bar.lock().expect("drawing a bar does not panic") {
            bar.set_position(done);
        }
    }
}

impl Drop for FileBar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut().ok().and_then(Option::take) {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible() -> Bar {
        let counts = Arc::new(RunCounts::default());
        let bar = ProgressBar::hidden();
        let drawn = Some(VisibleBar { bar, counts, shown: None, drawing: None });
        Bar { drawn, files: AtomicU64::new(0), is_published: AtomicBool::new(false), told: PathBuf::new() }
    }

    #[test]
    fn every_part_of_a_run_says_what_it_does_and_how_much_of_it_is_done() {
        let run = visible();
        let counts = &run.drawn.as_ref().unwrap().counts;
        let mut line = ProgressLine::default();
        let mut text = |at| line.text(counts, Duration::from_secs(at));
        assert_eq!(text(0), "looking at what changed  0 s");
        run.part(RunPart::History);
        (0..1_234).for_each(|_| run.count_commit());
        assert_eq!(text(3), "reading the history: 1,234 commits  3 s");
        run.part(RunPart::Comparison);
        assert_eq!(text(3), "comparing with what is indexed  3 s");
        run.progress(0, 1_000);
        assert_eq!(text(4), "indexing ░░░░░░░░░░ 0/1,000 files  4 s");
        run.bytes_total(8 << 20);
        (0..500).for_each(|_| run.count_blob(BlobPass::Extracted, 8 << 10));
        assert_eq!(text(5), "indexing ██░░░░░░░░ 250/1,000 files, 2.0/8.0 MiB  5 s");
        (0..500).for_each(|_| run.count_blob(BlobPass::Prepared, 8 << 10));
        run.progress(500, 1_000);
        assert_eq!(text(14), "indexing ████░░░░░░ 500/1,000 files, 3.9/8.0 MiB  about 10 s left");
        run.step(WriteStep::PostingsCommitted);
        assert_eq!(text(15), "writing vectors ████░░░░░░ 500/1,000 files, 3.9/8.0 MiB  15 s");
        run.step(WriteStep::BlobsListed);
        assert!(text(15).starts_with("indexing ████░"), "it goes on where it was");
        (0..500).for_each(|_| run.count_blob(BlobPass::Extracted, 8 << 10));
        (0..500).for_each(|_| run.count_blob(BlobPass::Prepared, 9 << 10));
        run.progress(1_000, 1_000);
        assert_eq!(text(65), "writing the index ██████████ 1,000/1,000 files, 8.0/8.0 MiB  1 min 05 s");
        run.step(WriteStep::Published);
        assert_eq!(text(65), "finishing ██████████ 1,000/1,000 files, 8.0/8.0 MiB  1 min 05 s");
        run.part(RunPart::Calibration);
        assert_eq!(text(65), "calibrating warnings  1 min 05 s");
        run.calibrating(100, 400);
        assert_eq!(text(66), "calibrating warnings ██░░░░░░░░ 100/400 commits  1 min 06 s");
        run.filling(50, 100);
        assert_eq!(text(66), "reading █████░░░░░ 50/100 chunks  1 min 06 s", "another count, from its own beginning");
        run.filling(100, 100);
        assert_eq!(text(66), "writing the vectors of 100 chunks  1 min 06 s");
    }

    #[test]
    fn files_are_counted_where_their_bytes_are_not_known() {
        let run = visible();
        let counts = &run.drawn.as_ref().unwrap().counts;
        run.progress(0, 4);
        run.count_blob(BlobPass::Extracted, 10);
        run.count_blob(BlobPass::Prepared, 10);
        run.count_blob(BlobPass::Extracted, 10);
        assert_eq!(counts.text(), "indexing ███░░░░░░░ 1/4 files");
        run.part(RunPart::Comparison);
        run.progress(0, 2);
        assert_eq!(counts.text(), "indexing ░░░░░░░░░░ 0/2 files", "another run counts anew");
    }

    #[test]
    fn no_time_left_is_given_before_it_is_steady() {
        let at = |seconds, share| TimeLeft::default().estimate(Duration::from_secs(seconds), share);
        assert_eq!(at(4, 0.5), None, "too early");
        assert_eq!(at(60, 0.04), None, "too little is done");
        assert_eq!(at(5, 0.5), Some(Duration::from_secs(5)));
    }

    #[test]
    fn time_left_rises_slowly_if_at_all() {
        let mut left = TimeLeft::default();
        let mut estimate = |tenths: u64, share| left.estimate(Duration::from_millis(100 * tenths), share).unwrap();
        let mut last = estimate(100, 0.5);
        assert_eq!(last, Duration::from_secs(10));
        // The work stands still for a minute.
        for tenths in 101..700 {
            let next = estimate(tenths, 0.5);
            assert!(next <= last + Duration::from_millis(26), "{last:?}, then {next:?}");
            last = next;
        }
        // Then the rest is done at once.
        assert!(estimate(760, 0.999) < Duration::from_secs(1));
    }
}
