//! Reads traces.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use serde::Serialize;

use crate::database::Database;
use crate::metrics::{Metrics, MetricsRequest};
use crate::rows::{CALL_COLUMNS, FILE_USE_COLUMNS, LIST_COLUMNS, call, call_with_lists, file_use};
use crate::{CallId, CallRecord, Door, Error, TraceEvent, join_connections, moments, otlp};

/// Selects calls. A field that is `None` does not restrict the selection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallFilter {
    /// Calls through this door.
    pub door: Option<Door>,
    /// Calls of the tool of this name.
    pub tool: Option<String>,
    /// Calls of this session: of an agent, as [`join_connections`] finds it, or of a connection.
    pub session: Option<String>,
    /// Calls about this repository.
    pub repo_id: Option<String>,
    /// Calls that began at this time or later.
    pub since: Option<SystemTime>,
    /// Only the newest calls, so many.
    pub limit: Option<u32>,
}

/// Selects events. A field that is `None` does not restrict the selection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Events about this repository.
    pub repo_id: Option<String>,
    /// Events at this time or later.
    pub since: Option<SystemTime>,
}

/// Summary of a session, for a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SessionSummary {
    /// Id of the session.
    pub session: String,
    /// The program that called icr, if a call names it.
    pub client: Option<String>,
    /// When its first event happened, in milliseconds since 1970.
    pub started_ms: i64,
    /// When its last event happened.
    pub last_ms: i64,
    /// Number of calls of icr.
    pub calls: u64,
    /// Number of accesses to files.
    pub opened: u64,
    /// Number of changes of files.
    pub changed: u64,
}

/// The traces in a directory, for one reading thread at a time. Others may write at the same time.
#[derive(Debug)]
pub struct Traces {
    database: Database,
}

impl Traces {
    /// The traces in `directory`; `None` where there are none. Changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Newer`], [`Error::Older`], [`Error::Damaged`], [`Error::CutOff`], [`Error::Busy`].
    pub fn open(directory: &Path) -> Result<Option<Self>, Error> {
        Ok(Database::existing(directory)?.map(|database| Self { database }))
    }

    /// The calls that `filter` selects, newest first, without the lists of what they returned;
    /// [`Traces::calls_with_lists`] has these.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], [`Error::Busy`].
    pub fn calls(&self, filter: &CallFilter) -> Result<Vec<CallRecord>, Error> {
        let (sql, values) = self.call_query(CALL_COLUMNS, filter, "DESC")?;
        self.database.read("reading calls", |connection| rows(connection, &sql, values, call))
    }

    /// As [`Traces::calls`], with the lists of what was returned: up to [`crate::LIST_MOST`] entries for each call.
    ///
    /// # Errors
    ///
    /// As [`Traces::calls`].
    pub fn calls_with_lists(&self, filter: &CallFilter) -> Result<Vec<CallRecord>, Error> {
        let (sql, values) = self.call_query(&format!("{CALL_COLUMNS}, {LIST_COLUMNS}"), filter, "DESC")?;
        self.database.read("reading calls", |connection| rows(connection, &sql, values, call_with_lists))
    }

    /// The call with this id, complete.
    ///
    /// # Errors
    ///
    /// As [`Traces::calls`].
    pub fn call(&self, id: CallId) -> Result<Option<CallRecord>, Error> {
        let sql = format!("SELECT {CALL_COLUMNS}, {LIST_COLUMNS} FROM calls WHERE id = ?1");
        let found = self.database.read("reading a call", |connection| {
            rows(connection, &sql, vec![Value::Integer(id.bits() as i64)], call_with_lists)
        })?;
        Ok(found.into_iter().next())
    }

    /// The newest `limit` sessions, newest first.
    ///
    /// # Errors
    ///
    /// As [`Traces::calls`].
    pub fn sessions(&self, limit: u32) -> Result<Vec<SessionSummary>, Error> {
        let sql = "SELECT session, max(client), min(at), max(at), sum(event = 'call'), sum(event = 'opened'), \
             sum(event = 'changed') FROM (SELECT session, client, started_at AS at, 'call' AS event FROM calls \
             WHERE session IS NOT NULL UNION ALL SELECT session, NULL, at, event FROM file_uses) \
             GROUP BY session ORDER BY max(at) DESC, session LIMIT ?1";
        self.database.read("reading sessions", |connection| {
            rows(connection, sql, vec![Value::Integer(limit.into())], |row| {
                Ok(SessionSummary {
                    session: row.get(0)?,
                    client: row.get(1)?,
                    started_ms: row.get::<_, i64>(2)? / 1_000,
                    last_ms: row.get::<_, i64>(3)? / 1_000,
                    calls: row.get(4)?,
                    opened: row.get(5)?,
                    changed: row.get(6)?,
                })
            })
        })
    }

    /// All events that `filter` selects, complete: calls first, and each kind in order of time. The size of the
    /// database bounds the memory that they take.
    ///
    /// # Errors
    ///
    /// As [`Traces::calls`].
    pub fn events(&self, filter: &EventFilter) -> Result<Vec<TraceEvent>, Error> {
        let calls = CallFilter { repo_id: filter.repo_id.clone(), since: filter.since, ..CallFilter::default() };
        let (call_sql, call_values) = self.call_query(&format!("{CALL_COLUMNS}, {LIST_COLUMNS}"), &calls, "ASC")?;
        self.database.read("reading events", |connection| {
            let calls = rows(connection, &call_sql, call_values, call_with_lists)?;
            let mut events: Vec<TraceEvent> = calls.into_iter().map(TraceEvent::from).collect();
            events.extend(file_uses(connection, filter)?);
            Ok(events)
        })
    }

