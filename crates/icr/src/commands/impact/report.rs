//! Reports on a change: in every format, to standard output or a file, with the exit code.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use icr_engine::{ChangeSource, Engine, Gap, Provenance};
use icr_impact::report::{self as reports, About, Format, Limit, LinkTemplate};
use icr_impact::{Impact, TestChoice, Verdict};
use serde_json::{Value, json};

use super::{Bounds, FailOn};
use crate::arguments::Global;
use crate::commands::pictures::heading;
use crate::context::Context;
use crate::output::{self, Output, Style, note};
use crate::picture::{self, Heading};
use crate::problem::{self, NotAnalysed, Usage};

/// An impact with everything that its reports show.
pub(crate) struct ImpactReport {
    pub(crate) impact: Impact,
    provenance: Provenance,
    /// What is missing in the answer, one sentence each.
    gaps: Vec<String>,
    /// Name of the repository, for people.
    pub(crate) repository: String,
    /// Template for links to files.
    pub(crate) link: Option<LinkTemplate>,
    heading: Heading,
    judgement: Option<Judgement>,
    /// Conditions of `impact.fail_on`, from the configuration that the change is judged by.
    configured: Option<FailOn>,
    /// The repository under the rules that the change was judged by.
    pub(crate) engine: Engine,
}

/// Result of `--fail-on`.
struct Judgement {
    fail_on: FailOn,
    /// Why its conditions are met; `None` when they are not.
    reason: Option<String>,
}

impl ImpactReport {
    /// Computes the impact.
    ///
    /// # Errors
    ///
    /// [`NotAnalysed`] with the error of the engine.
    pub(crate) fn of(context: &Context, source: ChangeSource, bounds: &Bounds) -> anyhow::Result<Self> {
        let before = context.with_base_rules(&source).map_err(not_analysed)?;
        let (context, note) = before.as_ref().map_or((context, None), |(before, note)| (before, Some(note.clone())));
        let (mut impact, provenance) =
            context.impact(&bounds.request(source, &context.config)).map_err(not_analysed)?;
        impact.sides.notes.extend(note);
        let gaps = provenance.gaps.iter().map(ToString::to_string).collect();
        let repository = context.repository_name();
        let heading = heading(context, &provenance, format!("What {} touches", impact.sides.head));
        let configured = FailOn::configured(&context.config);
        let engine = context.engine.clone();
        Ok(Self { impact, provenance, gaps, repository, link: None, heading, judgement: None, configured, engine })
    }

    /// Decides whether the run fails: by `fail_on` if given, else by the configuration that the change is judged by.
    pub(crate) fn judge_by(&mut self, fail_on: Option<&FailOn>) {
        let configured = self.configured.take();
        self.judge(fail_on.or(configured.as_ref()));
    }

    /// Decides whether the run fails by `fail_on`; `None` never fails.
    pub(crate) fn judge(&mut self, fail_on: Option<&FailOn>) {
        let judged = |fail_on: &FailOn| Judgement { fail_on: fail_on.clone(), reason: fail_on.met_by(&self.impact) };
        self.judgement = fail_on.map(judged);
    }

    /// Whether nothing needs attention: no finding, nothing left unanalysed, and no condition that makes the run fail.
    pub(crate) fn is_quiet(&self) -> bool {
        let fails = self.judgement.as_ref().is_some_and(|judgement| judgement.reason.is_some());
        self.impact.verdict <= Verdict::Clean && self.impact.incomplete.is_empty() && !fails
    }

    /// Whether a complete index would change the answer; the present one was updated in limited time.
    pub(crate) fn lacks_index(&self) -> bool {
        self.provenance.gaps.iter().any(|gap| matches!(gap, Gap::Uncalibrated | Gap::Unindexed { .. }))
    }

    /// Tests that the plan takes in, best first.
    pub(crate) fn selected_tests(&self) -> impl Iterator<Item = &TestChoice> {
        self.impact.tests.iter().filter(|test| test.selected)
    }

    /// The report in a format, within the limit that the format has.
    pub(crate) fn written(&self, format: Format) -> String {
        match format {
            Format::Html => {
                let repo = self.repository.clone();
                picture::impact::html(&self.impact, &Heading { repo, ..self.heading.clone() })
            }
            Format::Json => {
                self.json(serde_json::to_value(&self.impact).expect("an impact has nothing but JSON's types"))
            }
            Format::Text => reports::plain(&self.lines(&Limit::TEXT)),
            format => {
                let written = reports::render(&self.impact, format, &self.about(), &format.limit());
                written.expect("the picture is the only format that is made elsewhere")
            }
        }
    }

