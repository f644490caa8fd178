//! `icr bench-recall`

mod bm25;
pub(crate) mod dialogue;
pub(crate) mod provider;
mod ranks;
pub(crate) mod said_share;
pub(crate) mod stored_dialogue;

use clap::Args;
use icr_engine::Strength;
use serde::Serialize;

use crate::arguments::Global;
use crate::output::{Output, Style};
use crate::problem;

use bm25::Bm25;
use dialogue::{Dialogue, KnownQuestion};
use provider::{Provider, ProviderOptions};
use ranks::{EvidenceRanks, RankMeans, ranks_of, shifted};
use said_share::{content_words, said_share};
use stored_dialogue::{StoredDialogue, preamble_of, prompt};

/// The built-in dialogues: name and text.
const DIALOGUES: [(&str, &str); 3] = [
    // tidy: sorted
    ("parser", include_str!("bench_recall/dialogues/parser.txt")),
    ("sign-in", include_str!("bench_recall/dialogues/sign_in.txt")),
    ("storage", include_str!("bench_recall/dialogues/storage.txt")),
    // tidy: end
];

/// Fewest memories that are recalled, so that ranks up to the tenth are seen.
const RANKS_LEAST: usize = 10;

/// Explanation below the table of ranks, at most 80 columns wide.
const LEGEND: [&str; 6] = [
    "R@5      share of the turns that answer a question among the first five,",
    "         out of as many as could be there; MRR: one over the rank of the first",
    "shifted  R@5 of turns half of the dialogue away: what chance gives",
    "bm25     single turns by plain BM25, without the memory",
    "words    recall by words alone; both: by words and vectors",
    "Nothing was tuned on these dialogues; read them beside the baseline.",
];

/// Measure how well recall answers questions about built-in dialogues
///
/// Each dialogue is stored in a temporary memory database, one memory per turn, and its questions are asked. The
/// figures are means over the questions and the same in every run. With a provider, icr also sends each question to the
/// provider's command on standard input: once alone, and once after what was recalled for it. The score of an answer is
/// the share of the evidence's words that it contains; words of the question and stop words do not count. The provider
/// runs without a shell, in an empty directory, for up to 120 seconds per prompt; icr itself sends nothing anywhere.
/// `-v` shows each question.
#[derive(Debug, Args)]
pub(crate) struct BenchRecall {
    /// Memories to recall, for MRR and for the provider; at least ten are used for the ranks
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=icr_memory::RECALL_MOST as i64))]
    limit: u16,
    #[command(flatten)]
    provider: ProviderOptions,
}

/// A method that finds the turns for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum RecallMethod {
    /// Plain BM25 of single turns.
    Bm25,
    /// Recall by words.
    Words,
    /// Recall by words and vectors.
    Both,
}

impl RecallMethod {
    fn name(self) -> &'static str {
        ["bm25", "words", "both"][self as usize]
    }
}

/// The whole result.
#[derive(Debug, Serialize)]
struct RecallBench {
    limit: usize,
    dialogues: Vec<DialogueScores>,
    /// Scores over all questions.
    total: Vec<WayScores>,
    /// Scores of the provider's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<AnswerScores>,
}

/// Scores for one dialogue.
#[derive(Debug, Serialize)]
struct DialogueScores {
    dialogue: String,
    turns: usize,
    /// Number of memories that the turns were stored as; equal turns share one.
    memories: usize,
    ways: Vec<WayScores>,
    /// Each question, in order.
    questions: Vec<QuestionRanks>,
}

/// Scores of one method.
#[derive(Debug, Serialize)]
struct WayScores {
    way: RecallMethod,
    questions: usize,
    #[serde(flatten)]
    means: RankMeans,
    /// The same means for shifted evidence: turns that do not answer the question. A baseline.
    shifted: RankMeans,
    /// How confident recall was.
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<StrengthTable>,
}

/// Confidence of recall for questions about the dialogue itself and for questions about the other dialogues.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct StrengthTable {
    own: StrengthCounts,
    other: StrengthCounts,
}

/// Number of questions by confidence of recall.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct StrengthCounts {
    strong: usize,
    weak: usize,
    none: usize,
}

/// Ranks of a question's evidence, one list per method.
#[derive(Debug, Serialize)]
struct QuestionRanks {
    question: String,
    ranks: Vec<(RecallMethod, EvidenceRanks)>,
}

