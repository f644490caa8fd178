//! `icr pack`

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{
    ExpansionLimits, PackAnswer, PackBudgets, PackMode, PackModeUsed, PackRequest, PackRules, Strength, SubQueryBonus,
};
use serde_json::Value;

use super::pin::now;
use crate::arguments::Global;
use crate::completions;
use crate::config::ResolvedConfig;
use crate::context::Context;
use crate::output::{Output, count_text, note};
use crate::problem::{self, Usage};

/// Most pinned ranges that do not fit but are listed by name.
const PINS_NAMED: usize = 3;

/// Pack the code that answers a question, verbatim and with citations, under a token budget
///
/// One search finds files. From these, icr takes the lines that are most likely needed, definitions and parts of long
/// ones, until the budget is used; headings and fences count. Room is kept for the first three spans that `icr search`
/// shows. With `--mode rlm`, the question is also asked in other words: by the names in it, and by definition, usage,
/// implementation, test and contract. Files pinned with `icr pin` come first and get at most half of the budget. The
/// pack is Markdown on standard output; tokens are counted with o200k_base.
#[derive(Debug, Args)]
pub(crate) struct Pack {
    /// The question, in words
    #[arg(required = true)]
    pub(crate) prompt: Vec<String>,
    /// Most model tokens of the pack, headings included [default: 4000, or `pack.default_budget_tokens` if that is set]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// Files to choose lines from, besides pins
    #[arg(short = 'k', long = "sources", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=50))]
    sources: u8,
    /// Whether to ask the question in other words too
    #[arg(long, value_enum, default_value_t = PackModeArgument::Auto)]
    mode: PackModeArgument,
    /// Prefer files below this path; may be given again
    #[arg(long, value_name = "PATH")]
    focus: Vec<String>,
    /// Pack only pinned files, which may then use the whole budget
    #[arg(long)]
    pinned_only: bool,
    /// Only files in this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Only files below this path
    #[arg(long, value_name = "PREFIX", add = ArgValueCompleter::new(completions::paths))]
    path: Option<String>,
}

/// Ways of making a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PackModeArgument {
    /// One search; several if `rlm.enabled` is set and the scores of the first search do not separate its results well.
    Auto,
    /// One search.
    Pack,
    /// Several searches in other words.
    Rlm,
}

impl From<PackModeArgument> for PackMode {
    fn from(mode: PackModeArgument) -> Self {
        match mode {
            PackModeArgument::Auto => Self::Auto,
            PackModeArgument::Pack => Self::Pack,
            PackModeArgument::Rlm => Self::Rlm,
        }
    }
}

impl Pack {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let config = &context.config;
        let request = PackRequest {
            budget_tokens: self.budget_tokens(config)?,
            k: usize::from(self.sources),
            mode: self.mode.into(),
            focus: self.focus.iter().map(|path| context.path_of(path)).collect(),
            pinned_only: self.pinned_only,
            language: self.lang.clone(),
            path_prefix: context.path(self.path.as_deref()),
            rules: rules(config),
            ..PackRequest::new(self.prompt.join(" "))
        };
        let now = now();
        let (answer, provenance) = context.ask(|snapshot| icr_engine::pack_with_pins(snapshot, &request, now))?;
        if !global.quiet {
            answer.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
            for pin in answer.omitted.iter().filter(|omission| omission.is_pinned).take(PINS_NAMED) {
                tracing::warn!("no room for the pinned lines {}:{}-{}", pin.path, pin.start_line, pin.end_line);
            }
        }
        let is_nothing = answer.sources.is_empty() || answer.strength == Strength::None && !self.pinned_only;
        let code = if is_nothing { problem::FINDING } else { problem::OK };
        let with_metadata = config.get_bool("pack.include_metadata");
        let mut shown = serde_json::to_value(&answer)?;
        if let Value::Object(fields) = &mut shown {
            let left_out = [("metadata", with_metadata), ("citations", config.get_bool("pack.include_citations"))];
            left_out.iter().filter(|(_, kept)| !kept).for_each(|(field, _)| drop(fields.remove(*field)));
        }
        let code = output.answer(&shown, &provenance.with_gaps(&answer.gaps), code, |output| {
            output.line(answer.pack_content.strip_suffix('\n').unwrap_or(&answer.pack_content))
        })?;
        if with_metadata && !global.quiet && !output.is_json() {
            note(&mut std::io::stderr().lock(), &summary(&answer));
        }
        Ok(code)
    }

    /// Token budget: as typed, else as configured.
    fn budget_tokens(&self, config: &ResolvedConfig) -> anyhow::Result<u32> {
        match budgets(config).choose(self.budget) {
            Err(icr_engine::Error::Bounds { allowed, value, .. }) => Err(Usage {
                message: format!("`--budget` is {value}; allowed: {allowed}"),
                hint: Some("`pack.max_budget_tokens` sets the larger of these".to_owned()),
            }
            .into()),
            chosen => Ok(chosen?),
        }
    }
}

