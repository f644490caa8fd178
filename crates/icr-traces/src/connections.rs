//! Finds the agent session of each connection's calls.
//!
//! A connection from an agent to icr does not know the agent's session. The agent's hooks tell icr the session, but not
//! the connection. But the host calls its hook right after the answer, so time and tool name show which hook belongs to
//! which call.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use crate::{Door, SeenCall, TraceEvent};

/// Longest time between an answer and its hook: hosts start a process for the hook, also on a busy machine.
const HOOK_DELAY_MOST: Duration = Duration::from_secs(5);

/// Sets the agent's session on calls through MCP and the command line, where hooks reported it
/// ([`TraceEvent::SeenCall`]).
///
/// All calls of a connection belong to one session, which is found by votes. A call votes for the session whose hook
/// came first for the same tool, within five seconds after the answer. The session with the most votes wins. If there
/// are no votes, or two sessions have equally many, the connection keeps its own name. A call of the command line
/// without a session is treated as a connection of its own.
pub fn join_connections(events: &mut [TraceEvent]) {
    let mut seen: Vec<SeenCall> = events
        .iter()
        .filter_map(|event| if let TraceEvent::SeenCall(seen) = event { Some(seen.clone()) } else { None })
        .collect();
    seen.sort_by(|a, b| (a.at, &a.session).cmp(&(b.at, &b.session)));
    let mut votes: HashMap<String, HashMap<String, u64>> = HashMap::new();
    for event in &mut *events {
        let TraceEvent::Call(call) = event else { continue };
        if call.parent.is_some() {
            continue;
        }
        match (&call.session, call.door) {
            (Some(connection), Door::Mcp | Door::McpHttp) => {
                if let Some(hook) = first_hook(&seen, call.ended_at(), Some(&call.tool)) {
                    *votes.entry(connection.clone()).or_default().entry(hook.session.clone()).or_default() += 1;
                }
            }
            (None, Door::Cli) => {
                if let Some(hook) = first_hook(&seen, call.ended_at(), None) {
                    call.session = Some(hook.session.clone());
                }
            }
            _ => {}
        }
    }
    for event in events {
        let TraceEvent::Call(call) = event else { continue };
        if matches!(call.door, Door::Mcp | Door::McpHttp)
            && let Some(session) = call.session.as_ref().and_then(|connection| most_voted(votes.get(connection)?))
        {
            call.session = Some(session.to_owned());
        }
    }
}

/// The first hook that was called for `tool` after `answered`.
fn first_hook<'a>(seen: &'a [SeenCall], answered: SystemTime, tool: Option<&str>) -> Option<&'a SeenCall> {
    let first = seen.partition_point(|seen| seen.at < answered);
    let in_time = seen[first..]
        .iter()
        .take_while(|seen| seen.at.duration_since(answered).is_ok_and(|delay| delay <= HOOK_DELAY_MOST));
    in_time.into_iter().find(|seen| seen.tool.as_deref() == tool)
}

/// The session with the most votes; `None` if there is no single one.
fn most_voted(votes: &HashMap<String, u64>) -> Option<&str> {
    let most = votes.values().max()?;
    let mut first = votes.iter().filter(|(_, count)| *count == most);
    match (first.next(), first.next()) {
        (Some((session, _)), None) => Some(session),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallKind, CallRecord};

    fn at(ms: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(ms)
    }

    fn call(ms: u64, door: Door, session: Option<&str>, tool: &str) -> TraceEvent {
        let call = CallRecord::new(door, CallKind::Search, tool, at(ms));
        CallRecord { session: session.map(str::to_owned), duration: Duration::from_millis(10), ..call }.into()
    }

    fn seen_call(ms: u64, session: &str, tool: Option<&str>) -> TraceEvent {
        let (session, repo_id) = (session.to_owned(), "r".to_owned());
        SeenCall { at: at(ms), session, repo_id, tool: tool.map(str::to_owned) }.into()
    }

    #[track_caller]
    fn check(mut events: Vec<TraceEvent>, expected: &[Option<&str>]) {
        join_connections(&mut events);
        let calls = events.iter().filter(|event| matches!(event, TraceEvent::Call(_)));
        assert_eq!(calls.map(TraceEvent::session).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_connection_is_of_the_session_whose_hooks_follow_its_calls() {
        check(
            vec![
                seen_call(5_300, "a", Some("find")),
                seen_call(300, "a", Some("search")),
                seen_call(320, "b", Some("search")),
                call(100, Door::Mcp, Some("connection 1"), "search"),
                call(5_000, Door::Mcp, Some("connection 1"), "find"),
                call(90_000, Door::Mcp, Some("connection 1"), "other"),
                call(310, Door::Mcp, Some("connection 2"), "search"),
            ],
            &[Some("a"), Some("a"), Some("a"), Some("b")],
        );
    }

    #[test]
    fn what_no_hook_follows_or_two_sessions_claim_stays() {
        check(
            vec![
                seen_call(105, "a", Some("search")),
                seen_call(6_000, "a", Some("search")),
                call(100, Door::Mcp, Some("connection 1"), "search"),
                seen_call(10_100, "a", Some("search")),
                seen_call(20_100, "b", Some("search")),
                call(10_000, Door::Mcp, Some("connection 2"), "search"),
                call(20_000, Door::Mcp, Some("connection 2"), "search"),
                seen_call(30_100, "a", Some("find")),
                call(30_000, Door::McpHttp, Some("connection 3"), "search"),
                call(30_000, Door::Hook, Some("b"), "find"),
            ],
            &[Some("connection 1"), Some("connection 2"), Some("connection 2"), Some("connection 3"), Some("b")],
        );
    }

    #[test]
    fn a_command_is_of_the_session_whose_shell_ran_it() {
        check(
            vec![
                call(100, Door::Cli, None, "search"),
                seen_call(200, "a", None),
                call(9_000, Door::Cli, None, "search"),
            ],
            &[Some("a"), None],
        );
    }
}
