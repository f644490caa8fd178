//! Options that say what to compute, how to print it, and when to fail.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use icr_engine::impact::Impact;
use icr_engine::impact::report::gate::{self, MEASURES, WORDS};
use icr_engine::impact::report::{Format, Gate, GateError};
use icr_engine::{ChangeSource, ImpactRequest};

/// How far an impact is followed, and how much of it is shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct Bounds {
    /// Steps to follow from the change along references
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=5))]
    depth: u32,
    /// Most dependents, and files in the graph
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=500))]
    max_nodes: u32,
    /// Most edges in the graph
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(10..=2000))]
    max_edges: u32,
}

impl Bounds {
    /// The request about `source` within these bounds.
    pub(crate) fn request(&self, source: ChangeSource) -> ImpactRequest {
        let (max_nodes, max_edges) = (self.max_nodes as usize, self.max_edges as usize);
        ImpactRequest { source, depth: self.depth, max_nodes, max_edges }
    }
}

/// Reads a format by its name, and lists all of them in the help.
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::all().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(names).try_map(|name| Format::from_name(&name))
}

/// When to end with 1.
#[derive(Debug, Clone)]
pub(crate) struct FailOn {
    /// As it was typed.
    pub(crate) text: String,
    gate: Gate,
}

impl FailOn {
    /// Reads conditions.
    ///
    /// # Errors
    ///
    /// With the place of what is not known, and what would be right there.
    pub(crate) fn parse(text: &str) -> Result<Self, GateError> {
        Ok(Self { text: text.to_owned(), gate: gate::parse(text)? })
    }

    /// Why it is met, in words; `None` when it is not.
    pub(crate) fn met_by(&self, impact: &Impact) -> Option<String> {
        self.gate.met_by(impact)
    }

    /// All conditions that there are, for the help.
    pub(crate) fn help() -> String {
        let mut help = String::from(
            "Exit with 1 when this holds, such as `breaking` or `risk>=high,missing`\n\n`,` and `or` join alternatives, `and` \
             binds tighter, `none` never holds. A risk that is not known may be as high as any, so that it meets `risk>=low`.\n",
        );
        let rows = WORDS.iter().map(|word| (word.name.to_owned(), word.about));
        let rows = rows.chain(MEASURES.iter().map(|measure| (format!("{}>=…", measure.name), measure.about)));
        let classes = ("contract:…".to_owned(), "a promise changed like this: `contract:parameter_removed`");
        for (name, about) in rows.chain([classes]) {
            help.push_str(&format!("\n  {name:<14} {about}"));
        }
        help
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_condition() {
        let help = FailOn::help();
        let named = |name: &str| help.lines().any(|line| line.trim_start().starts_with(name));
        assert!(WORDS.iter().all(|word| named(word.name)), "{help}");
        assert!(MEASURES.iter().all(|measure| named(measure.name)), "{help}");
        for example in ["breaking", "risk>=high,missing", "risk>=low", "none", "contract:parameter_removed"] {
            assert!(help.contains(&format!("`{example}`")) && FailOn::parse(example).is_ok(), "{example}: {help}");
        }
    }
}
