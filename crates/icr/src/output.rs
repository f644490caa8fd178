//! Standard output: text for people, JSON for programs, nothing else.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::{BufWriter, IsTerminal, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use icr_engine::{Gap, Provenance};
use icr_impact::report::visible;
use icr_model::Digest64;
use icr_secrets::mask_tokens;
use icr_serve::{ShownPlaces, gap_names};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{Color, Global, TopLevelCommand};
use crate::context::{configuration, home};
use crate::environment;
use crate::pager::Pager;
use crate::problem;
use crate::recording::AnswerTrace;

/// Buffered standard output, with the options for writing to it.
pub(crate) struct Output {
    writer: BufWriter<OutputTarget>,
    is_terminal: bool,
    json: bool,
    color: bool,
    quiet: bool,
    strict: bool,
    mask: Mask,
    is_paging_off: bool,
    /// Text of an answer that is being collected.
    held: Option<String>,
    /// Data about the answer for the trace; `None` if the command is not traced.
    trace: Option<AnswerTrace>,
}

/// Destination of an answer.
enum OutputTarget {
    Stdout(Stdout),
    /// A pager, started at the first write.
    Pager(Option<Pager>),
}

impl Write for OutputTarget {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Self::Pager(pager @ None) = self {
            *pager = Pager::start();
            if pager.is_none() {
                *self = Self::Stdout(std::io::stdout());
            }
        }
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Pager(pager) => pager.as_mut().map_or(Ok(bytes.len()), |pager| pager.write(bytes)),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Pager(pager) => pager.as_mut().map_or(Ok(()), Write::flush),
        }
    }
}

/// Masking of credentials in the output, and the number of masked ones.
struct Mask {
    /// Whether the user's configuration masks credentials; read when first needed.
    configured: OnceCell<bool>,
    /// Global arguments, for reading the user's configuration.
    global: Global,
    /// Masked credentials that the user was not told about yet.
    untold: u64,
}

/// Text styles by purpose.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    /// Paths and names.
    Name,
    /// Line numbers and other numbers.
    Number,
    /// Less important text.
    Faint,
    /// A state that is not as expected.
    Warning,
    /// The subject of a text.
    Title,
    /// Something to type.
    Command,
    /// Something broken.
    Bad,
    /// Something in order.
    Good,
    /// A match of the query.
    Match,
}

/// All styles. Only these colour sequences may reach a terminal; others in files or names are escaped.
const STYLES: [Style; 9] = [
    Style::Name,
    Style::Number,
    Style::Faint,
    Style::Warning,
    Style::Title,
    Style::Command,
    Style::Bad,
    Style::Good,
    Style::Match,
];

/// Escape sequence that ends any style.
const PLAIN: &str = "\x1b[0m";

