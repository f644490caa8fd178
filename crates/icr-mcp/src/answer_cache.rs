//! A cache of earlier answers, for calls that run out of time.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use icr_model::even_after_panic;
use rmcp::model::JsonObject;

use crate::reply::{Reply, format_count};
use crate::table::Tool;

/// Most answers kept. Each has at most 12,500 model tokens, some 50 KB; a client repeats only a few questions.
const KEPT: usize = 16;

/// The latest answers of the tools that may give an outdated answer.
#[derive(Debug, Default)]
pub(crate) struct EarlierAnswers {
    /// Answers, the latest last.
    answers: Mutex<VecDeque<(AnswerKey, SystemTime, Reply)>>,
}

/// A question: the tool and its exact arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerKey {
    tool: &'static str,
    arguments: JsonObject,
}

impl AnswerKey {
    /// The key of a call, if its tool may give an outdated answer.
    pub(crate) fn of(tool: &'static Tool, arguments: &JsonObject) -> Option<Self> {
        tool.may_be_stale.then(|| Self { tool: tool.name, arguments: arguments.clone() })
    }
}

impl EarlierAnswers {
    /// Stores an answer in place of the earlier one to the same question.
    pub(crate) fn keep(&self, question: AnswerKey, given: SystemTime, reply: &Reply) {
        let mut answers = self.answers();
        answers.retain(|(other, ..)| *other != question);
        if answers.len() == KEPT {
            answers.pop_front();
        }
        answers.push_back((question, given, reply.clone()));
    }

    /// The stored answer to the same question, with a notice since when it may be outdated.
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
