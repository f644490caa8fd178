//! A dialogue stored in its own memory database, one memory per turn.

use std::ops::Range;

use icr_memory::{NewMemory, PreambleItem, PreambleLimits, RecallAnswer, RecallRequest, RecordId};
use icr_model::UnixMillis;

use super::dialogue::Dialogue;
use crate::commands::bench::TemporaryMemory;

/// The memories of a dialogue.
pub(crate) struct StoredDialogue<'a> {
    dialogue: &'a Dialogue,
    memory: TemporaryMemory,
    /// Id of the memory of each stored turn.
    ids: Vec<RecordId>,
}

impl<'a> StoredDialogue<'a> {
    /// An empty store for the dialogue; with vectors if `embeds`.
    pub(crate) fn new(dialogue: &'a Dialogue, embeds: bool) -> anyhow::Result<Self> {
        Ok(Self { dialogue, memory: TemporaryMemory::new(embeds)?, ids: Vec::new() })
    }

    /// The dialogue with all turns stored.
    pub(crate) fn with_all_turns(dialogue: &'a Dialogue, embeds: bool) -> anyhow::Result<Self> {
        let mut stored = Self::new(dialogue, embeds)?;
        stored.store(0..dialogue.turns.len())?;
        Ok(stored)
    }

    /// Stores the next turns, each at its moment.
    pub(crate) fn store(&mut self, turns: Range<usize>) -> anyhow::Result<()> {
        for no in turns {
            let Some(turn) = self.dialogue.turns.get(no) else { continue };
            let new = NewMemory { topic: self.dialogue.name.clone(), summary: turn.text(), ..NewMemory::default() };
            let outcome = icr_memory::store(&mut self.memory.database, &new, self.dialogue.moment_of(no))?;
            self.ids.push(outcome.id);
        }
        Ok(())
    }

    /// Number of memories: fewer than turns if two turns say the same.
    pub(crate) fn memories(&self) -> usize {
        let mut ids: Vec<&RecordId> = self.ids.iter().collect();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    }

    /// Recalls memories for a question as of `now`.
    pub(crate) fn recall(&self, question: &str, limit: usize, now: UnixMillis) -> anyhow::Result<RecallAnswer> {
        let request = RecallRequest { query: question.to_owned(), limit, ..RecallRequest::default() };
        Ok(icr_memory::recall(&self.memory.database, &request, now)?)
    }

    /// Indexes of the turns in an answer, best first.
    pub(crate) fn turns_of(&self, answer: &RecallAnswer) -> Vec<usize> {
        let of_memory = |id: &RecordId| {
            let turns = self.ids.iter().enumerate().filter(|(_, other)| *other == id);
            turns.map(|(turn, _)| turn).collect::<Vec<_>>()
        };
        answer.memories.iter().flat_map(|recalled| of_memory(&recalled.memory.id)).collect()
    }
}

/// An answer formatted as a preamble for a prompt, within the default limits.
pub(crate) fn preamble_of(answer: &RecallAnswer) -> String {
    let items: Vec<PreambleItem<'_>> = answer
        .memories
        .iter()
        .map(|recalled| PreambleItem {
            topic: &recalled.memory.topic,
            text: &recalled.memory.summary,
            importance: recalled.memory.importance.name(),
            // Ids have a random part, which would make the token count differ between runs.
            id: RecordId::ulid(recalled.memory.created_at, 0).to_string(),
            ..PreambleItem::default()
        })
        .collect();
    icr_memory::preamble(&items, &PreambleLimits::default())
}

/// The prompt for a question, after a preamble, which may be empty.
pub(crate) fn prompt(preamble: &str, question: &str) -> String {
    let space = if preamble.is_empty() { "" } else { "\n" };
    format!(
        "{preamble}{space}Answer in one or two sentences, with numbers and names as they were said. If you do not know, say so.\n\nQuestion: {question}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_is_recalled_by_turn_and_stands_before_the_prompt() {
        let text =
            "= 1 May\nDeveloper: Which port has the gate?\nAgent: Port 7411.\nDeveloper: Fine.\nDeveloper: Fine.\n";
        let dialogue = Dialogue::parse("gate", text).unwrap();
        let stored = StoredDialogue::with_all_turns(&dialogue, false).unwrap();
        assert_eq!(stored.memories(), 3, "two turns say the same");
        let answer = stored.recall("port 7411", 10, dialogue.end()).unwrap();
        assert_eq!(stored.turns_of(&answer).first(), Some(&1));
        let prompt = prompt(&preamble_of(&answer), "Which port?");
        assert!(prompt.starts_with("<icr-memory> ") && prompt.contains("Agent: Port 7411."), "{prompt}");
        assert!(prompt.ends_with("\n\nQuestion: Which port?\n"), "{prompt}");
        assert!(super::prompt("", "Why?").starts_with("Answer in one"));
    }
}
