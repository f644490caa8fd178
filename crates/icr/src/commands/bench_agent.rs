//! `icr bench-agent`

use clap::Args;
use serde::Serialize;

use super::bench_recall::dialogue::{Dialogue, KnownQuestion};
use super::bench_recall::provider::{Provider, ProviderOptions};
use super::bench_recall::said_share::says;
use super::bench_recall::stored_dialogue::{StoredDialogue, preamble_of, prompt};
use crate::arguments::Global;
use crate::output::{Output, Style};
use crate::problem;

/// The built-in task.
const TASK: &str = include_str!("bench_agent/task.txt");

/// Memories that are recalled for a question, as many as `icr recall-context` gives.
const LIMIT: usize = 10;

/// Longest context that is examined besides all earlier text, in characters: the size of a preamble.
const CONTEXT_CHARS: usize = 4_000;

/// Explanation below the table, at most 80 columns wide.
const LEGEND: [&str; 6] = [
    "tokens  model tokens of context that the session's questions need:",
    "        memory     what is recalled for each question, at most 4,000 characters",
    "        reread     all earlier sessions, read once",
    "        newest     the last 4,000 characters of these",
    "facts   share of the questions whose answer stands in that context",
    "Tokens of memory grow with the questions, those of rereading with the past.",
];

/// Measure a built-in task over several sessions, with and without memory
///
/// Each session of the task begins with questions about earlier sessions. With memory, every turn is stored when it is
/// said, and each question gets what is recalled for it. Without memory, all earlier sessions are read again. The
/// figures are counts, not times, and the same in every run. With a provider, icr sends each question to the provider's
/// command on standard input three times: alone, after what is recalled, and after all earlier sessions. An answer is
/// right when it contains the expected words. The provider runs without a shell, in an empty directory, for up to 120
/// seconds per prompt; icr itself sends nothing anywhere.
#[derive(Debug, Args)]
pub(crate) struct BenchAgent {
    /// Sessions of the task
    #[arg(short, long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=10))]
    sessions: u8,
    #[command(flatten)]
    provider: ProviderOptions,
}

/// The whole result.
#[derive(Debug, Serialize)]
struct AgentBench {
    sessions: Vec<SessionContext>,
    total: SessionContext,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<AnswerCounts>,
}

/// Context that the questions of one session need to be answered.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct SessionContext {
    /// Number of the session from 1; 0 stands for all sessions together.
    session: usize,
    questions: usize,
    memory: ContextCost,
    reread: ContextCost,
    newest: ContextCost,
}

/// Cost and content of one kind of context.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct ContextCost {
    /// Tokens of the context, counted with o200k_base.
    tokens: u64,
    /// Questions whose answer is in the context.
    facts: usize,
}

/// Right answers of a provider.
#[derive(Debug, Serialize)]
struct AnswerCounts {
    provider: Provider,
    /// Prompts of each kind.
    questions: usize,
    alone: AnswerCost,
    memory: AnswerCost,
    reread: AnswerCost,
}

/// Cost and result of one kind of prompt.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct AnswerCost {
    /// Answers that contain the expected fact.
    right: usize,
    /// Model tokens of the prompts.
    prompt_tokens: u64,
    /// Model tokens of the answers.
    answer_tokens: u64,
}

impl BenchAgent {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        // Errors in the options are reported before anything is stored.
        let mut provider = self.provider.provider()?;
        let task = Dialogue::parse("task", TASK).map_err(anyhow::Error::msg)?;
        let sessions = usize::from(self.sessions).min(task.sessions());
        if let Some(provider) = &provider {
            let questions = task.questions.iter().filter(|question| question.session < sessions).count();
            provider.announce(questions * 3, global.quiet);
        }
        let mut replay = Replay::new(&task, !global.no_embeddings)?;
        let mut bench = AgentBench { sessions: Vec::new(), total: SessionContext::default(), answers: None };
        let mut counts = [AnswerCost::default(); 3];
        for session in 0..sessions {
            let row = replay.session(session, provider.as_mut(), &mut counts)?;
            bench.total.add(&row);
            bench.sessions.push(row);
        }
        let [alone, memory, reread] = counts;
        bench.answers = provider.map(|provider| {
            let questions = bench.total.questions * provider.runs as usize;
            AnswerCounts { provider, questions, alone, memory, reread }
        });
        if output.is_json() {
            output.json(&serde_json::to_value(&bench)?)?;
        } else {
            draw(output, &bench)?;
        }
        Ok(problem::OK)
    }
}

/// The task, session by session.
struct Replay<'a> {
    task: &'a Dialogue,
    stored: StoredDialogue<'a>,
    /// All earlier sessions as text.
    past: String,
}

impl<'a> Replay<'a> {
    fn new(task: &'a Dialogue, embeds: bool) -> anyhow::Result<Self> {
        Ok(Self { task, stored: StoredDialogue::new(task, embeds)?, past: String::new() })
    }

