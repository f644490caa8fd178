//! Finds tests that lead to changed definitions: follows definitions that refer to them, then those that refer to
//! these, and so on.

use std::collections::{BTreeMap, BTreeSet};

use icr_model::RepoPath;

/// [`Caller::weight`] of the type that contains a changed method: code that creates a value of the type may call the
/// method. Of 0.1, 0.25, 0.5 and 0.8, this value gave the best order of tests on the coverage of four public Python
/// projects.
pub const MEMBER: f64 = 0.1;

/// What a strength is multiplied by for each step; chosen as [`MEMBER`], with little difference between 0.3 and 0.7.
const STEP: f64 = 0.5;

/// A strength is divided by the number of callers to this power, because a definition with many callers tells little
/// about any one of them. It was chosen like [`MEMBER`]; values from 0.3 to 0.8 make little difference. Without it, the
/// first quarter of the list loses 0.03 of the recall.
const SPREAD: f64 = 0.3;

/// Most steps. Up to 6 each adds recall, beyond nothing changes.
const STEPS: u32 = 6;

/// Most definitions followed at one distance, the strongest. All of them give the same order, for twice the questions.
const FOLLOWED: usize = 50;

/// Who may run a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller<D> {
    /// The code that refers to the definition.
    pub by: Referrer<D>,
    /// Certainty of the reference, in `0.0..=1.0`: the share of it that goes to the definition. [`MEMBER`] for the type
    /// that contains a method; 1 for the function that contains a nested one, and for references to the type of a
    /// constructor.
    pub weight: f64,
    /// References, 1 or more.
    pub references: u32,
}

/// What refers to a definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Referrer<D> {
    /// Another definition. What the top level of a file says leads nowhere: everything that imports it would follow, and
    /// the order of tests is no better for it.
    Definition(D),
    /// A test file, anywhere in it.
    Test(RepoPath),
}

/// How a test leads to what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct TestReach<D> {
    /// Steps of the shortest way, 1 when the test itself refers to a changed definition.
    pub distance: u32,
    /// References to changed definitions, the most referred to first.
    pub direct: Vec<(D, u32)>,
    /// Sum over all that the test refers to of how strongly that leads to the change; above 0, and seldom above 10.
    pub strength: f64,
    /// The strongest way: from what the test refers to, to the changed definition; one entry for a direct reference.
    pub through: Vec<D>,
}

/// Follows callers from `changed` to tests and computes for each test how strongly it leads to the change. `callers`
/// returns the callers of each given definition, in the same order. It is called once for each of 6 distances: with all
/// of `changed`, then with at most 50 definitions.
///
/// The result depends on neither the order of `changed` nor that of callers.
///
/// # Errors
///
/// Those of `callers`.
pub fn reach<D: Ord + Clone, E>(
    changed: &[D],
    mut callers: impl FnMut(&[D]) -> Result<Vec<Vec<Caller<D>>>, E>,
) -> Result<BTreeMap<RepoPath, TestReach<D>>, E> {
    // What each definition leads to: strength, and the next one on the way to the change.
    let mut known: BTreeMap<D, (f64, Option<D>)> = changed.iter().map(|one| (one.clone(), (1.0, None))).collect();
    let mut tests: BTreeMap<RepoPath, PartialTestReach<D>> = BTreeMap::new();
    let mut level: Vec<D> = known.keys().cloned().collect();
    for distance in 1..=STEPS {
        let mut next: BTreeMap<D, (f64, Option<D>)> = BTreeMap::new();
        for (at, by) in level.iter().zip(callers(&level)?) {
            let by = merged(at, by);
            let spread = (by.len().max(1) as f64).powf(SPREAD);
            let strength_here = known[at].0;
            for (by, (weight, references)) in by {
                let strength = strength_here * STEP * weight / spread;
                match by {
                    Referrer::Test(path) => tests.entry(path).or_default().add(at, distance, strength, references),
                    Referrer::Definition(other) if known.contains_key(&other) => {}
                    Referrer::Definition(other) => {
                        let stronger = next.get(&other).is_none_or(|(before, _)| strength > *before);
                        if stronger {
                            next.insert(other, (strength, Some(at.clone())));
                        }
                    }
                }
            }
        }
        let mut strongest: Vec<(D, (f64, Option<D>))> = next.into_iter().collect();
        strongest.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
        strongest.truncate(FOLLOWED);
        level = strongest.iter().map(|(definition, _)| definition.clone()).collect();
        // In their order, so that of two equally strong ways always the same one is kept.
        level.sort();
        known.extend(strongest);
    }
    Ok(tests.into_iter().map(|(path, found)| (path, found.into_reach(&known))).collect())
}