impl Style {
    /// Escape sequence that begins the style on a terminal.
    fn sequence(self) -> &'static str {
        match self {
            Self::Name => "\x1b[1;34m",
            Self::Number => "\x1b[33m",
            Self::Faint => "\x1b[2m",
            Self::Warning => "\x1b[1;33m",
            Self::Title => "\x1b[1m",
            Self::Command => "\x1b[36m",
            Self::Bad => "\x1b[1;31m",
            Self::Good => "\x1b[32m",
            Self::Match => "\x1b[1;35m",
        }
    }

    /// `text` in this style.
    pub(crate) fn paint(self, text: impl std::fmt::Display) -> String {
        format!("{}{text}{PLAIN}", self.sequence())
    }
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let color = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let is_dumb = environment::variable("TERM").is_some_and(|terminal| terminal == "dumb");
                is_terminal && !is_dumb && environment::variable("NO_COLOR").is_none()
            }
        };
        let writer = BufWriter::new(OutputTarget::Stdout(std::io::stdout()));
        let mask = Mask { configured: OnceCell::new(), global: global.clone(), untold: 0 };
        let (json, quiet, strict) = (global.json, global.quiet, global.strict);
        let is_paging_off = global.no_pager;
        Self { writer, is_terminal, json, color, quiet, strict, mask, is_paging_off, held: None, trace: None }
    }

    /// Sends output to a pager if a person reads it on a terminal.
    pub(crate) fn page(&mut self) {
        let is_read = self.is_terminal && !self.is_paging_off && std::io::stdin().is_terminal();
        if is_read {
            *self.writer.get_mut() = OutputTarget::Pager(None);
        }
    }

    /// Waits until the user leaves the pager, so that messages on stderr do not appear in the middle of the text.
    fn close_pager(&mut self) {
        if let OutputTarget::Pager(Some(pager)) = self.writer.get_mut() {
            pager.finish();
            *self.writer.get_mut() = OutputTarget::Stdout(std::io::stdout());
        }
    }

    /// If the exit code is 1 and nothing on stderr explained it, says why: an exit code alone is not understandable.
    pub(crate) fn say_finding(&self, command: &TopLevelCommand) {
        let is_wanted = !self.quiet && !self.json && !HAS_SAID.load(Ordering::Relaxed);
        if let Some(said) = finding(command).filter(|_| is_wanted) {
            note(&mut std::io::stderr().lock(), said);
        }
    }

    /// From here on, collects data about the answer for a trace.
    pub(crate) fn begin_trace(&mut self) {
        self.trace = Some(AnswerTrace::default());
    }

    /// Ends the collection and returns the data.
    pub(crate) fn end_trace(&mut self) -> AnswerTrace {
        self.trace.take().unwrap_or_default()
    }

    /// Notes for the trace which places the answer `value` shows.
    pub(crate) fn trace_places(&mut self, value: impl FnOnce() -> Value) {
        if let Some(trace) = &mut self.trace {
            trace.shown = ShownPlaces::of(&value());
        }
    }

    /// Notes for the trace that `text` is the answer.
    fn trace_text(&mut self, text: &str, provenance: &Provenance) {
        if let Some(trace) = &mut self.trace {
            trace.gaps = gap_names(&provenance.gaps);
            trace.repo_id = Some(provenance.repo_id.clone());
            trace.bytes = text.len() as u64;
            trace.tokens = u64::from(icr_tokens::model_tokens(text.as_bytes()));
        }
    }

    /// From here on, writes JSON, because an argument of the command asks for it.
    pub(crate) fn use_json(&mut self) {
        self.json = true;
    }

    /// From here on, writes everything unmasked: the user asked for a file as it is, or for memories of his own.
    pub(crate) fn mask_nothing(&mut self) {
        self.mask.configured = OnceCell::from(false);
    }

    /// Whether a person sees the output and the notes directly.
    pub(crate) fn is_read(&self) -> bool {
        self.is_terminal && !self.quiet
    }

    /// Whether to write JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Writes an answer with its provenance, as JSON or with `text`. Returns the exit code that the gaps ask for, else
    /// `code`.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        provenance: &Provenance,
        code: u8,
        text: impl FnOnce(&mut Self) -> std::io::Result<()>,
    ) -> anyhow::Result<u8> {
        let value = (self.json || self.trace.is_some()).then(|| serde_json::to_value(answer)).transpose()?;
        if let (Some(value), Some(trace)) = (&value, &mut self.trace) {
            trace.shown = ShownPlaces::of(value);
        }
        if let Some(mut value) = value.filter(|_| self.json) {
            self.mask.mask_texts(&mut value);
            let provenance = self.mask.told_in(provenance);
            if let Value::Object(fields) = &mut value {
                fields.insert("provenance".to_owned(), serde_json::to_value(&provenance)?);
            }
            let text = json_text(&value)?;
            self.trace_text(&text, &provenance);
            self.write_unmasked(&text)?;
        } else {
            // Collected into one text before masking, because a private key spans several lines.
            self.held = Some(String::new());
            let written = text(self);
            let held = self.held.take().unwrap_or_default();
            written?;
            self.trace_text(&held, provenance);
            self.write(&held)?;
            self.flush()?;
            self.close_pager();
            let provenance = self.mask.told_in(provenance);
            self.notes(&provenance.gaps);
        }
        Ok(self.code_for(provenance, code))
    }

    /// Writes a picture as it is. Returns the exit code that the gaps ask for.
    pub(crate) fn picture(&mut self, picture: &str, provenance: &Provenance) -> anyhow::Result<u8> {
        self.trace_text(picture, provenance);
        self.write(picture)?;
        self.flush()?;
        let provenance = self.mask.told_in(provenance);
        self.notes(&provenance.gaps);
        Ok(self.code_for(&provenance, problem::OK))
    }

    /// The exit code that the gaps ask for, else `code`.
    fn code_for(&self, provenance: &Provenance, code: u8) -> u8 {
        if provenance.gaps.iter().any(Gap::counts_when_strict) { self.partial(code) } else { code }
    }

    /// The exit code of an incomplete answer: `code`, or with `--strict` the one for incomplete answers.
    pub(crate) fn partial(&self, code: u8) -> u8 {
        if self.strict { problem::PARTIAL } else { code }
    }

    /// Writes one JSON value and a line end.
    pub(crate) fn json(&mut self, value: &Value) -> std::io::Result<()> {
        let mut value = Cow::Borrowed(value);
        if self.mask.applies_to(&value) {
            self.mask.mask_texts(value.to_mut());
        }
        self.write_json(&value)
    }

    /// Writes the JSON lines that `write` produces. For a terminal they are escaped and written all at once.
    pub(crate) fn json_lines<T>(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if !self.is_terminal {
            return write(&mut self.writer);
        }
        let mut lines = Vec::new();
        let written = write(&mut lines)?;
        self.writer.write_all(escaped(&String::from_utf8_lossy(&lines)).as_bytes())?;
        Ok(written)
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: impl std::fmt::Display) -> std::io::Result<()> {
        self.write(&format!("{line}\n"))
    }

    /// Writes bytes for another program, as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// `text` in a style, where colours are used.
    pub(crate) fn styled(&self, style: Style, text: impl std::fmt::Display) -> String {
        if self.color { style.paint(text) } else { text.to_string() }
    }

    /// `text` in a faint style with each of `words` (lower case) in another style, if colours are on.
    pub(crate) fn marked(&self, text: &str, words: &[String]) -> String {
        if !self.color {
            return text.to_owned();
        }
        let mut marked = String::new();
        let mut rest = text;
        while let Some((from, to)) = first_of(rest, words) {
            if from > 0 {
                marked.push_str(&Style::Faint.paint(&rest[..from]));
            }
            marked.push_str(&Style::Match.paint(&rest[from..to]));
            rest = &rest[to..];
        }
        if !rest.is_empty() {
            marked.push_str(&Style::Faint.paint(rest));
        }
        marked
    }

    /// `text` with credentials masked, for output elsewhere than standard output.
    pub(crate) fn masked<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        self.mask.masked(text)
    }

    /// Flushes the output, and reports masked credentials on stderr if no answer has done so.
    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        self.flush()?;
        self.close_pager();
        let gaps = self.mask.take_mask_gap();
        self.notes(&Vec::from_iter(gaps));
        Ok(())
    }

    /// Flushes the output.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }

    /// Writes to stderr that nothing was found. JSON shows that by itself.
    pub(crate) fn nothing_found(&self) {
        if !self.quiet && !self.json {
            note(&mut std::io::stderr().lock(), "nothing found");
        }
    }

    /// Writes to stderr what the answer lacks.
    fn notes(&self, gaps: &[Gap]) {
        if self.quiet {
            return;
        }
        let is_read = std::io::stderr().is_terminal();
        let mut stderr = std::io::stderr().lock();
        for gap in gaps {
            let text = gap.to_string();
            // A lasting gap is not repeated for a user at a terminal who was told today; that of large files for nobody who
            // did not ask for more lines.
            let is_of_large_files = matches!(gap, Gap::Oversize { .. }) && self.mask.global.verbose == 0;
            let is_told_once = is_read && is_lasting(gap) || is_of_large_files;
            if !(is_told_once && was_told_today(&self.mask.global, &text)) {
                note(&mut stderr, &text);
            }
        }
    }

    fn write(&mut self, text: &str) -> std::io::Result<()> {
        if let Some(held) = &mut self.held {
            held.push_str(text);
            return Ok(());
        }
        let masked = self.mask.masked(text);
        self.write_unmasked(&masked)
    }

    /// Writes a value that is already masked.
    fn write_json(&mut self, value: &Value) -> std::io::Result<()> {
        self.write_unmasked(&json_text(value)?)
    }

    fn write_unmasked(&mut self, text: &str) -> std::io::Result<()> {
        let shown = self.escape_for_output(text);
        self.writer.write_all(shown.as_bytes())
    }

    /// `text` as written to standard output. On a terminal, control and invisible characters from files and names are
    /// escaped; programs and files get the text unchanged.
    fn escape_for_output<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match (self.is_terminal, self.json) {
            (false, _) => Cow::Borrowed(text),
            (true, false) => Cow::Owned(shown_on_terminal(text, self.color)),
            (true, true) => Cow::Owned(escaped(text)),
        }
    }
}