/// Scores of a provider's answers, as means over questions and runs.
#[derive(Debug, Serialize)]
struct AnswerScores {
    provider: Provider,
    dialogues: Vec<DialogueAnswers>,
    total: AnswerShares,
}

#[derive(Debug, Serialize)]
struct DialogueAnswers {
    dialogue: String,
    #[serde(flatten)]
    shares: AnswerShares,
}

/// Shares of the evidence's words that answers say.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct AnswerShares {
    /// Prompts of each kind.
    questions: usize,
    without_memory: f64,
    with_memory: f64,
    /// The share for turns that do not answer the question, with memory: the baseline for answers that are just long.
    shifted: f64,
}

/// Ranks that one method gave for the questions of one dialogue.
struct WayRanks {
    way: RecallMethod,
    ranks: Vec<EvidenceRanks>,
    shifted: Vec<EvidenceRanks>,
    strength: Option<StrengthTable>,
}

impl BenchRecall {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        // Errors in the options are reported before anything is stored.
        let provider = self.provider.provider()?;
        let dialogues = dialogues()?;
        let limit = usize::from(self.limit);
        let embeds = !global.no_embeddings;
        let mut bench = bench(&dialogues, limit, embeds)?;
        if let Some(provider) = provider {
            let questions: usize = dialogues.iter().map(|dialogue| dialogue.questions.len()).sum();
            provider.announce(questions * 2, global.quiet);
            bench.answers = Some(ask_provider(provider, &dialogues, limit, embeds)?);
        }
        if output.is_json() {
            output.json(&serde_json::to_value(&bench)?)?;
        } else {
            draw(output, &bench, global.verbose > 0)?;
        }
        Ok(problem::OK)
    }
}

fn dialogues() -> anyhow::Result<Vec<Dialogue>> {
    let parsed = DIALOGUES.iter().map(|(name, text)| Dialogue::parse(name, text).map_err(anyhow::Error::msg));
    parsed.collect()
}

fn bench(dialogues: &[Dialogue], limit: usize, embeds: bool) -> anyhow::Result<RecallBench> {
    let mut rows = Vec::new();
    let mut by_way: Vec<WayRanks> = Vec::new();
    for dialogue in dialogues {
        let others: Vec<&KnownQuestion> =
            dialogues.iter().filter(|other| other.name != dialogue.name).flat_map(|other| &other.questions).collect();
        let stored = StoredDialogue::with_all_turns(dialogue, false)?;
        let memories = stored.memories();
        let mut ways =
            vec![by_bm25(dialogue, limit), by_recall(RecallMethod::Words, dialogue, &stored, &others, limit)?];
        if embeds {
            let stored = StoredDialogue::with_all_turns(dialogue, true)?;
            ways.push(by_recall(RecallMethod::Both, dialogue, &stored, &others, limit)?);
        }
        rows.push(DialogueScores {
            dialogue: dialogue.name.clone(),
            turns: dialogue.turns.len(),
            memories,
            ways: ways.iter().map(WayRanks::scores).collect(),
            questions: question_ranks(dialogue, &ways),
        });
        for of_dialogue in ways {
            match by_way.iter_mut().find(|all| all.way == of_dialogue.way) {
                Some(all) => all.add(of_dialogue),
                None => by_way.push(of_dialogue),
            }
        }
    }
    let total = by_way.iter().map(WayRanks::scores).collect();
    Ok(RecallBench { limit, dialogues: rows, total, answers: None })
}

fn by_bm25(dialogue: &Dialogue, limit: usize) -> WayRanks {
    let bm25 = Bm25::new(dialogue.turns.iter().map(dialogue::Turn::text));
    let mut found = WayRanks { way: RecallMethod::Bm25, ranks: Vec::new(), shifted: Vec::new(), strength: None };
    for question in &dialogue.questions {
        found.push(dialogue, question, &bm25.best(&question.text, limit.max(RANKS_LEAST)));
    }
    found
}

