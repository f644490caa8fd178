//! Exports calls as OpenTelemetry spans.
//!
//! The format is `opentelemetry/proto/trace/v1/trace.proto` in the JSON encoding of OTLP ("JSON Protobuf Encoding"):
//! names in lower camel case, ids as hexadecimal digits, enumerations as numbers, 64-bit integers as decimal strings.

use std::collections::HashMap;
use std::io::{self, Write};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{CallOutcome, CallRecord, Door, moments};

/// Deepest nesting of calls that is followed; a search in a run is nested two deep.
const DEPTH_MOST: usize = 32;

/// `SPAN_KIND_INTERNAL` and `SPAN_KIND_SERVER` of `Span.SpanKind`.
const KIND_INTERNAL: u32 = 1;
const KIND_SERVER: u32 = 2;

/// `STATUS_CODE_OK` and `STATUS_CODE_ERROR` of `Status.StatusCode`.
const STATUS_OK: u32 = 1;
const STATUS_ERROR: u32 = 2;

/// The parent of each call that is a step.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    parents: HashMap<i64, i64>,
}

impl Roots {
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare("SELECT id, parent FROM calls WHERE parent IS NOT NULL")?;
        let parents = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        Ok(Self { parents })
    }

    /// The outermost call that `call` is a step of, whether that call was recorded or not.
    fn root_of(&self, call: &CallRecord) -> u64 {
        let mut id = call.id.bits() as i64;
        for _ in 0..DEPTH_MOST {
            match self.parents.get(&id) {
                Some(parent) => id = *parent,
                None => break,
            }
        }
        id as u64
    }
}

/// Writes `call` as one line.
pub(crate) fn write_line(call: &CallRecord, roots: &Roots, writer: &mut dyn Write) -> io::Result<()> {
    let request = json!({"resourceSpans": [{
        "resource": {"attributes": [
            attribute("service.name", text("icr")),
            attribute("service.version", text(env!("CARGO_PKG_VERSION"))),
        ]},
        "scopeSpans": [{
            "scope": {"name": "icr", "version": env!("CARGO_PKG_VERSION")},
            "spans": [span(call, roots)],
        }],
    }]});
    serde_json::to_writer(&mut *writer, &request)?;
    writer.write_all(b"\n")
}

fn span(call: &CallRecord, roots: &Roots) -> Value {
    let (started, ended) = (moments::microseconds(call.started_at), moments::microseconds(call.ended_at()));
    let mut span = json!({
        "traceId": trace_id(roots.root_of(call)),
        "spanId": call.id,
        "name": if call.tool.is_empty() { call.kind.name() } else { call.tool.as_str() },
        "kind": kind(call),
        "startTimeUnixNano": nanoseconds(started),
        "endTimeUnixNano": nanoseconds(ended),
        "attributes": attributes(call),
        "status": status(&call.outcome),
    });
    if let Some(parent) = call.parent {
        span["parentSpanId"] = json!(parent);
    }
    span
}

/// The trace id of an outermost call: the bits of the call's id and further bits computed from them, so that all its
/// steps get the same trace id.
fn trace_id(root: u64) -> String {
    // The mixing function of SplitMix64 (Steele, Lea, Flood 2014), which maps no two numbers to the same one.
    let mut bits = root.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    format!("{:016x}{root:016x}", bits ^ (bits >> 31))
}

fn kind(call: &CallRecord) -> u32 {
    match call.door {
        _ if call.parent.is_some() => KIND_INTERNAL,
        Door::Mcp | Door::McpHttp | Door::Http => KIND_SERVER,
        Door::Cli | Door::Hook => KIND_INTERNAL,
    }
}

fn status(outcome: &CallOutcome) -> Value {
    match outcome {
        CallOutcome::Ok | CallOutcome::Gap => json!({ "code": STATUS_OK }),
        CallOutcome::Error(code) => json!({"code": STATUS_ERROR, "message": code}),
        CallOutcome::Cancelled | CallOutcome::Timeout => json!({"code": STATUS_ERROR, "message": outcome}),
    }
}

/// The attributes of `call`: everything that is known of it, with only the number of the returned spans.
fn attributes(call: &CallRecord) -> Vec<Value> {
    let known = |key, value: Option<&String>| value.map(|value| attribute(key, text(value)));
    let some = [
        Some(attribute("icr.type", text(call.kind.name()))),
        Some(attribute("icr.door", json!({"stringValue": call.door}))),
        known("icr.task_goal", call.task.as_ref()),
        known("icr.step", call.step.as_ref()),
        Some(attribute("icr.input", text(&call.input.value().to_string()))),
        Some(attribute("icr.output_tokens", integer(call.output_tokens))),
        Some(attribute("icr.output_bytes", integer(call.output_bytes))),
        Some(attribute("icr.status", text(&call.outcome.to_string()))),
        Some(attribute("icr.duration_ms", json!({"doubleValue": call.duration.as_secs_f64() * 1_000.0}))),
        Some(attribute("icr.spans_returned", integer(call.returned.len() as u64))),
        (!call.gaps.is_empty()).then(|| {
            let gaps: Vec<Value> = call.gaps.iter().map(|gap| text(gap)).collect();
            attribute("icr.gaps", json!({"arrayValue": {"values": gaps}}))
        }),
        known("icr.client", call.client.as_ref()),
        known("icr.repo_id", call.repo_id.as_ref()),
        known("icr.root", call.root.as_ref()),
        // OpenTelemetry, "Semantic conventions: session".
        known("session.id", call.session.as_ref()),
    ];
    some.into_iter().flatten().collect()
}