/// Token budgets that the configuration allows.
pub(super) fn budgets(config: &ResolvedConfig) -> PackBudgets {
    let tokens = |key| u32::try_from(config.get_integer(key)).unwrap_or(u32::MAX);
    let default = "pack.default_budget_tokens";
    PackBudgets { default: config.is_set(default).then(|| tokens(default)), most: tokens("pack.max_budget_tokens") }
}

/// Rules for packs from the configuration. If nobody set a threshold, the repository's own calibrated one is used.
pub(super) fn rules(config: &ResolvedConfig) -> PackRules {
    let count = |key| usize::try_from(config.get_integer(key)).unwrap_or(usize::MAX);
    let bound = |key| u32::try_from(config.get_integer(key)).unwrap_or(u32::MAX);
    PackRules {
        entropy_threshold: config.is_set("rlm.entropy_threshold").then(|| config.get_float("rlm.entropy_threshold")),
        temperature_factor: config.get_float("retrieval.entropy_temperature"),
        gate_candidates: count("retrieval.gate_candidates"),
        initial_candidates: count("retrieval.initial_candidates"),
        mmr_lambda: config.get_float("retrieval.mmr_lambda"),
        may_expand: config.get_bool("rlm.enabled"),
        limits: ExpansionLimits {
            max_steps: bound("rlm.max_steps"),
            max_peek_lines: bound("rlm.max_peek_lines"),
            max_candidates: bound("rlm.max_candidates"),
        },
        bonus: SubQueryBonus {
            found_again: config.get_float("rlm.duplicate_boost"),
            other_source: config.get_float("rlm.source_diversity_bonus"),
        },
        pin_share: config.get_float("pack.pin_share"),
        contract_factor: match config.get_bool("contract.enabled") {
            true => config.get_float("contract.boost_factor"),
            false => 1.0,
        },
        time_limit: config.get_duration("rlm.timeout"),
    }
}

/// One line about how the pack was made.
fn summary(answer: &PackAnswer) -> String {
    let mode = match answer.gating.mode_used {
        PackModeUsed::Pack => "one search",
        PackModeUsed::Rlm => "asked in other words",
    };
    let metadata = &answer.metadata;
    let reason = serde_json::to_value(answer.gating.gating_reason).unwrap_or_default();
    let reason = match reason.as_str() {
        // Without expansion, one search is what was asked for, so no reason is shown.
        Some("expansion_off") | None => String::new(),
        Some(reason) => format!(" ({reason})"),
    };
    format!(
        "{}, {mode}{reason}: {}, {} from {}, {} of {} tokens",
        answer.strength.name(),
        count_text(metadata.searches as u64, "search", "searches"),
        count_text(answer.sources.len() as u64, "source", "sources"),
        count_text(metadata.sources_considered as u64, "stretch of lines", "stretches of lines"),
        metadata.tokens_used,
        metadata.tokens_budget,
    )
}