/// One entry for each caller, with the highest weight and the sum of references. References from a definition to itself
/// are ignored.
fn merged<D: Ord>(of: &D, callers: Vec<Caller<D>>) -> BTreeMap<Referrer<D>, (f64, u32)> {
    let mut merged = BTreeMap::new();
    for caller in callers {
        let is_itself = matches!(&caller.by, Referrer::Definition(by) if by == of);
        if is_itself || caller.weight.is_nan() || caller.weight <= 0.0 {
            continue;
        }
        let (weight, references) = merged.entry(caller.by).or_insert((0.0_f64, 0_u32));
        *weight = weight.max(caller.weight.min(1.0));
        *references = references.saturating_add(caller.references);
    }
    merged
}

/// What is known of a test while callers are followed.
struct PartialTestReach<D> {
    distance: u32,
    direct: Vec<(D, u32)>,
    /// Kept apart until the end, so that they can be added in one order.
    strengths: Vec<f64>,
    strongest: Option<(f64, D)>,
}

impl<D> Default for PartialTestReach<D> {
    fn default() -> Self {
        Self { distance: u32::MAX, direct: Vec::new(), strengths: Vec::new(), strongest: None }
    }
}

impl<D: Ord + Clone> PartialTestReach<D> {
    fn add(&mut self, at: &D, distance: u32, strength: f64, references: u32) {
        self.distance = self.distance.min(distance);
        if distance == 1 {
            self.direct.push((at.clone(), references));
        }
        // A second reference says less than the first.
        let strength = strength * (1.0 + f64::from(references.max(1)).ln());
        self.strengths.push(strength);
        if self.strongest.as_ref().is_none_or(|(before, _)| strength > *before) {
            self.strongest = Some((strength, at.clone()));
        }
    }

