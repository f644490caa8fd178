//! From a call to its answer.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_engine::{Deadline, ViewSelector};
use icr_memory::Access;
use icr_serve::socket::{Program, RepositorySocket};
use icr_serve::{Attempt, Error, Repositories, Terms, Workshop};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};

use crate::answer_cache::{AnswerKey, EarlierAnswers};
use crate::call::{CallContext, LookedAt, Surroundings};
use crate::progress::Progress;
use crate::reply::failed;
use crate::settings::Settings;
use crate::store_reminder::StoreReminder;
use crate::table::{Effect, Needs, Tool};
use crate::traced::{CallTrace, TracedReply};
use icr_serve::SharedMemory;
use icr_serve::validated;
use icr_serve::{CallFailure, Code};

/// Answers calls.
pub(crate) struct Calls {
    pub(crate) settings: Settings,
    started: SystemTime,
    workshop: Arc<Workshop>,
    socket: Option<Arc<RepositorySocket>>,
    earlier: EarlierAnswers,
    memory: Arc<SharedMemory>,
    looked_at: LookedAt,
    reminder: StoreReminder,
}

/// A call of a tool.
#[derive(Clone)]
pub(crate) struct ToolCall {
    pub(crate) tool: &'static Tool,
    pub(crate) arguments: JsonObject,
    /// Name that the client gave itself.
    pub(crate) client: Option<String>,
    /// What tells the connection from others of the same server, where it has several.
    pub(crate) connection: Option<String>,
}

impl Calls {
    pub(crate) fn new(settings: Settings) -> Self {
        let workshop = Workshop::new(settings.places.clone(), settings.limits.bounds());
        let memory = Arc::new(SharedMemory::new(settings.memory.place.clone()));
        Self::sharing(settings, workshop, memory)
    }

    /// Works in `workshop` and uses `memory`; other interfaces of the process may share both.
    pub(crate) fn sharing(settings: Settings, workshop: Arc<Workshop>, memory: Arc<SharedMemory>) -> Self {
        let started = (settings.clock)();
        let socket = settings.socket.clone().map(|kinds| {
            let program = Program { version: settings.version.clone(), since: started };
            RepositorySocket::new(Arc::clone(workshop.repositories()), &program, kinds, None)
        });
        let reminder = StoreReminder::new(&settings);
        let (earlier, looked_at) = (EarlierAnswers::default(), LookedAt::default());
        Self { settings, started, workshop, socket, earlier, memory, looked_at, reminder }
    }

    /// Opens the local socket if it is configured and there is an index by now.
    pub(crate) fn open_socket(&self) {
        if let Some(socket) = &self.socket {
            socket.open();
        }
    }

    /// Closes the local socket, also while calls are still at work.
    pub(crate) fn close_socket(&self) {
        if let Some(socket) = &self.socket {
            socket.close();
        }
    }

    /// The answer to a call. There always is one.
    pub(crate) async fn answer(self: &Arc<Self>, call: ToolCall, progress: Progress<'_>) -> CallToolResult {
        let tool = call.tool;
        let trace = CallTrace::begin(&self.settings, self.workshop.repositories(), &call);
        let answered = self.work(call, progress).await;
        let is_answered = answered.is_ok();
        // The call may have made the first index.
        self.open_socket();
        let outcome = answered.as_ref().err().map(|failure| failure.code);
        let TracedReply { mut result, traced } =
            answered.unwrap_or_else(|failure| TracedReply::without_trace(failed(failure, tool.form, &self.settings)));
        trace.end(outcome, &result, traced);
        // A separate block, so that the answer's own block remains valid JSON.
        result.content.extend(self.reminder.after(tool, is_answered).map(ContentBlock::text));
        result
    }

    async fn work(self: &Arc<Self>, call: ToolCall, mut progress: Progress<'_>) -> Result<TracedReply, CallFailure> {
        let began = (self.settings.clock)();
        let tool = call.tool;
        let arguments = validated(&tool.schema(), call.arguments)?;
        let limit = (tool.limit)(&self.settings.limits, &arguments);
        let terms = Terms { lane: (tool.lane)(&arguments), limit };
        let question = AnswerKey::of(tool, &arguments);
        let call = ToolCall { arguments, ..call };
        let calls = Arc::clone(self);
        let job = move |repositories: &Repositories, deadline: Deadline| match calls.attempt(
            &call,
            repositories,
            deadline,
            began,
        ) {
            Ok(Attempt::Done(answer)) => Attempt::Done(Ok(answer)),
            Ok(Attempt::NotIndexed(repository)) => Attempt::NotIndexed(repository),
            Err(failure) => Attempt::Done(Err(failure)),
        };
        let answered = match self.workshop.work(terms, job, &mut progress).await {
            Ok(answered) => answered,
            Err(Error::OutOfTime { limit }) => Err(out_of_time(tool, limit)),
            Err(error) => Err(error.into()),
        };
        match (answered, question) {
            (Err(failure), Some(question)) if failure.code == Code::Timeout => {
                let now = (self.settings.clock)();
                let reply = self.earlier.stale(&question, now).ok_or(failure)?;
                Ok(TracedReply::of(reply, &self.settings, now.duration_since(began).unwrap_or_default()))
            }
            (answered, _) => answered,
        }
    }