fn by_recall(
    way: RecallMethod,
    dialogue: &Dialogue,
    stored: &StoredDialogue<'_>,
    others: &[&KnownQuestion],
    limit: usize,
) -> anyhow::Result<WayRanks> {
    let mut found = WayRanks { way, ranks: Vec::new(), shifted: Vec::new(), strength: None };
    let mut strength = StrengthTable::default();
    let recall = |question: &KnownQuestion| stored.recall(&question.text, limit.max(RANKS_LEAST), dialogue.end());
    for question in &dialogue.questions {
        let answer = recall(question)?;
        strength.own.count(answer.strength);
        found.push(dialogue, question, &stored.turns_of(&answer));
    }
    for question in others {
        strength.other.count(recall(question)?.strength);
    }
    found.strength = Some(strength);
    Ok(found)
}

impl WayRanks {
    fn push(&mut self, dialogue: &Dialogue, question: &KnownQuestion, answer: &[usize]) {
        self.ranks.push(ranks_of(&question.evidence, answer));
        self.shifted.push(ranks_of(&shifted(&question.evidence, dialogue.turns.len()), answer));
    }

    fn add(&mut self, more: Self) {
        self.ranks.extend(more.ranks);
        self.shifted.extend(more.shifted);
        if let (Some(all), Some(more)) = (&mut self.strength, more.strength) {
            all.own.add(more.own);
            all.other.add(more.other);
        }
    }

    fn scores(&self) -> WayScores {
        WayScores {
            way: self.way,
            questions: self.ranks.len(),
            means: RankMeans::of(&self.ranks),
            shifted: RankMeans::of(&self.shifted),
            strength: self.strength,
        }
    }
}

impl StrengthCounts {
    fn count(&mut self, strength: Strength) {
        match strength {
            Strength::Strong => self.strong += 1,
            Strength::Weak => self.weak += 1,
            Strength::None => self.none += 1,
        }
    }

    fn add(&mut self, more: Self) {
        self.strong += more.strong;
        self.weak += more.weak;
        self.none += more.none;
    }
}

fn question_ranks(dialogue: &Dialogue, ways: &[WayRanks]) -> Vec<QuestionRanks> {
    let questions = dialogue.questions.iter().enumerate();
    let ranks = |no: usize| ways.iter().map(|way| (way.way, way.ranks[no].clone())).collect();
    questions.map(|(no, question)| QuestionRanks { question: question.text.clone(), ranks: ranks(no) }).collect()
}

fn ask_provider(
    mut provider: Provider,
    dialogues: &[Dialogue],
    limit: usize,
    embeds: bool,
) -> anyhow::Result<AnswerScores> {
    let mut rows = Vec::new();
    let mut total = AnswerShares::default();
    for dialogue in dialogues {
        let stored = StoredDialogue::with_all_turns(dialogue, embeds)?;
        let mut shares = AnswerShares::default();
        for _ in 0..provider.runs {
            for question in &dialogue.questions {
                let said =
                    |turns: &[usize]| turns.iter().map(|turn| dialogue.turns[*turn].said.clone()).collect::<Vec<_>>();
                let content = content_words(said(&question.evidence), &question.text);
                let elsewhere = shifted(&question.evidence, dialogue.turns.len());
                let other_content = content_words(said(&elsewhere), &question.text);
                let memories = stored.recall(&question.text, limit, dialogue.end())?;
                let alone = provider.answer(&prompt("", &question.text))?;
                let prompt = prompt(&preamble_of(&memories), &question.text);
                let with_memory = provider.answer(&prompt)?;
                shares.questions += 1;
                shares.without_memory += said_share(&content, &alone);
                shares.with_memory += said_share(&content, &with_memory);
                shares.shifted += said_share(&other_content, &with_memory);
            }
        }
        total = total.plus(shares);
        rows.push(DialogueAnswers { dialogue: dialogue.name.clone(), shares: shares.mean() });
    }
    Ok(AnswerScores { provider, dialogues: rows, total: total.mean() })
}

impl AnswerShares {
    fn plus(self, more: Self) -> Self {
        Self {
            questions: self.questions + more.questions,
            without_memory: self.without_memory + more.without_memory,
            with_memory: self.with_memory + more.with_memory,
            shifted: self.shifted + more.shifted,
        }
    }

    /// Turns sums into means.
    fn mean(self) -> Self {
        let mean = |sum: f64| sum / self.questions.max(1) as f64;
        Self {
            questions: self.questions,
            without_memory: mean(self.without_memory),
            with_memory: mean(self.with_memory),
            shifted: mean(self.shifted),
        }
    }
}

