//! `icr pin`

use std::time::UNIX_EPOCH;

use clap::Args;
use icr_engine::PinRequest;

use crate::arguments::Global;
use crate::config::{duration, duration_text};
use crate::context::{Context, refuse_read_only};
use crate::environment;
use crate::output::Output;
use crate::problem::{self, Usage};

/// Shortest life of a pin, in milliseconds: a minute.
const TTL_LEAST_MS: u64 = 60_000;

/// Put a file into every pack of this clone
///
/// Pins stand first in a pack, the newest first, and have at most half of its budget. They are kept apart from the index:
/// neither `icr index --rebuild` nor `icr gc` touches them. Pinning under an id that is taken replaces that pin.
#[derive(Debug, Args)]
pub(crate) struct Pin {
    /// The file, relative to the root of the repository
    path: String,
    /// What to call the pin [default: the path]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// What it is, for people
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// How long it lives, like `7d` or in seconds; `memory.max_pin_ttl` is the most [default: until `icr unpin`]
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
}

impl Pin {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        refuse_read_only(global, "icr pin")?;
        if let Some(revision) = &global.at {
            let message = format!("`icr pin` pins a file of the worktree, not of `{revision}`");
            let hint = Some("leave out `--at`; `icr pack --at REV` shows pinned files as they are there".to_owned());
            return Err(Usage { message, hint }.into());
        }
        let context = Context::open(global)?;
        let most = context.config.get_duration("memory.max_pin_ttl");
        let most_ms = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
        let request = PinRequest {
            source_id: self.id.clone().unwrap_or_else(|| self.path.trim_start_matches("./").to_owned()),
            path: self.path.clone(),
            label: self.label.clone(),
            ttl_seconds: self.ttl.as_deref().map(|ttl| ttl_seconds(ttl, most_ms)).transpose()?,
        };
        let now = now();
        let (pin, provenance) = context.ask(|snapshot| icr_engine::new_pin(snapshot, &request, now))?;
        let pinned = context.engine.pin(&pin)?;
        output.answer(&pinned, &provenance, problem::OK, |output| {
            if global.quiet {
                return Ok(());
            }
            let until = pinned.expires_at.map(|moment| format!(" until {moment}")).unwrap_or_default();
            output.line(format_args!("pinned {} as {}{until}", pinned.path, pinned.source_id))
        })
    }
}

/// What time it is, in seconds since 1970.
pub(crate) fn now() -> i64 {
    let elapsed = environment::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}

/// The seconds that `text` says, as a duration or as a number; a part of a second counts as none.
fn ttl_seconds(text: &str, most_ms: u64) -> Result<u64, Usage> {
    let seconds = text.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1_000));
    match seconds.or_else(|| duration(text)) {
        Some(milliseconds) if (TTL_LEAST_MS..=most_ms).contains(&milliseconds) => Ok(milliseconds / 1_000),
        _ => Err(Usage {
            message: format!(
                "`--ttl` is `{text}`; allowed: {} to {}, or as many seconds",
                duration_text(TTL_LEAST_MS),
                duration_text(most_ms)
            ),
            hint: Some("`memory.max_pin_ttl` is the upper bound; without `--ttl` a pin stays".to_owned()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_are_durations_or_seconds_within_bounds() {
        let week = 7 * 24 * 60 * 60 * 1_000;
        for (text, seconds) in [
            ("60", Some(60)),
            ("59", None),
            ("1m", Some(60)),
            ("59999ms", None),
            ("60500ms", Some(60)),
            ("7d", Some(604_800)),
            ("604800", Some(604_800)),
            ("604801", None),
            ("2w", None),
            ("", None),
            ("-60", None),
            ("a day", None),
            ("99999999999999999999", None),
            ("18446744073709551615", None),
        ] {
            assert_eq!(ttl_seconds(text, week).ok(), seconds, "{text}");
        }
    }
}