    fn attempt(
        &self,
        asked: &ToolCall,
        repositories: &Repositories,
        deadline: Deadline,
        began: SystemTime,
    ) -> Result<Attempt<TracedReply>, CallFailure> {
        let ToolCall { tool, mut arguments, client, .. } = asked.clone();
        let question = AnswerKey::of(tool, &arguments);
        let surroundings = Surroundings {
            settings: &self.settings,
            started: self.started,
            memory: &self.memory,
            repositories,
            looked_at: &self.looked_at,
        };
        let call = CallContext::new(&surroundings, client.as_deref(), deadline, &mut arguments);
        if tool.changes_memories() && self.settings.memory.place.access() == Access::Read {
            return Err(read_only(tool));
        }
        // Refuses a repository that may not be asked, even if the tool does not read it.
        if tool.needs == Needs::Nothing && call.names_repository() {
            call.repository()?;
        }
        if tool.needs == Needs::Index {
            let repository = call.repository()?;
            if !repository.is_indexed() {
                return Ok(Attempt::NotIndexed(repository));
            }
        }
        // A revision must name a commit even if the answer does not depend on it.
        if tool.needs != Needs::Index && matches!(call.at, ViewSelector::Revision(_)) {
            call.ask(&*call.repository()?, |_| Ok(()))?;
        }
        let mut reply = (tool.run)(&call, arguments).map_err(|failure| failure.about(&asked.arguments))?;
        // Stored memories belong to the user and are not masked.
        if tool.needs != Needs::Memory {
            reply = reply.masked(&self.settings);
        }
        let now = (self.settings.clock)();
        if let Some(question) = question {
            self.earlier.keep(question, now, &reply);
        }
        let elapsed = now.duration_since(began).unwrap_or_default();
        Ok(Attempt::Done(TracedReply::of(reply, &self.settings, elapsed)))
    }
}

/// What to do about a question about code that ran out of time. Even the smallest one does on a busy machine.
const OUT_OF_TIME: &str =
    "the machine may be busy, or the index still being made; try again, or ask for less where the question is wide";

fn out_of_time(tool: &Tool, limit: Duration) -> CallFailure {
    let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    let what_now = match (tool.needs, tool.effect) {
        (Needs::Memory, Effect::Reads) => "the memory database is busy; ask again",
        (Needs::Memory, Effect::Replaces) => {
            "the memory database is busy; it may or may not be done, so look before calling again"
        }
        // Making the same memoir again fails, and the error says that it exists.
        (Needs::Memory, _) => {
            "the memory database is busy; it may or may not be stored, and storing the same again is harmless"
        }
        _ => OUT_OF_TIME,
    };
    let message = format!("`{}` took longer than {limit_ms} ms; {what_now}", tool.name);
    CallFailure::new(Code::Timeout, message).with("limit_ms", limit_ms)
}

fn read_only(tool: &Tool) -> CallFailure {
    let message = format!("this server was started read-only: `{}` cannot write", tool.name);
    let hint = "a person can start it without `--read-only`, `ICM_READONLY` and `memory.read_only`";
    CallFailure::new(Code::ServiceUnavailable, message).with("engine_code", "STORE_READ_ONLY").hinting([hint])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{TOOLS, find};
    use icr_serve::Lane;

    #[test]
    fn what_changes_memories_waits_in_a_lane_of_its_own() {
        for tool in TOOLS.iter().filter(|tool| tool.needs == Needs::Memory) {
            let lane = if tool.effect == Effect::Reads { Lane::MemoryQuestion } else { Lane::MemoryChange };
            assert_eq!((tool.lane)(&JsonObject::new()), lane, "{}", tool.name);
        }
    }

    #[test]
    fn a_call_whose_time_is_over_says_what_to_do_about_it() {
        let said = |name| out_of_time(find(name).expect("there is such a tool"), Duration::from_secs(5)).message;
        let expected = [
            ("env_search", OUT_OF_TIME),
            ("icm_memory_recall", "the memory database is busy; ask again"),
            (
                "icm_memory_consolidate",
                "the memory database is busy; it may or may not be done, so look before calling again",
            ),
            (
                "icm_memory_store",
                "the memory database is busy; it may or may not be stored, and storing the same again is harmless",
            ),
        ];
        for (name, what_now) in expected {
            assert_eq!(said(name), format!("`{name}` took longer than 5000 ms; {what_now}"));
        }
    }
}
