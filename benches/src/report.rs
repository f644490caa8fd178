//! A table for people, and a JSON line for programs.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::clock::{self, ClockKind, Cost};
use crate::error::{Error, io};

/// The measurements of one repository or one run of micro benches.
#[derive(Debug, Serialize)]
pub(crate) struct BenchReport {
    /// Version of icr.
    version: &'static str,
    /// Name of the repository, or what else was measured.
    pub(crate) subject: String,
    /// Facts about the subject, in display order.
    pub(crate) facts: Vec<(&'static str, String)>,
    processors: usize,
    clock: ClockKind,
    pub(crate) rows: Vec<Measurement>,
}

/// One measurement.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Measurement {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wall_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) figure: Option<Figure>,
    /// Counts and remarks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

/// What a row is about, and how much it may be.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    /// What `value` counts.
    pub(crate) unit: &'static str,
    /// The most that `value` may be; `None` where there is no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<f64>,
}

impl BenchReport {
    pub(crate) fn new(subject: impl Into<String>) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            subject: subject.into(),
            facts: Vec::new(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            clock: clock::kind(),
            rows: Vec::new(),
        }
    }

    /// Shows the table, and appends the line to `out` when there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when `out` cannot be written.
    pub(crate) fn publish(&self, out: Option<&Path>) -> Result<(), Error> {
        crate::write_stdout(&self.table());
        out.map_or(Ok(()), |out| self.append(out))
    }

    fn append(&self, out: &Path) -> Result<(), Error> {
        let line = serde_json::to_string(self).expect("a report holds texts and numbers, which always encode");
        let file = OpenOptions::new().create(true).append(true).open(out);
        file.and_then(|mut file| writeln!(file, "{line}")).map_err(io("appending to", out))
    }

    fn table(&self) -> String {
        let facts: Vec<String> = self.facts.iter().map(|(name, value)| format!("{value} {name}")).collect();
        let clock = match self.clock {
            ClockKind::Cpu => "CPU time from /proc",
            ClockKind::Wall => "no /proc: the clock stands in for CPU time",
        };
        let mut text = format!("{}: {}\n", self.subject, facts.join(", "));
        let _ = writeln!(text, "icr {}, {} processors, {clock}", self.version, self.processors);
        let header = ["workload", "CPU ms", "wall ms", "figure", "", "budget", "", ""].map(str::to_owned);
        let lines: Vec<[String; 8]> = std::iter::once(header).chain(self.rows.iter().map(Measurement::cells)).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
        let widths: [usize; 8] = std::array::from_fn(width);
        for line in &lines {
            let mut shown = String::new();
            for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
                // Names, units and remarks read from the left, numbers from the right.
                let _ = match column {
                    0 | 4 | 6 | 7 => write!(shown, "{cell:width$}  "),
                    _ => write!(shown, "{cell:>width$}  "),
                };
            }
            let _ = writeln!(text, "{}", shown.trim_end());
        }
        text.push('\n');
        text
    }
}

impl Measurement {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    #[must_use]
    pub(crate) fn cost(self, cost: Cost) -> Self {
        Self { cpu_ms: Some(cost.cpu_ms), wall_ms: Some(cost.wall_ms), ..self }
    }

    #[must_use]
    pub(crate) fn figure(self, value: f64, unit: &'static str) -> Self {
        Self { figure: Some(Figure { value, unit, budget: None }), ..self }
    }

    /// The most that the figure may be.
    #[must_use]
    pub(crate) fn budget(mut self, budget: f64) -> Self {
        self.figure = self.figure.map(|figure| Figure { budget: Some(budget), ..figure });
        self
    }

    #[must_use]
    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    fn cells(&self) -> [String; 8] {
        let time = |value: Option<f64>| value.map(|value| format!("{value:.1}")).unwrap_or_default();
        let figure = self.figure.as_ref();
        let budget = figure.and_then(|figure| Some((figure.value, figure.budget?)));
        [
            self.name.clone(),
            time(self.cpu_ms),
            time(self.wall_ms),
            figure.map(|figure| format_significant(figure.value)).unwrap_or_default(),
            figure.map(|figure| figure.unit.to_owned()).unwrap_or_default(),
            budget.map(|(_, budget)| format_significant(budget)).unwrap_or_default(),
            budget.map(|(value, budget)| if value <= budget { "ok" } else { "OVER" }.to_owned()).unwrap_or_default(),
            self.note.clone(),
        ]
    }
}

/// `value` with three significant digits.
fn format_significant(value: f64) -> String {
    let decimals = match value.abs() {
        size if size == 0.0 || size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// A number with a comma between each three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> BenchReport {
        let mut report = BenchReport::new("sample");
        report.version = "1.2.3";
        report.processors = 2;
        report.clock = ClockKind::Cpu;
        report.facts = vec![("files", grouped(1234)), ("MB of text", "5.6".to_owned())];
        report.rows = vec![
            Measurement::new("bare limit").cost(Cost { cpu_ms: 1000.0, wall_ms: 1010.26 }),
            Measurement::new("full sync")
                .cost(Cost { cpu_ms: 2500.0, wall_ms: 1400.0 })
                .figure(2.5, "x bare limit")
                .budget(2.2),
            Measurement::new("return").figure(0.0, "parsed").budget(0.0).note("read 0"),
            Measurement::new("tokens").figure(165.4, "MB/s"),
        ];
        report
    }

    #[test]
    fn the_table_is_aligned_and_says_what_is_over() {
        let expected = "\
sample: 1,234 files, 5.6 MB of text
icr 1.2.3, 2 processors, CPU time from /proc
workload    CPU ms  wall ms  figure                budget
bare limit  1000.0   1010.3
full sync   2500.0   1400.0    2.50  x bare limit    2.20  OVER
return                            0  parsed             0  ok    read 0
tokens                          165  MB/s

";
        assert_eq!(report().table(), expected);
    }

    #[test]
    fn each_report_is_a_line_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out.jsonl");
        report().append(&out).unwrap();
        report().append(&out).unwrap();
        let text = std::fs::read_to_string(&out).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        let row = r#"{"name":"full sync","cpu_ms":2500.0,"wall_ms":1400.0,"figure":{"value":2.5,"unit":"x bare limit","budget":2.2}}"#;
        assert_eq!(lines[1]["rows"][1].to_string(), row);
        let nowhere = directory.path().join("none/out");
        assert!(report().append(&nowhere).unwrap_err().to_string().starts_with("appending to `"));
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
