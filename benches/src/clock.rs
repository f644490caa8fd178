//! CPU time and memory of processes, from Linux's `/proc`.
//!
//! A machine that also builds and tests something else gives no reliable wall times, so CPU times are compared. Without
//! `/proc`, wall time is used instead, and [`kind`] says so.
//!
//! CPU of other processes comes in ticks of 10 ms, split into user and system time, each rounded down. The rounding has
//! no direction over several measurements, so short workloads are run often and their mean is taken.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Length of a tick: the kernel reports 100 ticks a second to user space, whatever its own rate is (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// What time is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClockKind {
    Cpu,
    Wall,
}

/// CPU and clock time of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) cpu_ms: f64,
    pub(crate) wall_ms: f64,
}

/// What [`Cost::cpu_ms`] contains on this machine: CPU time or wall time.
pub(crate) fn kind() -> ClockKind {
    if children_ticks().is_some() { ClockKind::Cpu } else { ClockKind::Wall }
}

/// Cost of `work`, which waits for other processes: the CPU is that of those that ended meanwhile.
pub(crate) fn of_children<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, Cost), E> {
    let (before, started) = (children_ticks(), Instant::now());
    let value = work()?;
    let wall = started.elapsed();
    let cpu = match (before, children_ticks()) {
        (Some(before), Some(after)) => TICK * (after - before) as u32,
        _ => wall,
    };
    Ok((value, Cost { cpu_ms: milliseconds(cpu), wall_ms: milliseconds(wall) }))
}

/// CPU time of `work` on this thread. Reading the clock adds at most ten microseconds.
pub(crate) fn of_thread<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (value, cpu, _) = timed(thread_time, work);
    (value, cpu)
}

/// Cost of `work` on all threads of this process, including anything else that they do meanwhile.
pub(crate) fn of_process<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (value, cpu, wall) = timed(process_time, work);
    (value, Cost { cpu_ms: milliseconds(cpu), wall_ms: milliseconds(wall) })
}

/// The result of `work`, the CPU time by the clock `cpu`, and the wall time. If the clock gives nothing, the wall time
/// is used for both.
fn timed<T>(cpu: fn() -> Option<Duration>, work: impl FnOnce() -> T) -> (T, Duration, Duration) {
    let (before, started) = (cpu(), Instant::now());
    let value = work();
    let wall = started.elapsed();
    let spent = before.zip(cpu()).map_or(wall, |(before, after)| after - before);
    (value, spent, wall)
}

/// Most bytes of memory that this process had at once; `None` without `/proc`.
pub(crate) fn peak_resident_bytes() -> Option<u64> {
    bytes_of_status(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Bytes of memory that the process `id` has now; `None` without `/proc`.
pub(crate) fn resident_bytes(id: u32) -> Option<u64> {
    bytes_of_status(&std::fs::read_to_string(format!("/proc/{id}/status")).ok()?, "VmRSS:")
}

/// CPU time of the process `id` so far; `None` without `/proc`.
pub(crate) fn of_other(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    Some(TICK * u32::try_from(two_fields(&stat, 11)?).ok()?)
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The median, or the lower of the two middle values; 0 without values.
pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The quantile `part` of the values; 0 without values.
pub(crate) fn quantile(values: &[f64], part: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let rank = (values.len() as f64 * part).ceil() as usize;
    values.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

fn children_ticks() -> Option<u64> {
    children_of_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// `cutime` and `cstime`, the 14th and 15th field after the name, which ends at the last bracket.
fn children_of_stat(stat: &str) -> Option<u64> {
    two_fields(stat, 13)
}

/// The sum of two neighbouring fields. `before` is the number of fields between the name and them.
fn two_fields(stat: &str, before: usize) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(before);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// Time that the threads of this process were on a processor.
#[cfg(unix)]
fn process_time() -> Option<Duration> {
    rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).try_into().ok()
}

#[cfg(not(unix))]
fn process_time() -> Option<Duration> {
    None
}

/// CPU time of this thread; `None` if the system does not report it, or does not keep it up to date.
fn thread_time() -> Option<Duration> {
    static MOVES: LazyLock<bool> = LazyLock::new(|| {
        let (before, started) = (read_thread_time(), Instant::now());
        // Far more than the reading takes, far less than a tick.
        while started.elapsed() < Duration::from_micros(200) {
            std::hint::spin_loop();
        }
        before.is_some() && before < read_thread_time()
    });
    if *MOVES { read_thread_time() } else { None }
}

/// The first field of the scheduler's statistics, in nanoseconds.
fn read_thread_time() -> Option<Duration> {
    // The scheduler updates a thread's time at ticks and at each scheduling decision; this forces such a decision.
    std::thread::yield_now();
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The value of a line such as `VmHWM: 1234 kB`.
fn bytes_of_status(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_processes_may_hold_brackets() {
        let stat = "77 (a) b (c) S 1 2 3 0 -1 4 5 0 0 0 10 20 30 4 20 0 1 0 9";
        assert_eq!(children_of_stat(stat), Some(34));
        assert_eq!(children_of_stat("77 (a) S 1"), None);
        assert_eq!(children_of_stat(""), None);
    }

    #[test]
    fn the_peak_is_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(bytes_of_status(status, "VmHWM:"), Some(1234 * 1024));
        assert_eq!(bytes_of_status(status, "VmRSS:"), Some(1024));
        assert_eq!(bytes_of_status("Name:\tx\n", "VmHWM:"), None);
    }

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), 2.0);
        assert_eq!(quantile(&values, 0.99), 4.0);
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(median(&[]), 0.0);
        assert_eq!(mean(&values), 2.5);
        assert_eq!(mean(&[]), 0.0);
    }

    #[test]
    fn work_of_this_thread_takes_time_and_gives_its_value() {
        let work = || (0..200_000_u64).map(std::hint::black_box).fold(0_u64, u64::wrapping_add);
        let (sum, cpu) = of_thread(work);
        assert_eq!(sum, 19_999_900_000);
        assert!(!cpu.is_zero());
    }

    #[test]
    fn work_of_other_threads_counts_for_the_process() {
        let work = || (0..200_000_u64).map(std::hint::black_box).fold(0_u64, u64::wrapping_add);
        let (sum, cost) = of_process(|| std::thread::spawn(work).join().unwrap());
        assert_eq!(sum, 19_999_900_000);
        assert!(cost.cpu_ms > 0.0 && cost.wall_ms > 0.0);
    }

    #[test]
    fn failures_of_the_work_are_handed_on() {
        assert_eq!(of_children(|| Err::<(), _>("why")).map(|(value, _)| value), Err("why"));
    }
}
