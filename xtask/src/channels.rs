//! The table of ranking channels, generated from that of `icr-rank`, so that readers see the channels that are used.

use std::fmt::Write;

use icr_rank::{Channel, Weights};

/// A line for each channel, in the order in which an explanation shows them.
pub(crate) fn table() -> String {
    let (hybrid, lexical) = (Weights::hybrid(), Weights::lexical());
    let mut table = "| channel | says of a file | weight | without vectors |\n|---|---|---|---|\n".to_owned();
    for channel in Channel::all() {
        let weights = [hybrid.of(channel), lexical.of(channel)].map(|weight| match weight {
            0.0 => "–".to_owned(),
            weight => weight.to_string(),
        });
        writeln!(table, "| {} | {} | {} |", channel.name(), channel.doc(), weights.join(" | "))
            .expect("a string takes all text");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_one_line_with_its_weights() {
        let table = table();
        assert_eq!(table.lines().count(), 2 + Channel::COUNT);
        assert!(table.contains("| path | how well its path matches | – | 0.08 |\n"), "{table}");
        assert!(table.lines().all(|line| line.matches('|').count() == 5), "{table}");
    }
}
