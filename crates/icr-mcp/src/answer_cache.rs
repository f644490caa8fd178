//! Answers that were given before, for calls whose time is over.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use icr_model::even_after_panic;
use rmcp::model::JsonObject;

use crate::reply::{Reply, format_count};
use crate::table::Tool;

/// Answers kept, each of at most 12,500 model tokens, some 50 KB: what one client asks again and again is few.
const KEPT: usize = 16;

/// The latest answers of the tools that may answer from before.
#[derive(Debug, Default)]
pub(crate) struct EarlierAnswers {
    /// Given last, last.
    answers: Mutex<VecDeque<(AnswerKey, SystemTime, Reply)>>,
}

/// What was asked, word for word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerKey {
    tool: &'static str,
    arguments: JsonObject,
}

impl AnswerKey {
    /// The question of a call, where its tool may answer from before.
    pub(crate) fn of(tool: &'static Tool, arguments: &JsonObject) -> Option<Self> {
        tool.may_be_stale.then(|| Self { tool: tool.name, arguments: arguments.clone() })
    }
}

impl EarlierAnswers {
    /// Keeps an answer in place of the one before it.
    pub(crate) fn keep(&self, question: AnswerKey, given: SystemTime, reply: &Reply) {
        let mut answers = self.answers();
        answers.retain(|(other, ..)| *other != question);
        if answers.len() == KEPT {
            answers.pop_front();
        }
        answers.push_back((question, given, reply.clone()));
    }

    /// The answer to the same question, which says that and since when it may no longer be true.
    pub(crate) fn stale(&self, question: &AnswerKey, now: SystemTime) -> Option<Reply> {
        let answers = self.answers();
        let (_, given, reply) = answers.iter().find(|(other, ..)| other == question)?;
        let seconds = now.duration_since(*given).unwrap_or_default().as_secs();
        let ago = format_count(seconds, "second");
        let note = format!("stale: time was over before anything new was read; this is the answer of {ago} ago");
        Some(reply.clone().noting([note]))
    }

    fn answers(&self) -> MutexGuard<'_, VecDeque<(AnswerKey, SystemTime, Reply)>> {
        even_after_panic(self.answers.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;
    use serde_json::json;

    fn question(tool: &str, prompt: u32) -> Option<AnswerKey> {
        let arguments = json!({ "prompt": prompt.to_string() });
        AnswerKey::of(find(tool).expect("a tool"), arguments.as_object().expect("an object"))
    }

    #[test]
    fn few_answers_are_kept_and_those_given_last() {
        let earlier = EarlierAnswers::default();
        let now = SystemTime::UNIX_EPOCH;
        let ask = |prompt| question("memory_pack", prompt).expect("packs may be stale");
        for prompt in (0..20).chain([10]) {
            earlier.keep(ask(prompt), now, &Reply::text(String::new()));
        }
        let kept: Vec<u32> = (0..20).filter(|prompt| earlier.stale(&ask(*prompt), now).is_some()).collect();
        assert_eq!(kept, (4..20).collect::<Vec<_>>());
        assert!(question("env_peek", 0).is_none(), "lines are never told from before");
    }
}