fn attribute(key: &str, value: Value) -> Value {
    json!({"key": key, "value": value})
}

fn text(text: &str) -> Value {
    json!({"stringValue": text})
}

fn integer(number: u64) -> Value {
    json!({"intValue": i64::try_from(number).unwrap_or(i64::MAX).to_string()})
}

fn nanoseconds(microseconds: i64) -> String {
    (i128::from(microseconds) * 1_000).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::{CallId, CallInput, CallKind};

    fn parsed(call: &CallRecord, roots: &Roots) -> Value {
        let mut line = Vec::new();
        write_line(call, roots, &mut line).unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        serde_json::from_slice(&line).unwrap()
    }

    fn id(bits: u64) -> CallId {
        CallId::from_bits(bits).unwrap()
    }

    #[test]
    fn a_line_has_the_shape_of_the_protocol() {
        let started_at = SystemTime::UNIX_EPOCH + Duration::from_micros(1_544_712_660_000_001);
        let mut call = CallRecord::new(Door::Mcp, CallKind::Search, "project_search", started_at);
        call.id = id(0xab);
        call.duration = Duration::from_micros(1_500);
        call.session = Some("s\n1".to_owned());
        call.output_tokens = 7;
        call.gaps = vec!["not_embedded".to_owned()];
        call.input = CallInput::new(&json!({"query": "a"}));
        let line = parsed(&call, &Roots::default());
        let expected = json!({"resourceSpans": [{
            "resource": {"attributes": [
                {"key": "service.name", "value": {"stringValue": "icr"}},
                {"key": "service.version", "value": {"stringValue": env!("CARGO_PKG_VERSION")}},
            ]},
            "scopeSpans": [{
                "scope": {"name": "icr", "version": env!("CARGO_PKG_VERSION")},
                "spans": [{
                    "traceId": trace_id(0xab),
                    "spanId": "00000000000000ab",
                    "name": "project_search",
                    "kind": 2,
                    "startTimeUnixNano": "1544712660000001000",
                    "endTimeUnixNano": "1544712660001501000",
                    "attributes": [
                        {"key": "icr.type", "value": {"stringValue": "search"}},
                        {"key": "icr.door", "value": {"stringValue": "mcp"}},
                        {"key": "icr.input", "value": {"stringValue": "{\"query\":\"a\"}"}},
                        {"key": "icr.output_tokens", "value": {"intValue": "7"}},
                        {"key": "icr.output_bytes", "value": {"intValue": "0"}},
                        {"key": "icr.status", "value": {"stringValue": "ok"}},
                        {"key": "icr.duration_ms", "value": {"doubleValue": 1.5}},
                        {"key": "icr.spans_returned", "value": {"intValue": "0"}},
                        {"key": "icr.gaps", "value": {"arrayValue": {"values": [{"stringValue": "not_embedded"}]}}},
                        {"key": "session.id", "value": {"stringValue": "s\n1"}},
                    ],
                    "status": {"code": 1},
                }],
            }],
        }]});
        assert_eq!(line, expected);
        assert_eq!(trace_id(0xab).len(), 32);
    }

    #[test]
    fn parts_of_a_call_are_in_its_trace() {
        let roots = Roots { parents: HashMap::from([(3, 2), (2, 1), (8, 9), (9, 8)]) };
        let mut call =
            CallRecord::new(Door::Http, CallKind::Summary, "", SystemTime::UNIX_EPOCH - Duration::from_secs(9));
        (call.id, call.parent) = (id(3), Some(id(2)));
        call.outcome = CallOutcome::Timeout;
        let span = parsed(&call, &roots)["resourceSpans"][0]["scopeSpans"][0]["spans"][0].take();
        assert_eq!(span["traceId"], trace_id(1));
        assert_eq!(
            (&span["parentSpanId"], &span["kind"], &span["name"]),
            (&json!(id(2)), &json!(1), &json!("summary"))
        );
        assert_eq!(span["status"], json!({"code": 2, "message": "timeout"}));
        assert_eq!(span["startTimeUnixNano"], "0");
        // Calls that form a ring of parents still get a trace.
        call.id = id(8);
        assert_eq!(parsed(&call, &roots)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"], trace_id(8));
    }
}
