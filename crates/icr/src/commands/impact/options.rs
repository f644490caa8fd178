//! Options that say what to compute, how to print it, and when to fail.

use std::ops::RangeInclusive;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use icr_engine::{ChangeSource, ImpactRequest, ImpactRules};
use icr_impact::AnswerLimits;
use icr_impact::Impact;
use icr_impact::contract::Category;
use icr_impact::report::gate::{self, MEASURES, WORDS};
use icr_impact::report::{Format, Gate, GateError};

use crate::config::ResolvedConfig;

/// Limits on how far an impact is followed and how much of it is shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct Bounds {
    /// Steps to follow from the change along references [default: 2, or `impact.depth` where that is set]
    #[arg(long, value_parser = in_range(ImpactRules::DEPTH))]
    depth: Option<u32>,
    /// Most dependents, and files in the graph [default: 100, or `impact.max_nodes` where that is set]
    #[arg(long, value_parser = in_range(ImpactRules::NODES))]
    max_nodes: Option<u32>,
    /// Most edges in the graph [default: 500, or `impact.max_edges` where that is set]
    #[arg(long, value_parser = in_range(ImpactRules::EDGES))]
    max_edges: Option<u32>,
    /// Kinds of contract changes that count in the verdict, joined by `,` [default: all, or `impact.break_categories`
    /// if that is set]
    #[arg(long = "break", value_name = "KINDS", value_delimiter = ',', value_parser = categories())]
    categories: Option<Vec<Category>>,
}

impl Bounds {
    /// The impact request for `source` with these limits; a limit that was not given comes from the configuration.
    pub(crate) fn request(&self, source: ChangeSource, config: &ResolvedConfig) -> ImpactRequest {
        let rules = rules(config).with_requested_limits(self.depth, self.max_nodes, self.max_edges);
        let asked = self.categories.as_ref().map(|asked| asked.iter().copied().collect());
        ImpactRequest { source, rules: ImpactRules { categories: asked.unwrap_or(rules.categories), ..rules } }
    }
}

/// Settings of the configuration for following and reporting changes.
pub(crate) fn rules(config: &ResolvedConfig) -> ImpactRules {
    let count = |key| usize::try_from(config.get_integer(key)).unwrap_or(usize::MAX);
    ImpactRules {
        depth: u32::try_from(config.get_integer("impact.depth")).unwrap_or(u32::MAX),
        hop_decay: config.get_float("impact.hop_decay"),
        most: AnswerLimits {
            nodes: count("impact.max_nodes"),
            edges: count("impact.max_edges"),
            expected: count("impact.max_expected"),
            missing: count("impact.max_missing"),
            review: count("impact.max_review"),
        },
        categories: config
            .get_list("impact.break_categories")
            .iter()
            .filter_map(|name| Category::of_name(name))
            .collect(),
    }
}

/// Parser for a category's name; the help lists all names.
fn categories() -> impl TypedValueParser<Value = Category> {
    let names = Category::ALL.map(|category| PossibleValue::new(category.name()).help(category.about()));
    PossibleValuesParser::new(names).map(|name| Category::of_name(&name).expect("only names of categories are taken"))
}

fn in_range(range: RangeInclusive<u32>) -> impl TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(i64::from(*range.start())..=i64::from(*range.end()))
}

/// Parser for a format's name; the help lists all names.
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::all().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(names).try_map(|name| Format::from_name(&name))
}

/// Conditions under which the exit code is 1.
#[derive(Debug, Clone)]
pub(crate) struct FailOn {
    /// The conditions as typed.
    pub(crate) text: String,
    /// The option or key that they were given with.
    pub(crate) name: &'static str,
    pub(super) gate: Gate,
}

impl FailOn {
    /// Reads conditions.
    ///
    /// # Errors
    ///
    /// The position of the unknown word, and what is allowed there.
    pub(crate) fn parse(text: &str) -> Result<Self, GateError> {
        Ok(Self { text: text.to_owned(), name: "--fail-on ", gate: gate::parse(text)? })
    }

    /// The conditions in `impact.fail_on`; `None` if it is not set.
    pub(crate) fn configured(config: &ResolvedConfig) -> Option<Self> {
        let text = Some(config.get_text("impact.fail_on")).filter(|text| !text.is_empty());
        let parse = |text| Self::parse(text).expect("the configuration takes nothing else");
        text.map(|text| Self { name: "impact.fail_on = ", ..parse(text) })
    }

    /// Why a condition is met, in words; `None` if none is met.
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
        let classes = ("contract:…".to_owned(), "a contract changed like this: `contract:parameter_removed`");
        for (name, about) in rows.chain([classes]) {
            help.push_str(&format!("\n  {name:<14} {about}"));
        }
        help
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn what_nobody_configures_is_what_the_engine_has() {
        let built_in = config::resolve(&config::ConfigurationLayers::default()).expect("nothing is wrong");
        assert_eq!(rules(&built_in), ImpactRules::default());
    }

    #[test]
    fn categories_are_those_that_are_asked_for_else_those_of_the_configuration() {
        let flags = [("impact.break_categories".to_owned(), "API".to_owned())];
        let config =
            config::resolve(&config::ConfigurationLayers { flags: &flags, ..config::ConfigurationLayers::default() })
                .expect("it is valid");
        let counted = |categories: Option<Vec<Category>>| {
            let bounds = Bounds { depth: None, max_nodes: None, max_edges: None, categories };
            let rules = bounds.request(ChangeSource::Worktree, &config).rules;
            Category::ALL.map(|category| rules.categories.has(category))
        };
        assert_eq!(counted(None), [true, false, false]);
        assert_eq!(counted(Some(vec![Category::File, Category::Wire])), [false, true, true]);
    }

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