    /// The text for standard output: coloured if colours are on, and on a terminal with long sentences shortened to
    /// fit. Other programs get the full text.
    pub(crate) fn styled(&self, output: &Output) -> String {
        let has_colours = !output.styled(output::Style::Faint, "").is_empty();
        let limit = if std::io::stdout().is_terminal() { Limit::TERMINAL } else { Limit::TEXT };
        let lines = self.lines(&limit);
        if has_colours { coloured(&lines) } else { reports::plain(&lines) }
    }

    /// `value` with the result of `--fail-on` and the provenance, as JSON text.
    pub(crate) fn json(&self, value: Value) -> String {
        let mut value = self.with_judgement(value);
        if let Value::Object(fields) = &mut value {
            fields.insert("provenance".to_owned(), json!(self.provenance));
        }
        format!("{value:#}\n")
    }

    /// Writes `value` to standard output as in [`ImpactReport::json`]. Returns the exit code.
    pub(crate) fn answer(&self, value: Value, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if !output.is_json() {
            return self.print(&self.json(value), global, output);
        }
        let code = output.answer(&self.with_judgement(value), &self.provenance, self.code(), |_| Ok(()))?;
        Ok(if self.lacks_code() { output.partial(code) } else { code })
    }

    /// Writes `text` to standard output, and to stderr why the run fails and what the reader should know about the
    /// answer. Returns the exit code.
    pub(crate) fn print(&self, text: &str, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        output.trace_places(|| serde_json::to_value(&self.impact).unwrap_or_default());
        let lacks = output.picture(text, &self.provenance)?;
        let mut stderr = std::io::stderr().lock();
        if !global.quiet {
            self.impact.sides.notes.iter().for_each(|text| note(&mut stderr, text));
        }
        if let Some(Judgement { fail_on, reason: Some(reason) }) = &self.judgement {
            // If stderr is closed, nobody can be told.
            let said = format!("failed: {reason} (`{}{}`)\n", fail_on.name, fail_on.text);
            let _ = stderr.write_all(said.as_bytes());
        }
        let code = if lacks == problem::OK { self.code() } else { lacks };
        Ok(if self.lacks_code() { output.partial(code) } else { code })
    }

    /// Whether code of the change was not looked into.
    fn lacks_code(&self) -> bool {
        self.impact.incomplete.iter().any(|file| file.code)
    }

    fn code(&self) -> u8 {
        let fails = self.judgement.as_ref().is_some_and(|judgement| judgement.reason.is_some());
        if fails { problem::FINDING } else { problem::OK }
    }

    fn with_judgement(&self, mut value: Value) -> Value {
        if let (Value::Object(fields), Some(judgement)) = (&mut value, &self.judgement) {
            let said = json!({ "conditions": judgement.fail_on.text, "met": judgement.reason });
            fields.insert("fail_on".to_owned(), said);
        }
        value
    }

    fn about(&self) -> About<'_> {
        let version = env!("CARGO_PKG_VERSION");
        let gate = self.judgement.as_ref().map(|judgement| &judgement.fail_on.gate);
        About { repo: Some(self.repository.clone()), version, gaps: &self.gaps, link: self.link.clone(), gate }
    }

    /// The text report, without what goes to stderr.
    fn lines(&self, limit: &Limit) -> Vec<reports::StyledLine> {
        let mut impact = self.impact.clone();
        impact.sides.notes.clear();
        reports::text(&impact, &About { gaps: &[], ..self.about() }, limit)
    }
}

/// Writes a report.
///
/// # Errors
///
/// [`Usage`] if `path` cannot be written to; other errors of the system.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = open_file(path, File::options().create(true).truncate(true))?;
    file.write_all(bytes).map_err(|error| cannot_write(path, error))
}

/// Opens the destination of a report for writing, with `options`: a file, a device such as `/dev/stdout`, or a pipe
/// that has a reader. A pipe without a reader is an error, since opening it would block for ever.
///
/// # Errors
///
/// [`Usage`] if `path` cannot be written to or goes through a symbolic link in a worktree; other errors of the system.
pub(crate) fn open_file(path: &Path, options: &mut OpenOptions) -> anyhow::Result<File> {
    refuse_link(path)?;
    let refused = |what| Usage {
        message: format!("`{}` cannot be written: it is {what}", path.display()),
        hint: Some("name a file that is there, or a new one".to_owned()),
    };
    match std::fs::metadata(path).ok().and_then(|metadata| kind_without_text(&metadata)) {
        Some(what) => Err(refused(what).into()),
        None => match open_without_waiting(path, options.write(true)) {
            Err(error) if is_without_reader(path, &error) => Err(refused("a pipe that nobody reads").into()),
            opened => opened.map_err(|error| cannot_write(path, error)),
        },
    }
}