    /// The query for `columns` of the calls that `filter` selects, in order of time. The calls of a session are those
    /// that the metrics count for it; finding them reads the times and tools of all calls.
    fn call_query(&self, columns: &str, filter: &CallFilter, order: &str) -> Result<(String, Vec<Value>), Error> {
        let mut conditions = Conditions::default();
        conditions.add("door = ?", filter.door.map(|door| Value::Text(door.name().to_owned())));
        conditions.add("tool = ?", filter.tool.clone().map(Value::Text));
        if let Some(session) = &filter.session {
            let ids = Value::Text(self.ids_of_session(session, filter)?);
            conditions.add("id IN (SELECT value FROM json_each(?))", Some(ids));
        }
        conditions.add("repo_id = ?", filter.repo_id.clone().map(Value::Text));
        conditions.add("started_at >= ?", filter.since.map(|since| Value::Integer(moments::microseconds(since))));
        let limit = filter.limit.map_or(-1, i64::from);
        let clause = conditions.clause();
        let sql = format!("SELECT {columns} FROM calls{clause} ORDER BY started_at {order}, no {order} LIMIT {limit}");
        Ok((sql, conditions.values))
    }

    /// The ids of the calls of a session, among those of the repository and time that `filter` names, as a JSON array.
    fn ids_of_session(&self, session: &str, filter: &CallFilter) -> Result<String, Error> {
        let all = CallFilter { repo_id: filter.repo_id.clone(), since: filter.since, ..CallFilter::default() };
        let (sql, values) = self.call_query(CALL_COLUMNS, &all, "ASC")?;
        let uses = EventFilter { repo_id: filter.repo_id.clone(), since: filter.since };
        let mut events = self.database.read("reading the calls of a session", |connection| {
            let calls = rows(connection, &sql, values, call)?;
            let mut events: Vec<TraceEvent> = calls.into_iter().map(TraceEvent::from).collect();
            events.extend(file_uses(connection, &uses)?);
            Ok(events)
        })?;
        let mut ids = Vec::new();
        let mut add_calls = |events: &[TraceEvent]| {
            for event in events {
                if let TraceEvent::Call(call) = event
                    && call.session.as_deref() == Some(session)
                {
                    ids.push((call.id.bits() as i64).to_string());
                }
            }
        };
        add_calls(&events);
        join_connections(&mut events);
        add_calls(&events);
        Ok(format!("[{}]", ids.join(",")))
    }

    /// Number of events that recorders reported as dropped since `since`, or in total.
    ///
    /// # Errors
    ///
    /// As [`Traces::calls`].
    pub fn dropped_events_since(&self, since: Option<SystemTime>) -> Result<u64, Error> {
        let since = since.map_or(i64::MIN, moments::microseconds);
        let counts = self.database.read("reading how many events were dropped", |connection| {
            let sql = "SELECT events FROM drops WHERE at >= ?1";
            rows(connection, sql, vec![Value::Integer(since)], |row| row.get::<_, u64>(0))
        })?;
        Ok(counts.into_iter().fold(0, u64::saturating_add))
    }

    /// The metrics that `request` selects, over the stored events, after connections were joined to the sessions of
    /// their agents.
    ///
    /// # Errors
    ///
    /// As [`Traces::calls`].
    pub fn metrics(&self, request: &MetricsRequest) -> Result<Metrics, Error> {
        let mut events = self.events(&EventFilter { since: request.since, ..EventFilter::default() })?;
        join_connections(&mut events);
        Ok(Metrics::of(&events, request, self.dropped_events_since(request.since)?))
    }

    /// Writes the calls that `filter` selects, oldest first, one line each. A line is an `ExportTraceServiceRequest` of
    /// the OpenTelemetry protocol in its JSON encoding, as a collector accepts it and its file exporter writes it.
    /// Returns the number of lines.
    ///
    /// # Errors
    ///
    /// [`Error::Output`], and as [`Traces::calls`].
    pub fn otlp_lines(&self, filter: &CallFilter, writer: &mut dyn Write) -> Result<u64, Error> {
        let (sql, values) = self.call_query(&format!("{CALL_COLUMNS}, {LIST_COLUMNS}"), filter, "DESC")?;
        let (mut calls, roots) = self.database.read("reading calls", |connection| {
            Ok((rows(connection, &sql, values, call_with_lists)?, otlp::Roots::read(connection)?))
        })?;
        calls.reverse();
        for call in &calls {
            otlp::write_line(call, &roots, writer).map_err(Error::Output)?;
        }
        Ok(calls.len() as u64)
    }
}

/// SQL conditions that are joined by AND, and their values.
#[derive(Default)]
struct Conditions {
    texts: Vec<&'static str>,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, text: &'static str, value: Option<Value>) {
        if let Some(value) = value {
            self.texts.push(text);
            self.values.push(value);
        }
    }

    fn clause(&self) -> String {
        if self.texts.is_empty() { String::new() } else { format!(" WHERE {}", self.texts.join(" AND ")) }
    }
}

/// The uses of files that `filter` selects, in order of time.
fn file_uses(connection: &Connection, filter: &EventFilter) -> rusqlite::Result<Vec<TraceEvent>> {
    let mut conditions = Conditions::default();
    conditions.add("repo_id = ?", filter.repo_id.clone().map(Value::Text));
    conditions.add("at >= ?", filter.since.map(|since| Value::Integer(moments::microseconds(since))));
    let sql = format!("SELECT {FILE_USE_COLUMNS} FROM file_uses{} ORDER BY at, no", conditions.clause());
    rows(connection, &sql, conditions.values, file_use)
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    of_row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(sql)?.query_map(params_from_iter(values), of_row)?.collect()
}