    fn into_reach(mut self, known: &BTreeMap<D, (f64, Option<D>)>) -> TestReach<D> {
        self.strengths.sort_by(f64::total_cmp);
        self.direct.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut through: Vec<D> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut at = self.strongest.map(|(_, definition)| definition);
        while let Some(definition) = at {
            at = known.get(&definition).and_then(|(_, next)| next.clone());
            if !seen.insert(definition.clone()) {
                break;
            }
            through.push(definition);
        }
        TestReach { distance: self.distance, direct: self.direct, strength: self.strengths.iter().sum(), through }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    /// Follows edges `definition < caller *references ~weight`, where names with a dot are tests.
    fn format_reach(changed: &[&str], edges: &str) -> String {
        let parse = |line: &str| {
            let mut parts = line.split_whitespace();
            let (callee, _, caller) = (parts.next()?.to_owned(), parts.next()?, parts.next()?.to_owned());
            let (mut references, mut weight) = (1, 1.0);
            for part in parts {
                match part.split_at(1) {
                    ("*", number) => references = number.parse().ok()?,
                    (_, number) => weight = number.parse().ok()?,
                }
            }
            let by = if caller.contains('.') {
                Referrer::Test(caller.as_str().into())
            } else {
                Referrer::Definition(caller)
            };
            Some((callee, Caller { by, weight, references }))
        };
        let edges: Vec<(String, Caller<String>)> = edges.lines().filter_map(parse).collect();
        let changed: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
        let of = |of: &String| edges.iter().filter(|(callee, _)| callee == of).map(|(_, by)| by.clone()).collect();
        let found = reach(&changed, |level| Ok::<_, Infallible>(level.iter().map(of).collect()));
        let Ok(found) = found;
        let mut rows: Vec<_> = found.into_iter().collect();
        rows.sort_by(|a, b| b.1.strength.total_cmp(&a.1.strength).then_with(|| a.0.cmp(&b.0)));
        let row = |(path, reach): (RepoPath, TestReach<String>)| {
            let direct: Vec<String> = reach.direct.iter().map(|(name, count)| format!("{name}*{count}")).collect();
            format!(
                "{path} {} {:.3} through {} direct [{}]\n",
                reach.distance,
                reach.strength,
                reach.through.join(">"),
                direct.join(" ")
            )
        };
        rows.into_iter().map(row).collect()
    }

    #[track_caller]
    fn check(changed: &[&str], edges: &str, expected: &str) {
        assert_eq!(format_reach(changed, edges), expected);
    }

    #[test]
    fn direct_references_come_before_those_of_callers() {
        check(
            &["echo"],
            "echo < a.t\necho < print\nprint < b.t\n",
            "a.t 1 0.406 through echo direct [echo*1]\nb.t 2 0.203 through print>echo direct []\n",
        );
    }

    #[test]
    fn more_references_are_stronger_but_not_as_many_times() {
        check(
            &["echo"],
            "echo < a.t *3\necho < b.t\n",
            "a.t 1 0.852 through echo direct [echo*3]\nb.t 1 0.406 through echo direct [echo*1]\n",
        );
    }

    #[test]
    fn what_everybody_calls_tells_less_about_each() {
        check(
            &["rare", "common"],
            "rare < a.t\ncommon < b.t\ncommon < c.t\ncommon < d.t\n",
            "a.t 1 0.500 through rare direct [rare*1]\n\
             b.t 1 0.360 through common direct [common*1]\n\
             c.t 1 0.360 through common direct [common*1]\n\
             d.t 1 0.360 through common direct [common*1]\n",
        );
    }

    #[test]
    fn all_ways_count_and_the_strongest_is_told() {
        check(
            &["deep"],
            "deep < one\ndeep < two ~0.5\none < a.t\ntwo < a.t\n",
            "a.t 2 0.305 through one>deep direct []\n",
        );
    }

    #[test]
    fn circles_end_and_weights_out_of_bounds_are_bounded() {
        check(&["a"], "a < b ~7\nb < a\nb < b\nb < x.t\na < y.t ~-1\n", "x.t 2 0.203 through b>a direct []\n");
    }

    #[test]
    fn a_way_ends_after_six_steps() {
        let chain: String = (0..8).map(|no| format!("d{no} < d{}\nd{no} < t{no}.t\n", no + 1)).collect();
        assert_eq!(format_reach(&["d0"], &chain).lines().count(), 6);
    }

    #[test]
    fn each_definition_is_asked_once_and_few_at_each_distance() {
        let mut asked = 0;
        let found = reach(&[1_u64], |level| {
            asked += level.len();
            let by = |other: u64| Caller { by: Referrer::Definition(other), weight: 1.0, references: 1 };
            Ok::<_, Infallible>(level.iter().map(|of| (0..1000).map(|no| by(of * 1000 + no)).collect()).collect())
        });
        assert_eq!(found, Ok(BTreeMap::new()));
        assert_eq!(asked, 1 + 5 * 50);
    }

    #[test]
    fn errors_of_the_source_are_passed_on() {
        assert_eq!(reach(&[1], |_| Err::<Vec<Vec<Caller<i32>>>, _>("no store")), Err("no store"));
    }

    proptest! {
        #[test]
        fn order_of_input_does_not_matter(edges in prop::collection::vec((0..8_u8, 0..12_u8, 1..4_u32), 0..40)) {
            let by = |no: u8| if no < 8 { Referrer::Definition(no) } else { Referrer::Test(RepoPath::from(format!("{no}").as_str())) };
            let run = |edges: &[(u8, u8, u32)], changed: &[u8]| {
                let caller = |(_, no, references): &(u8, u8, u32)| Caller { by: by(*no), weight: 0.7, references: *references };
                let callers = |of: &u8| edges.iter().filter(|(callee, ..)| callee == of).map(caller).collect();
                reach(changed, |level| Ok::<_, Infallible>(level.iter().map(callers).collect()))
            };
            let reversed: Vec<_> = edges.iter().rev().copied().collect();
            prop_assert_eq!(run(&edges, &[0, 1]), run(&reversed, &[1, 0]));
        }
    }
}