impl Mask {
    /// Whether masking is on. Reads only the user's own configuration: a repository must not switch masking off, and neither
    /// does a configuration that cannot be read.
    fn is_on(&self) -> bool {
        let asked = || home().and_then(|home| configuration(&self.global, &home, None));
        *self.configured.get_or_init(|| asked().map_or(true, |config| config.get_bool("security.mask_credentials")))
    }

    /// Whether `value` contains anything to mask.
    fn applies_to(&self, value: &Value) -> bool {
        self.configured.get() != Some(&false) && icr_secrets::has_credentials(value) && self.is_on()
    }

    fn masked<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if self.configured.get() == Some(&false) {
            return Cow::Borrowed(text);
        }
        let masked = mask_tokens(text);
        if masked.credentials == 0 || !self.is_on() {
            return Cow::Borrowed(text);
        }
        self.untold += masked.credentials;
        masked.text
    }

    fn mask_texts(&mut self, value: &mut Value) {
        if self.applies_to(value) {
            self.untold += icr_secrets::mask_texts(value);
        }
    }

    /// The gap that reports masked credentials, once; then the count is reset.
    fn take_mask_gap(&mut self) -> Option<Gap> {
        let credentials = std::mem::take(&mut self.untold);
        (credentials > 0).then_some(Gap::Masked { credentials })
    }

    /// `provenance` with the gap of [`Mask::take_mask_gap`] added.
    fn told_in<'a>(&mut self, provenance: &'a Provenance) -> Cow<'a, Provenance> {
        let mut provenance = Cow::Borrowed(provenance);
        if let Some(gap) = self.take_mask_gap() {
            provenance.to_mut().gaps.push(gap);
        }
        provenance
    }
}

