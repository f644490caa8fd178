//! `icr pin`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{Moment, PinPriority, PinRequest};

use crate::arguments::Global;
use crate::completions;
use crate::config::{duration, duration_text};
use crate::context::{Context, refuse_read_only};
use crate::memory_context::now_ms;
use crate::output::Output;
use crate::problem::{self, Usage};

/// Shortest life of a pin, in milliseconds: a minute.
const TTL_LEAST_MS: u64 = 60_000;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Put a file into every pack of this clone
///
/// Pins come first in a pack: higher priority first, then newer first. They get at most half of the budget. Pins are
/// stored apart from the index: neither `icr index --rebuild` nor `icr gc` touches them. A pin with an id that exists
/// already replaces that pin.
#[derive(Debug, Args)]
pub(crate) struct Pin {
    /// The file, relative to the root of the repository
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    path: String,
    /// Id of the pin [default: the path]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Label for people
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Lifetime, like `7d` or in seconds; `memory.max_pin_ttl` is the upper bound [default: until `icr unpin`]
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
    /// End of the lifetime: as for `--ttl`, or its last day in UTC, like `2026-12-31`
    #[arg(long, value_name = "TIME|DATE", conflicts_with = "ttl")]
    expires: Option<String>,
    /// Priority among pins, 1 to 10; the highest come first [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=10))]
    priority: Option<u8>,
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
        let now = now();
        let ttl = self.ttl.as_deref().map(|ttl| ttl_seconds("--ttl", ttl, most_ms));
        let expires = || self.expires.as_deref().map(|expires| life_until(expires, now, most_ms));
        let request = PinRequest {
            source_id: self.id.clone().unwrap_or_else(|| context.path_of(&self.path)),
            path: context.path_of(&self.path),
            label: self.label.clone(),
            ttl_seconds: ttl.or_else(expires).transpose()?,
            priority: self.priority.and_then(PinPriority::new).unwrap_or_default(),
        };
        let (pin, provenance) = context.ask(|snapshot| icr_engine::new_pin(snapshot, &request, now))?;
        let pinned = context.engine.pins().set(&pin)?;
        output.answer(&pinned, &provenance, problem::OK, |output| {
            if global.quiet {
                return Ok(());
            }
            let until = pinned.expires_at.map(|moment| format!(" until {moment}")).unwrap_or_default();
            output.line(format_args!("pinned {} as {}{until}", pinned.path, pinned.source_id))
        })
    }
}

/// Current time, to the second.
pub(crate) fn now() -> Moment {
    now_ms().to_moment()
}

/// Parses `text`, the value of `flag`, as a duration or a number of seconds. Returns whole seconds, rounded down.
fn ttl_seconds(flag: &str, text: &str, most_ms: u64) -> Result<u64, Usage> {
    let seconds = text.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1_000));
    match seconds.or_else(|| duration(text)) {
        Some(milliseconds) if (TTL_LEAST_MS..=most_ms).contains(&milliseconds) => Ok(milliseconds / 1_000),
        _ => Err(Usage {
            message: format!(
                "`{flag}` is `{text}`; allowed: {} to {}, or as many seconds",
                duration_text(TTL_LEAST_MS),
                duration_text(most_ms)
            ),
            hint: Some(format!("`memory.max_pin_ttl` is the upper bound; without `{flag}` a pin stays")),
        }),
    }
}

/// Seconds from `now` to the end of the day in `text`, or the duration in it as in
/// [`ttl_seconds`].
fn life_until(text: &str, now: Moment, most_ms: u64) -> Result<u64, Usage> {
    let Some(day) = Moment::of_day(text) else { return ttl_seconds("--expires", text, most_ms) };
    let life = u64::try_from(day.0.saturating_add(DAY_SECONDS).saturating_sub(now.0)).unwrap_or_default();
    if (TTL_LEAST_MS / 1_000..=most_ms / 1_000).contains(&life) {
        return Ok(life);
    }
    // The last day that ends early enough. There is none if the longest lifetime ends before midnight.
    let last = Moment(now.0.saturating_add_unsigned(most_ms / 1_000).saturating_sub(DAY_SECONDS));
    let (today, last) = (now.day().to_string(), last.day().to_string());
    let allowed = if last < today { "no day; name a time, like `1h`".to_owned() } else { format!("{today} to {last}") };
    Err(Usage {
        message: format!("`--expires` is `{text}`; allowed: {allowed}"),
        hint: Some("`memory.max_pin_ttl` is the upper bound; without `--expires` a pin stays".to_owned()),
    })
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
            assert_eq!(ttl_seconds("--ttl", text, week).ok(), seconds, "{text}");
        }
    }

    #[test]
    fn a_pin_lives_to_the_end_of_a_day() {
        // 2024-01-15T10:30:00Z
        const NOW: Moment = Moment(1_705_314_600);
        const TO_MIDNIGHT: u64 = 13 * 3_600 + 1_800;
        let week = 7 * 24 * 60 * 60 * 1_000;
        for (text, seconds) in [
            ("2024-01-15", Some(TO_MIDNIGHT)),
            ("2024-01-16", Some(TO_MIDNIGHT + 86_400)),
            ("2024-01-21", Some(TO_MIDNIGHT + 6 * 86_400)),
            ("2024-01-22", None),
            ("2024-01-14", None),
            ("1969-12-31", None),
            ("9999-12-31", None),
            ("2024-02-30", None),
            ("2d", Some(172_800)),
            ("60", Some(60)),
            ("20240116", None),
            ("tomorrow", None),
        ] {
            assert_eq!(life_until(text, NOW, week).ok(), seconds, "{text}");
        }
        let said = |most_ms| life_until("2024-02-01", NOW, most_ms).unwrap_err().message;
        assert_eq!(said(week), "`--expires` is `2024-02-01`; allowed: 2024-01-15 to 2024-01-21");
        assert_eq!(said(3_600_000), "`--expires` is `2024-02-01`; allowed: no day; name a time, like `1h`");
    }
}
