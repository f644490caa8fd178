//! Standard output: text for people, JSON for programs, nothing else.

use std::io::{BufWriter, IsTerminal, Stdout, Write};

use icr_engine::{Gap, Provenance};
use icr_impact::report::visible;
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{Color, Global};
use crate::environment;
use crate::problem;

/// Standard output, buffered, and how to write it.
pub(crate) struct Output {
    writer: BufWriter<Stdout>,
    json: bool,
    color: bool,
    quiet: bool,
    strict: bool,
}

/// Styles by what they are for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    /// Paths and names.
    Name,
    /// Line numbers and other numbers.
    Number,
    /// What matters less.
    Faint,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stdout().is_terminal() && environment::variable("NO_COLOR").is_none(),
        };
        let writer = BufWriter::new(std::io::stdout());
        Self { writer, json: global.json, color, quiet: global.quiet, strict: global.strict }
    }

    /// Whether JSON was asked for.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Writes an answer with its provenance: as JSON, or as `text` writes it. Returns the exit code that the gaps ask
    /// for, else `code`.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        provenance: &Provenance,
        code: u8,
        text: impl FnOnce(&mut Self) -> std::io::Result<()>,
    ) -> anyhow::Result<u8> {
        if self.json {
            let mut value = serde_json::to_value(answer)?;
            if let Value::Object(fields) = &mut value {
                fields.insert("provenance".to_owned(), serde_json::to_value(provenance)?);
            }
            self.json(&value)?;
        } else {
            text(self)?;
            self.flush()?;
            self.notes(&provenance.gaps);
        }
        Ok(self.code_for(provenance, code))
    }

    /// Writes a picture as it is. Returns the exit code that the gaps ask for.
    pub(crate) fn picture(&mut self, picture: &str, provenance: &Provenance) -> anyhow::Result<u8> {
        self.writer.write_all(picture.as_bytes())?;
        self.flush()?;
        self.notes(&provenance.gaps);
        Ok(self.code_for(provenance, problem::OK))
    }

    /// `code`, unless the gaps ask for another.
    fn code_for(&self, provenance: &Provenance, code: u8) -> u8 {
        if provenance.gaps.iter().any(Gap::is_lack) { self.partial(code) } else { code }
    }

    /// The exit code of an answer that lacks something: `code`, unless `--strict` was given.
    pub(crate) fn partial(&self, code: u8) -> u8 {
        if self.strict { problem::PARTIAL } else { code }
    }

    /// Writes one JSON value and a line end.
    pub(crate) fn json(&mut self, value: &Value) -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut self.writer, value)?;
        writeln!(self.writer)
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: impl std::fmt::Display) -> std::io::Result<()> {
        writeln!(self.writer, "{line}")
    }

    /// `text` in a style, where colours are used.
    pub(crate) fn styled(&self, style: Style, text: impl std::fmt::Display) -> String {
        let code = match style {
            Style::Name => "1;34",
            Style::Number => "33",
            Style::Faint => "2",
        };
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Sends what is buffered.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }

    /// Says on stderr what an answer lacks.
    fn notes(&self, gaps: &[Gap]) {
        if self.quiet {
            return;
        }
        let mut stderr = std::io::stderr().lock();
        for gap in gaps {
            // There is nobody left to tell when stderr is closed.
            let _ = writeln!(stderr, "note: {}", visible(&gap.to_string()));
        }
    }
}

/// `count` of something, with the word for it.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `bytes` with a unit that people read.
pub(crate) fn bytes_text(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_unit_that_people_read() {
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
