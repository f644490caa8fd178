//! `icr calibrate`

use clap::Args;
use icr_engine::{CalibrationSource, GateCalibration, ThresholdSource};

use crate::arguments::Global;
use crate::context::{Context, refuse_read_only};
use crate::output::{Output, Style, count_text};
use crate::problem;

/// Widest bar of the distribution, in characters.
const BAR: usize = 40;

/// Work out when one search is enough for a pack, from how this repository answers easy questions
///
/// The questions are names that are defined once. The threshold is set so that one search is enough for three quarters
/// of them. It is kept for this repository and this model. If `rlm.entropy_threshold` is set, it takes precedence.
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// Most questions
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
}

impl Calibrate {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "calibrate")?;
        let context = Context::open(global)?;
        let bar = context.file_bar("asking");
        let (found, provenance) =
            context.ask(|snapshot| icr_engine::calibrate_gate(snapshot, self.limit as usize, &bar))?;
        drop(bar);
        let kept = context.engine.gate_thresholds().keep(&found)?;
        let mut answer = serde_json::to_value(&found)?;
        answer["kept"] = kept.into();
        let code = if kept { problem::OK } else { problem::FINDING };
        output.answer(&answer, &provenance.with_gaps(&found.gaps), code, |output| draw(output, &found, kept))
    }
}

fn draw(output: &mut Output, found: &GateCalibration, kept: bool) -> std::io::Result<()> {
    let normalized: Vec<f64> = found.easy_questions.iter().map(|question| question.entropy_normalized).collect();
    let questions = count_text(normalized.len() as u64, "easy question", "easy questions");
    output.line(format_args!("{questions}, by how undecided the scores are (0: one answer, 1: all are alike)"))?;
    let counts: Vec<usize> = (0..10).map(|tenth| in_tenth(&normalized, tenth)).collect();
    let most = counts.iter().copied().max().unwrap_or_default().max(1);
    for (tenth, count) in counts.iter().enumerate() {
        let bar = output.styled(Style::Name, "#".repeat((count * BAR).div_ceil(most)));
        let space = if *count > 0 { " " } else { "" };
        output.line(format_args!(
            "  {:.1}-{:.1}  {bar}{space}{count}",
            tenth as f64 / 10.0,
            (tenth + 1) as f64 / 10.0
        ))?;
    }
    if let (Some(median), Some(p75)) = (found.calibration.median, found.calibration.p75) {
        output.line(format_args!("half of them up to {median:.3}, three quarters up to {p75:.3}"))?;
    }
    let before = match found.source_before {
        ThresholdSource::Calibrated => "worked out before",
        ThresholdSource::Configured => "configured",
        ThresholdSource::BuiltIn => "built-in",
    };
    let now = match found.calibration.source {
        CalibrationSource::Measured => "three quarters of the questions",
        CalibrationSource::Bounded => "the nearest that is allowed",
        CalibrationSource::TooFewQuestions => "unchanged: 20 questions are the fewest that say anything",
    };
    let (then, after) = (found.entropy_threshold_before, found.calibration.entropy_threshold);
    match kept {
        true => output.line(format_args!("threshold {then:.3} nats ({before}) -> {after:.3} nats ({now})")),
        false => output.line(format_args!("threshold {then:.3} nats ({before}), {now}")),
    }
}

/// Number of values in tenth `tenth` of the range 0 to 1; the last tenth includes 1.
fn in_tenth(values: &[f64], tenth: usize) -> usize {
    values.iter().filter(|value| ((**value * 10.0) as usize).min(9) == tenth).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_one_tenth() {
        let values = [0.0, 0.05, 0.1, 0.99, 1.0];
        let counts: Vec<usize> = (0..10).map(|tenth| in_tenth(&values, tenth)).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    }
}