fn draw(output: &mut Output, bench: &RecallBench, each_question: bool) -> std::io::Result<()> {
    let head = format!(
        "{:<10}  {:<5}  {:>9}  {:>5}  {:>5}  {:>5}  {:>5}  {:>7}",
        "dialogue", "how", "questions", "R@1", "R@5", "R@10", "MRR", "shifted"
    );
    output.line(output.styled(Style::Faint, head))?;
    for dialogue in &bench.dialogues {
        draw_ways(output, &dialogue.dialogue, &dialogue.ways)?;
    }
    draw_ways(output, "all", &bench.total)?;
    let head =
        format!("\n{:<10}  {:<5}  {:<28}  {}", "how sure", "how", "own questions", "questions of other dialogues");
    output.line(output.styled(Style::Faint, head))?;
    for row in &bench.total {
        let Some(strength) = row.strength else { continue };
        let counts =
            |counts: StrengthCounts| format!("{} strong, {} weak, {} none", counts.strong, counts.weak, counts.none);
        let (own, other) = (counts(strength.own), counts(strength.other));
        output.line(format_args!("{:<10}  {:<5}  {own:<28}  {other}", "all", row.way.name()))?;
    }
    output.line("")?;
    LEGEND.iter().try_for_each(|line| output.line(output.styled(Style::Faint, line)))?;
    if each_question {
        draw_questions(output, bench)?;
    }
    bench.answers.as_ref().map_or(Ok(()), |answers| draw_answers(output, answers))
}

fn draw_ways(output: &mut Output, name: &str, ways: &[WayScores]) -> std::io::Result<()> {
    for (no, row) in ways.iter().enumerate() {
        let name = if no == 0 { name } else { "" };
        let (means, way) = (&row.means, row.way.name());
        output.line(format_args!(
            "{name:<10}  {way:<5}  {:>9}  {:>5.3}  {:>5.3}  {:>5.3}  {:>5.3}  {:>7.3}",
            row.questions, means.recall_at_1, means.recall_at_5, means.recall_at_10, means.mrr, row.shifted.recall_at_5,
        ))?;
    }
    Ok(())
}

fn draw_questions(output: &mut Output, bench: &RecallBench) -> std::io::Result<()> {
    for dialogue in &bench.dialogues {
        output.line(format_args!(
            "\n{}: ranks of the turns that answer",
            output.styled(Style::Name, &dialogue.dialogue)
        ))?;
        for question in &dialogue.questions {
            let rank = |rank: &Option<usize>| rank.map_or("-".to_owned(), |rank| rank.to_string());
            let of_way = |(way, ranks): &(RecallMethod, EvidenceRanks)| {
                format!("{} {}", way.name(), ranks.iter().map(rank).collect::<Vec<_>>().join(" "))
            };
            let ranks: Vec<String> = question.ranks.iter().map(of_way).collect();
            output.line(format_args!("    {}  {}", question.question, ranks.join(", ")))?;
        }
    }
    Ok(())
}

fn draw_answers(output: &mut Output, answers: &AnswerScores) -> std::io::Result<()> {
    output.line(format_args!("\n{}", answers.provider.summary()))?;
    let head = format!(
        "{:<10}  {:>9}  {:>14}  {:>11}  {:>7}",
        "dialogue", "questions", "without memory", "with memory", "shifted"
    );
    output.line(output.styled(Style::Faint, head))?;
    let total = ("all", &answers.total);
    let rows = answers.dialogues.iter().map(|row| (row.dialogue.as_str(), &row.shares)).chain([total]);
    for (name, shares) in rows {
        output.line(format_args!(
            "{name:<10}  {:>9}  {:>14.3}  {:>11.3}  {:>7.3}",
            shares.questions, shares.without_memory, shares.with_memory, shares.shifted
        ))?;
    }
    output.line(output.styled(Style::Faint, "share of the words of the evidence that the answers say"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_dialogues_of_the_program_are_well_formed() {
        let dialogues = dialogues().unwrap();
        assert_eq!(dialogues.len(), DIALOGUES.len());
        assert!(dialogues.iter().all(|dialogue| dialogue.questions.len() >= 14 && dialogue.sessions() >= 4));
    }
}