/// `value` as it is printed.
fn json_text(value: &Value) -> serde_json::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Whether the gap concerns every answer about the repository until somebody changes something.
fn is_lasting(gap: &Gap) -> bool {
    matches!(gap, Gap::Oversize { .. } | Gap::ShallowHistory | Gap::NoVectors)
}

/// Whether `text` was shown for the same directory within the last day. Records that it is shown now,
/// unless writing is forbidden. If the record cannot be read or written, it counts as not shown.
pub(crate) fn was_told_today(global: &Global, text: &str) -> bool {
    let Ok(home) = home() else { return false };
    let here = global.repo.clone().or_else(|| environment::current_directory().ok()).unwrap_or_default();
    let digest = Digest64::default().with(here.as_os_str().as_encoded_bytes()).with(text.as_bytes()).finish();
    let mark = home.join("told").join(format!("{digest:016x}"));
    let written = std::fs::metadata(&mark).and_then(|metadata| metadata.modified()).ok();
    let age = written.and_then(|written| environment::now().duration_since(written).ok());
    let is_told = age.is_some_and(|age| age < DAY);
    if !is_told && !global.read_only && home.is_dir() {
        let _ = std::fs::create_dir_all(home.join("told")).and_then(|()| std::fs::write(&mark, ""));
    }
    is_told
}

/// How long a lasting gap counts as told.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether the process has written a note.
static HAS_SAID: AtomicBool = AtomicBool::new(false);

/// Explanation of exit code 1 for a command that has not explained it itself; `None` for commands that always do.
fn finding(command: &TopLevelCommand) -> Option<&'static str> {
    Some(match command {
        // That of `icr run` is the command's own.
        TopLevelCommand::Impact(_) | TopLevelCommand::Ci(_) | TopLevelCommand::Run(_) => return None,
        TopLevelCommand::Doctor(_) => "something is not in order; see above",
        TopLevelCommand::Refs(_) => "nothing else refers to it",
        TopLevelCommand::Cochange(_) => "nothing changes together with it often enough to be told",
        TopLevelCommand::Commands(_) => "no file says how this project is built, tested or run",
        TopLevelCommand::Init(_) | TopLevelCommand::Uninstall(_) | TopLevelCommand::Hooks(_) => {
            "not all of it was done; see above"
        }
        TopLevelCommand::BenchRetrieval(_) => "answers differ from those that were recorded; see above",
        _ => "nothing found",
    })
}

/// Writes one note in a single call, so that standard output to the same terminal does not interleave with it.
pub(crate) fn note(stderr: &mut impl Write, text: &str) {
    HAS_SAID.store(true, Ordering::Relaxed);
    // If stderr is closed, nobody can be told. A name that may be meant is a name of the repository.
    let _ = stderr.write_all(format!("note: {}\n", visible(&mask_tokens(text).text)).as_bytes());
}

/// `text` with control and invisible characters made [`visible`]. Line ends and tabs stay. If `color`, icr's own colour
/// sequences stay too; other sequences could hide text.
fn shown_on_terminal(text: &str, color: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let harmless = harmless_bytes(rest, color);
        // A harmful part ends at the next character that may begin something harmless.
        let end = match harmless {
            0 => {
                let first = first.len_utf8();
                rest[first..].find(['\n', '\t', '\r', '\u{1b}']).map_or(rest.len(), |at| first + at)
            }
            _ => harmless,
        };
        let (part, after) = rest.split_at(end);
        match harmless {
            0 => shown.push_str(&visible(part)),
            _ => shown.push_str(part),
        }
        rest = after;
    }
    shown
}

