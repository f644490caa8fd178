//! Reads and writes events as rows.

use std::time::SystemTime;

use rusqlite::types::Type;
use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    AccessedLines, CallId, CallInput, CallKind, CallOutcome, CallRecord, Door, FileAccess, FileEdit, SeenCall,
    TraceEvent, moments,
};

/// The columns of a call without its lists, in the order in which [`call`] reads them.
pub(crate) const CALL_COLUMNS: &str = "id, parent, started_at, duration, door, kind, tool, task, step, client, \
     session, repo_id, root, input, outcome, output_tokens, output_bytes, gaps";

/// The columns of the lists, in the order in which [`call_with_lists`] reads them.
pub(crate) const LIST_COLUMNS: &str = "returned, impact";

/// The columns of a file access or change, in the order in which [`file_use`] reads them.
pub(crate) const FILE_USE_COLUMNS: &str = "at, event, session, repo_id, path, start_line, end_line, tool, manual";

/// Inserts `event`. A call whose id is already there is left out.
pub(crate) fn insert(connection: &Connection, event: &TraceEvent) -> rusqlite::Result<()> {
    match event {
        TraceEvent::Call(call) => insert_call(connection, call),
        TraceEvent::Opened(FileAccess { at, session, repo_id, path, lines, by, manual }) => {
            let row =
                FileUse { event: "opened", path: path.as_deref(), lines: *lines, tool: Some(by), manual: *manual };
            row.insert(connection, *at, session, repo_id)
        }
        TraceEvent::Changed(FileEdit { at, session, repo_id, path }) => {
            let row = FileUse { event: "changed", path: Some(path), lines: None, tool: None, manual: false };
            row.insert(connection, *at, session, repo_id)
        }
        TraceEvent::SeenCall(SeenCall { at, session, repo_id, tool }) => {
            let row = FileUse { event: "seen_call", path: None, lines: None, tool: tool.as_deref(), manual: false };
            row.insert(connection, *at, session, repo_id)
        }
    }
}

/// Inserts the number of dropped events.
pub(crate) fn insert_dropped(connection: &Connection, events: u64, now: i64) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO drops (at, events) VALUES (?1, ?2)")?;
    statement.execute((now, number(events))).map(drop)
}

/// The call in a row of [`CALL_COLUMNS`].
pub(crate) fn call(row: &Row<'_>) -> rusqlite::Result<CallRecord> {
    let id =
        |at: usize, bits: i64| CallId::from_bits(bits as u64).ok_or_else(|| unexpected(at, "it is no id of a call"));
    let door: String = row.get(4)?;
    let kind: String = row.get(5)?;
    let outcome: String = row.get(14)?;
    let Ok(outcome) = outcome.parse::<CallOutcome>();
    Ok(CallRecord {
        id: id(0, row.get(0)?)?,
        parent: row.get::<_, Option<i64>>(1)?.map(|bits| id(1, bits)).transpose()?,
        started_at: moments::moment(row.get(2)?),
        duration: moments::duration(row.get(3)?),
        door: Door::from_name(&door).ok_or_else(|| unexpected(4, "it is no door"))?,
        kind: CallKind::from_name(&kind).unwrap_or(CallKind::Other),
        tool: row.get(6)?,
        task: row.get(7)?,
        step: row.get(8)?,
        client: row.get(9)?,
        session: row.get(10)?,
        repo_id: row.get(11)?,
        root: row.get(12)?,
        input: CallInput::from(json::<Value>(row, 13)?.unwrap_or_default()),
        outcome,
        output_tokens: row.get(15)?,
        output_bytes: row.get(16)?,
        gaps: json(row, 17)?.unwrap_or_default(),
        returned: Vec::new(),
        impact: None,
    })
}

/// The call in a row of [`CALL_COLUMNS`] and then [`LIST_COLUMNS`].
pub(crate) fn call_with_lists(row: &Row<'_>) -> rusqlite::Result<CallRecord> {
    let call = call(row)?;
    Ok(CallRecord { returned: json(row, 18)?.unwrap_or_default(), impact: json(row, 19)?, ..call })
}

/// The event in a row of [`FILE_USE_COLUMNS`].
pub(crate) fn file_use(row: &Row<'_>) -> rusqlite::Result<TraceEvent> {
    let (at, event) = (moments::moment(row.get(0)?), row.get::<_, String>(1)?);
    let (session, repo_id) = (row.get(2)?, row.get(3)?);
    let path: Option<String> = row.get(4)?;
    let lines = row.get::<_, Option<u32>>(5)?.zip(row.get(6)?).map(|(start, end)| AccessedLines { start, end });
    let tool: Option<String> = row.get(7)?;
    match (event.as_str(), path) {
        ("opened", path) => {
            let (by, manual) = (tool.unwrap_or_default(), row.get(8)?);
            Ok(FileAccess { at, session, repo_id, path, lines, by, manual }.into())
        }
        ("changed", Some(path)) => Ok(FileEdit { at, session, repo_id, path }.into()),
        ("seen_call", None) => Ok(SeenCall { at, session, repo_id, tool }.into()),
        _ => Err(unexpected(1, "it is no event of a file")),
    }
}

struct FileUse<'a> {
    event: &'static str,
    path: Option<&'a str>,
    lines: Option<AccessedLines>,
    tool: Option<&'a str>,
    manual: bool,
}

impl FileUse<'_> {
    fn insert(self, connection: &Connection, at: SystemTime, session: &str, repo_id: &str) -> rusqlite::Result<()> {
        let sql = format!("INSERT INTO file_uses ({FILE_USE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
        let (start, end) = self.lines.map(|lines| (lines.start, lines.end)).unzip();
        let at = moments::microseconds(at);
        let row = (at, self.event, session, repo_id, self.path, start, end, self.tool, self.manual);
        connection.prepare_cached(&sql)?.execute(row).map(drop)
    }
}

fn insert_call(connection: &Connection, call: &CallRecord) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT OR IGNORE INTO calls ({CALL_COLUMNS}, {LIST_COLUMNS}) VALUES (:id, :parent, :started_at, \
         :duration, :door, :kind, :tool, :task, :step, :client, :session, :repo_id, :root, :input, :outcome, \
         :output_tokens, :output_bytes, :gaps, :returned, :impact)"
    );
    let returned = (!call.returned.is_empty()).then(|| text(&call.returned));
    connection
        .prepare_cached(&sql)?
        .execute(named_params! {
            ":id": call.id.bits() as i64,
            ":parent": call.parent.map(|parent| parent.bits() as i64),
            ":started_at": moments::microseconds(call.started_at),
            ":duration": moments::of_duration(call.duration),
            ":door": call.door.name(),
            ":kind": call.kind.name(),
            ":tool": call.tool,
            ":task": call.task,
            ":step": call.step,
            ":client": call.client,
            ":session": call.session,
            ":repo_id": call.repo_id,
            ":root": call.root,
            ":input": text(&call.input),
            ":outcome": call.outcome.to_string(),
            ":output_tokens": number(call.output_tokens),
            ":output_bytes": number(call.output_bytes),
            ":gaps": text(&call.gaps),
            ":returned": returned,
            ":impact": call.impact.as_ref().map(text),
        })
        .map(drop)
}

/// The number as SQLite's `i64`; the greatest one if it is too large.
fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names, numbers and values of JSON can be written as JSON")
}

/// The JSON in a column; `None` if the column is null.
fn json<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<T>> {
    let Some(text) = row.get::<_, Option<String>>(at)? else { return Ok(None) };
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}

fn unexpected(at: usize, reason: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, Type::Text, reason.into())
}