    /// Asks the questions of a session, also of a provider if there is one, then stores the turns of the session.
    /// `counts` are the right answers without context, with memory, and with all earlier sessions.
    fn session(
        &mut self,
        session: usize,
        mut provider: Option<&mut Provider>,
        counts: &mut [AnswerCost; 3],
    ) -> anyhow::Result<SessionContext> {
        let turns = |no: &usize| self.task.turns[*no].session == session;
        let first = (0..self.task.turns.len()).find(turns).unwrap_or(self.task.turns.len());
        let count = (first..self.task.turns.len()).filter(turns).count();
        let questions: Vec<&KnownQuestion> =
            self.task.questions.iter().filter(|question| question.session == session).collect();
        let mut row = SessionContext { session: session + 1, questions: questions.len(), ..SessionContext::default() };
        let newest = ending(&self.past, CONTEXT_CHARS);
        for question in questions {
            let fact = question.fact.as_deref().unwrap_or_default();
            let recalled = self.stored.recall(&question.text, LIMIT, self.task.moment_of(first))?;
            let preamble = preamble_of(&recalled);
            row.memory.tokens += tokens(&preamble);
            for (context, cost) in
                [(preamble.as_str(), &mut row.memory), (&self.past, &mut row.reread), (newest, &mut row.newest)]
            {
                cost.facts += usize::from(says(fact, context));
            }
            let Some(provider) = provider.as_deref_mut() else { continue };
            for _ in 0..provider.runs {
                for (context, cost) in ["", &preamble, &self.past].into_iter().zip(counts.iter_mut()) {
                    let prompt = prompt(context, &question.text);
                    let answer = provider.answer(&prompt)?;
                    cost.right += usize::from(says(fact, &answer));
                    cost.prompt_tokens += tokens(&prompt);
                    cost.answer_tokens += tokens(&answer);
                }
            }
        }
        if row.questions > 0 {
            row.reread.tokens = tokens(&self.past);
            row.newest.tokens = tokens(newest);
        }
        self.stored.store(first..first + count)?;
        for turn in &self.task.turns[first..first + count] {
            self.past += &format!("{}\n", turn.text());
        }
        Ok(row)
    }
}

impl SessionContext {
    fn add(&mut self, more: &Self) {
        self.questions += more.questions;
        self.memory.add(more.memory);
        self.reread.add(more.reread);
        self.newest.add(more.newest);
    }
}

impl ContextCost {
    fn add(&mut self, more: Self) {
        self.tokens += more.tokens;
        self.facts += more.facts;
    }
}

fn tokens(text: &str) -> u64 {
    u64::from(icr_tokens::model_tokens(text.as_bytes()))
}

/// The last `most` characters of a text.
fn ending(text: &str, most: usize) -> &str {
    let before = text.chars().count().saturating_sub(most);
    let at = text.char_indices().nth(before).map_or(text.len(), |(at, _)| at);
    text.get(at..).unwrap_or_default()
}

fn draw(output: &mut Output, bench: &AgentBench) -> std::io::Result<()> {
    let group = format!("{:>18}  {:>16}  {:>14}  {:>14}", "", "memory", "reread", "newest");
    output.line(output.styled(Style::Faint, group.trim_end()))?;
    let ways = format!("  {:>7} {:>6}", "tokens", "facts").repeat(3);
    output.line(output.styled(Style::Faint, format!("{:<7}  {:>9}{ways}", "session", "questions")))?;
    for row in &bench.sessions {
        draw_row(output, &row.session.to_string(), row)?;
    }
    draw_row(output, "all", &bench.total)?;
    output.line("")?;
    LEGEND.iter().try_for_each(|line| output.line(output.styled(Style::Faint, line)))?;
    bench.answers.as_ref().map_or(Ok(()), |answers| draw_answers(output, answers))
}

fn draw_row(output: &mut Output, name: &str, row: &SessionContext) -> std::io::Result<()> {
    let share = |cost: &ContextCost| match row.questions {
        0 => "-".to_owned(),
        questions => format!("{:.3}", cost.facts as f64 / questions as f64),
    };
    let cells = [&row.memory, &row.reread, &row.newest].map(|cost| format!("  {:>7} {:>6}", cost.tokens, share(cost)));
    output.line(format_args!("{name:<7}  {:>9}{}", row.questions, cells.concat()))
}

fn draw_answers(output: &mut Output, answers: &AnswerCounts) -> std::io::Result<()> {
    output.line(format_args!("\n{}", answers.provider.summary()))?;
    let head = format!(
        "{:<8}  {:>9}  {:>5}  {:>13}  {:>13}",
        "context", "questions", "right", "prompt tokens", "answer tokens"
    );
    output.line(output.styled(Style::Faint, head))?;
    for (name, cost) in [("none", &answers.alone), ("memory", &answers.memory), ("reread", &answers.reread)] {
        output.line(format_args!(
            "{name:<8}  {:>9}  {:>5}  {:>13}  {:>13}",
            answers.questions, cost.right, cost.prompt_tokens, cost.answer_tokens
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_of_the_task_has_its_fact_in_earlier_turns_and_gives_it_not_away() {
        let task = Dialogue::parse("task", TASK).unwrap();
        assert_eq!(task.sessions(), 10);
        for question in &task.questions {
            let fact = question.fact.as_deref().unwrap_or_default();
            let is_said = |turn: &usize| says(fact, &task.turns[*turn].said);
            assert!(question.evidence.iter().any(is_said), "{}: `{fact}`", question.text);
            assert!(!says(fact, &question.text), "{}: `{fact}`", question.text);
            let sessions = question.evidence.iter().map(|turn| task.turns[*turn].session);
            assert!(sessions.max().is_some_and(|last| last < question.session), "{}", question.text);
            let said = task.turns.iter().filter(|turn| turn.session < question.session && says(fact, &turn.said));
            assert!(said.count() <= 3, "{}: `{fact}` is said often", question.text);
        }
    }

    #[test]
    fn an_ending_is_cut_between_characters() {
        assert_eq!((ending("aé漢", 2), ending("aé漢", 9), ending("", 3), ending("a", 0)), ("é漢", "aé漢", "", ""));
    }
}