/// Length in bytes of the line end, tab or [`STYLES`] sequence at the start of `text`; 0 if there is none.
fn harmless_bytes(text: &str, color: bool) -> usize {
    match text.as_bytes() {
        [b'\n' | b'\t', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        [0x1b, ..] if color => {
            let mut sequences = STYLES.map(Style::sequence).into_iter().chain([PLAIN]);
            sequences.find(|sequence| text.starts_with(sequence)).map_or(0, str::len)
        }
        _ => 0,
    }
}

/// `json` with control and invisible characters as JSON escapes. The value stays the same.
fn escaped(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        // Line ends are only between strings; inside strings they are already escaped.
        if matches!(character, '\n' | '\t') || matches!(visible(character.encode_utf8(&mut [0; 4])), Cow::Borrowed(_)) {
            shown.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            shown.push_str(&format!("\\u{unit:04x}"));
        }
    }
    shown
}

/// Byte range of the first occurrence of any of `words` in `text`; the longest of those that begin there. `words` are
/// in lower case, and `text` is compared in lower case. `None` if the lower-case text has another length.
fn first_of(text: &str, words: &[String]) -> Option<(usize, usize)> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let found = words.iter().filter(|word| !word.is_empty()).filter_map(|word| {
        let from = lower.find(word.as_str())?;
        let to = from + word.len();
        (text.is_char_boundary(from) && text.is_char_boundary(to)).then_some((from, to))
    });
    found.min_by_key(|(from, to)| (*from, usize::MAX - to))
}

/// `count` with the noun in singular or plural.
pub(crate) fn count_text(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `bytes` with a readable unit.
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

    fn output(is_terminal: bool, json: bool) -> Output {
        let global = Global { color: Color::Always, json, ..Global::default() };
        Output { is_terminal, ..Output::new(&global) }
    }

    #[test]
    fn what_controls_a_terminal_is_shown_there_and_nowhere_else() {
        let text = "a\u{1b}]0;title\u{7}\u{9b}2J\u{8}\u{7f}\u{202e}\u{2066}b";
        assert_eq!(output(true, false).escape_for_output(text), "a␛]0;title␇⟨U+009B⟩2J␈␡⟨U+202E⟩⟨U+2066⟩b");
        assert_eq!(output(false, false).escape_for_output(text), text);
        assert_eq!(output(false, true).escape_for_output(text), text);
    }

    #[test]
    fn ends_of_lines_tabs_and_own_colours_reach_a_terminal() {
        let output = output(true, false);
        let styled = STYLES.map(|style| output.styled(style, "a"));
        for text in ["", "é 漢\n\n\t\tb\r\n"].into_iter().chain(styled.iter().map(String::as_str)) {
            assert_eq!(output.escape_for_output(text), text);
        }
        let uncoloured = Output { color: false, ..self::output(true, false) };
        assert_eq!(uncoloured.escape_for_output(&styled[0]), "␛[1;34ma␛[0m");
        for (text, shown) in [
            ("\u{1b}[ma\u{1b}[38;5;1mb\u{1b}[8m\u{1b}[30;40m\n", "␛[ma␛[38;5;1mb␛[8m␛[30;40m\n"),
            ("\u{1b}[2J", "␛[2J"),
            ("\u{1b}[?1m", "␛[?1m"),
            ("\u{1b}[31", "␛[31"),
            ("é\u{1b}\u{1b}[1mb\u{1b}", "é␛\u{1b}[1mb␛"),
            ("a\rb\n", "a␍b\n"),
        ] {
            assert_eq!(output.escape_for_output(text), shown);
        }
    }

    #[test]
    fn json_on_a_terminal_says_the_same_in_escapes() {
        let json = "{\n  \"a\": \"é\u{7f}\u{9b}\u{202e}\u{e0041}\"\n}\n";
        let output = output(true, true);
        let shown = output.escape_for_output(json);
        assert_eq!(shown, "{\n  \"a\": \"é\\u007f\\u009b\\u202e\\udb40\\udc41\"\n}\n");
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
        assert_eq!(value(&shown), value(json));
    }

    /// The bytes of each write call.
    struct Writes(Vec<String>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.push(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_note_is_one_line_written_at_once() {
        let mut writes = Writes(Vec::new());
        note(&mut writes, "`a\nb` is new");
        assert_eq!(writes.0, ["note: `a␊b` is new\n"]);
    }

    #[test]
    fn bytes_have_the_unit_that_people_read() {
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
