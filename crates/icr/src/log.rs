//! The log: warnings and what `-v` asks for, on stderr or in a file. Never on stdout, which belongs to the answer.

use std::fmt;
use std::fs::File;
use std::sync::Mutex;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::arguments::Global;
use crate::config::ResolvedConfig;
use crate::context::{configuration, home};

/// Beginning of the names of the crates of icr; messages of other crates are dropped.
const OURS: &str = "icr";

/// Starts the log as the arguments and the user's configuration say. If the configuration cannot be read, the built-in
/// values are used, and the command itself reports the error.
pub(crate) fn start(global: &Global) {
    let config = home().and_then(|home| configuration(global, &home, None)).ok();
    let level = match global.verbose {
        0 => config.as_ref().map_or("warn", |config| config.get_text("logging.level")),
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let rules = format!("off,{OURS}={level}");
    let writer = match config.as_ref().and_then(log_file) {
        Some(file) => BoxMakeWriter::new(Mutex::new(file)),
        None => BoxMakeWriter::new(std::io::stderr),
    };
    let log = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(rules)).with_writer(writer).with_target(false);
    let log = log.without_time().with_ansi(false);
    let is_json = config.as_ref().is_some_and(|config| config.get_text("logging.format") == "json");
    // A second subscriber cannot be set; the first one is as good.
    let _ = match is_json {
        true => log.json().flatten_event(true).try_init(),
        false => log.event_format(EventLine).try_init(),
    };
}

/// One line for each event, with its level as the notes and errors of commands have it: `warning: …`.
struct EventLine;

impl<S, N> FormatEvent<S, N> for EventLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let level = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG => "debug",
            Level::TRACE => "trace",
        };
        write!(writer, "{level}: ")?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

fn log_file(config: &ResolvedConfig) -> Option<File> {
    let path = config.get_path("logging.file", &home().ok()?, &std::env::home_dir()?)?;
    File::options().create(true).append(true).open(path).ok()
}
