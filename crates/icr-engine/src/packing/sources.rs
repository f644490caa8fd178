//! Searches the lines of many sources for one task.

use crate::files::read;
use crate::files::slice;
use std::time::{Duration, Instant};

use icr_pack::{MapReduced, SourceContent, SourceText};
use serde::Serialize;

use crate::search::path_of;
use crate::{Error, ReadRequest, SliceRequest, Snapshot};

/// A task over many sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapReduceRequest {
    /// The task, 1 to 5,000 characters.
    pub task: String,
    /// What to look for in each source, 1 to 2,000 characters.
    pub map_prompt: String,
    /// What to search for in the results of all sources, 1 to 2,000 characters.
    pub reduce_prompt: String,
    /// 1 to 100 of `path`, `path:10`, `path:10-40` and `path:symbol`.
    pub sources: Vec<String>,
    /// Most model tokens of one source's result.
    pub map_tokens: u32,
    /// Most model tokens of the reduced result.
    pub reduce_tokens: u32,
    /// Time after which no further source is read.
    pub time_limit: Duration,
}

/// The answer to a [`MapReduceRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MapReduceAnswer {
    /// What was found.
    #[serde(flatten)]
    pub reduced: MapReduced,
    /// What it cost.
    pub metadata: MapReduceMetadata,
}

/// What an answer cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapReduceMetadata {
    /// Time from question to answer, in milliseconds.
    pub duration_ms: u64,
    /// Time of reading the sources.
    pub read_duration_ms: u64,
    /// Whether a model wrote any of the text; every line is a line of a source.
    pub generative: bool,
}

/// The lines of each source that match the task, and the best of all, each with path and line number. A source that
/// cannot be read, or not in time, is listed with the reason; the others are still answered.
///
/// # Errors
///
/// [`Error::Pack`] when a text or the number of sources is out of bounds; those of reading the store.
pub fn map_reduce(snapshot: &Snapshot, request: &MapReduceRequest) -> Result<MapReduceAnswer, Error> {
    let began = Instant::now();
    let deadline = began.checked_add(request.time_limit);
    let mut sources = Vec::with_capacity(request.sources.len());
    for source in &request.sources {
        let content = match deadline {
            Some(deadline) if Instant::now() >= deadline => {
                let limit = request.time_limit.as_millis();
                SourceContent::Failed(format!("not read: the time of {limit} ms was over"))
            }
            _ => content_of(snapshot, source)?,
        };
        sources.push(SourceText { source: source.clone(), content });
    }
    let read = began.elapsed();
    let reduced = icr_pack::map_reduce(&icr_pack::MapReduceRequest {
        task: &request.task,
        map_prompt: &request.map_prompt,
        reduce_prompt: &request.reduce_prompt,
        sources: &sources,
        map_tokens: request.map_tokens,
        reduce_tokens: request.reduce_tokens,
    })?;
    let milliseconds = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let metadata = MapReduceMetadata {
        duration_ms: milliseconds(began.elapsed()),
        read_duration_ms: milliseconds(read),
        generative: false,
    };
    Ok(MapReduceAnswer { reduced, metadata })
}

/// The lines that a source names, or why they cannot be shown.
fn content_of(snapshot: &Snapshot, source: &str) -> Result<SourceContent, Error> {
    match source_lines(snapshot, source) {
        Ok(content) => Ok(content),
        Err(error) if is_of_one_file(&error) => Ok(SourceContent::Failed(error.to_string())),
        Err(error) => Err(error),
    }
}

fn source_lines(snapshot: &Snapshot, source: &str) -> Result<SourceContent, Error> {
    let (path, part) = split(snapshot, source)?;
    let read = |start_line, end_line| {
        let request = ReadRequest { path: path.to_owned(), start_line, end_line, max_lines: u32::MAX };
        let excerpt = read(snapshot, &request)?;
        let start_line = excerpt.start_line.max(1);
        Ok(SourceContent::Lines { path: excerpt.path, start_line, text: excerpt.content })
    };
    match part.map(|part| (part, lines(part))) {
        None => read(None, None),
        Some((_, Some((start, end)))) => read(Some(start), Some(end)),
        Some((symbol, None)) => {
            let request = SliceRequest { path: path.to_owned(), symbol: symbol.to_owned(), context_lines: 0 };
            let slice = slice(snapshot, &request)?;
            Ok(SourceContent::Lines { path: slice.path, start_line: slice.start_line, text: slice.content })
        }
    }
}

/// Splits a source into its path and the rest. Paths and symbol names may contain colons: the longest prefix that is a
/// file of the view is the path.
fn split<'a>(snapshot: &Snapshot, source: &'a str) -> Result<(&'a str, Option<&'a str>), Error> {
    if snapshot.view.file(&path_of(source))?.is_some() {
        return Ok((source, None));
    }
    for (at, _) in source.rmatch_indices(':') {
        if snapshot.view.file(&path_of(&source[..at]))?.is_some() {
            return Ok((&source[..at], Some(&source[at + 1..]).filter(|part| !part.is_empty())));
        }
    }
    // Reading it later gives the exact error, which tells a secret file from a missing one.
    Ok(source.split_once(':').map_or((source, None), |(path, part)| (path, Some(part))))
}

/// Whether an error concerns only the requested file. Any other error would occur for all files.
pub(crate) fn is_of_one_file(error: &Error) -> bool {
    let of_stores = matches!(error, Error::Store(_) | Error::Lexical(_) | Error::Vector(_) | Error::Memory(_));
    !of_stores && !matches!(error, Error::Io { .. } | Error::TimedOut | Error::Cancelled)
}

/// `10-40` or `10`, as first and last line.
fn lines(part: &str) -> Option<(u32, u32)> {
    let (start, end) = part.split_once('-').unwrap_or((part, part));
    Some((start.parse().ok()?, end.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_lines_and_everything_else_is_a_name() {
        assert_eq!(lines("10-40"), Some((10, 40)));
        assert_eq!(lines("7"), Some((7, 7)));
        for name in ["open", "open-file", "10-", "-4", "1-2-3", ""] {
            assert_eq!(lines(name), None, "{name}");
        }
    }
}
