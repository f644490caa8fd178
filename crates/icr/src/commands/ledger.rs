//! `icr ledger`

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use icr_agents::LedgerKind;
use serde_json::json;

use super::hook::agent::{ledger_kind_of, ledger_memories};
use super::memory::{memory_error, write_items};
use crate::arguments::Global;
use crate::context::Context;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text, note};
use crate::problem;

/// List decisions, facts, todos, questions and invariants that agents' answers stated in this repository
///
/// The newest come first. The hook at the end of a turn stores what an answer states in a block `Ledger:`, in lines
/// like `DECISION: ...` and `TODO: ...`, and in open boxes `- [ ]`.
#[derive(Debug, Args)]
pub(crate) struct Ledger {
    /// Most entries shown
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    last: u16,
    /// Only entries of this kind
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    kind: Option<EntryKind>,
}

/// Kinds of entries. Changed files are not stored as ledger entries, because git history has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EntryKind {
    /// Must stay true
    Invariant,
    /// Was decided
    Decision,
    /// True and worth knowing
    Fact,
    /// Still to do
    Todo,
    /// Not known yet
    Question,
}

impl From<EntryKind> for LedgerKind {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::Invariant => Self::Invariant,
            EntryKind::Decision => Self::Decision,
            EntryKind::Fact => Self::Fact,
            EntryKind::Todo => Self::Todo,
            EntryKind::Question => Self::Question,
        }
    }
}

impl Ledger {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let memory = MemoryContext::open(global)?;
        let now = now_ms();
        let mut entries = ledger_memories(&memory, &memory.readable()?, now).map_err(memory_error)?;
        let is_empty = entries.is_empty();
        if let Some(kind) = self.kind {
            entries.retain(|memory| ledger_kind_of(memory) == Some(kind.into()));
        }
        let total = entries.len();
        let topics: BTreeSet<String> = entries.iter().map(|memory| memory.topic.clone()).collect();
        entries.truncate(usize::from(self.last));
        let items = memory.memory_items(entries, now);
        let code = if items.is_empty() { problem::FINDING } else { problem::OK };
        if output.is_json() {
            output.json(&json!({ "memories": items, "total_count": total, "topics": topics }))?;
            return Ok(code);
        }
        write_items(output, &items, now, global.verbose > 0)?;
        output.flush()?;
        let name = context.repository_name();
        let remark = match self.kind.map(LedgerKind::from) {
            _ if is_empty => Some(format!(
                "the ledger of `{name}` is empty: agents fill it, by a block `Ledger:` or lines like `DECISION: ...` in their answers, where \
                 the hooks of icr are set up (`icr init`)"
            )),
            Some(kind) if total == 0 => {
                Some(format!("the ledger of `{name}` has entries, and none is a {}", kind.name()))
            }
            _ if total > items.len() => {
                let total = count_text(total as u64, "entry", "entries");
                Some(format!("{} of {total}; `--last` shows more", items.len()))
            }
            _ => None,
        };
        if let Some(remark) = remark.filter(|_| !global.quiet) {
            note(&mut std::io::stderr().lock(), &remark);
        }
        Ok(code)
    }
}