/// What a path is, in words, if no text can be written to it.
#[cfg(unix)]
fn kind_without_text(metadata: &std::fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    match () {
        () if kind.is_socket() => Some("a socket"),
        () if kind.is_block_device() => Some("a block device"),
        () => None,
    }
}

#[cfg(not(unix))]
fn kind_without_text(_: &std::fs::Metadata) -> Option<&'static str> {
    None
}

/// Opens a file, or a pipe that already has a reader. Writes to the pipe block as usual.
#[cfg(unix)]
fn open_without_waiting(path: &Path, options: &mut OpenOptions) -> std::io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    fcntl_setfl(&file, fcntl_getfl(&file)?.difference(OFlags::NONBLOCK))?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path, options: &mut OpenOptions) -> std::io::Result<File> {
    options.open(path)
}

/// Whether `error` is the system's error for a pipe without a reader.
#[cfg(unix)]
fn is_without_reader(path: &Path, error: &std::io::Error) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let is_pipe = std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo());
    is_pipe && error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn is_without_reader(_: &Path, _: &std::io::Error) -> bool {
    false
}

/// Refuses a path that goes through a symbolic link in a worktree. Links can be committed, so the author of the link
/// would decide which file is overwritten.
///
/// # Errors
///
/// [`Usage`], which names the link.
pub(crate) fn refuse_link(path: &Path) -> Result<(), Usage> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let is_link = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let lies_in_worktree = |path: &Path| path.ancestors().skip(1).any(|above| above.join(".git").exists());
    match path.ancestors().find(|path| is_link(path) && lies_in_worktree(path)) {
        None => Ok(()),
        Some(link) => Err(Usage {
            message: format!("`{}` is a link in a worktree, and what it leads to would be overwritten", link.display()),
            hint: Some("name the place itself, or delete the link".to_owned()),
        }),
    }
}

/// The error that `path` cannot be written, or that a directory cannot be made there because a file is in its place.
pub(crate) fn cannot_write(path: &Path, error: std::io::Error) -> anyhow::Error {
    if error.kind() == ErrorKind::AlreadyExists {
        let hint = Some("name a directory; it is made if it is missing".to_owned());
        return Usage { message: format!("`{}` is not a directory", path.display()), hint }.into();
    }
    let message = format!("`{}` cannot be written", path.display());
    let is_wrong_place = matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::IsADirectory | ErrorKind::NotADirectory
    );
    if !is_wrong_place {
        return anyhow::Error::new(error).context(message);
    }
    let hint = Some("name a place in a directory that exists and that you can write to".to_owned());
    Usage { message: format!("{message}: {error}"), hint }.into()
}

/// Turns an error of the engine into [`NotAnalysed`], so that it is never taken for a change without findings.
fn not_analysed(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<icr_engine::Error>() {
        Ok(error) => NotAnalysed(error).into(),
        Err(error) => error,
    }
}

fn coloured(lines: &[reports::StyledLine]) -> String {
    let mut text = String::new();
    for line in lines {
        for (style, piece) in line {
            match style_of(*style) {
                Some(style) => text.push_str(&style.paint(piece)),
                None => text.push_str(piece),
            }
        }
        text.push('\n');
    }
    text
}

/// The terminal style for a report's style.
fn style_of(style: reports::Style) -> Option<Style> {
    match style {
        reports::Style::Plain => None,
        reports::Style::Title => Some(Style::Title),
        reports::Style::Path => Some(Style::Name),
        reports::Style::Command => Some(Style::Command),
        reports::Style::Bad => Some(Style::Bad),
        reports::Style::Warn => Some(Style::Warning),
        reports::Style::Good => Some(Style::Good),
        reports::Style::Faint => Some(Style::Faint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_their_colours() {
        let line = vec![(reports::Style::Bad, "Breaking".to_owned()), (reports::Style::Plain, ": a".to_owned())];
        assert_eq!(coloured(&[line, Vec::new()]), "\x1b[1;31mBreaking\x1b[0m: a\n\n");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_a_usage_error() {
        let error = write_file(Path::new("no/such/directory/a.md"), b"").unwrap_err();
        assert!(error.to_string().starts_with("`no/such/directory/a.md` cannot be written: "), "{error}");
        assert!(error.is::<Usage>());
        let in_the_way = cannot_write(Path::new("a.md"), ErrorKind::AlreadyExists.into());
        assert!(in_the_way.is::<Usage>() && in_the_way.to_string() == "`a.md` is not a directory", "{in_the_way:#}");
        let full = cannot_write(Path::new("a.md"), ErrorKind::StorageFull.into());
        assert!(!full.is::<Usage>() && full.to_string() == "`a.md` cannot be written", "{full:#}");
    }
}
