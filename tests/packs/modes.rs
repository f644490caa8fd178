//! When one search is enough, and what is asked when it is not.

use std::fs;
use std::time::Duration;

use icr_engine::{
    Backend, CalibrationSource, EmbeddingOptions, Engine, OpenOptions, PackMode, PackModeUsed, PackRequest, PackRules,
    ThresholdSource,
};
use icr_fixture::Fixture;

use crate::asking::{World, pack, snapshot, timeless};
use crate::repository::questions;

/// Two of every three questions of the fixture, which are sorted by kind.
fn forty_questions() -> Vec<String> {
    let questions = questions().into_iter().enumerate();
    let kept: Vec<String> = questions.filter(|(at, _)| at % 3 != 2).map(|(_, question)| question.query).collect();
    assert_eq!(kept.len(), 40);
    kept
}

#[test]
fn one_search_is_enough_for_some_questions_and_not_for_others() {
    let world = World::new();
    let snapshot = world.snapshot();
    let mut by_mode = [0, 0];
    let mut shown = String::new();
    for question in forty_questions() {
        let rules = PackRules { may_expand: true, ..PackRules::default() };
        let answer = pack(&snapshot, &PackRequest { rules, ..PackRequest::new(&question) });
        let is_rlm = answer.gating.mode_used == PackModeUsed::Rlm;
        by_mode[usize::from(is_rlm)] += 1;
        assert_eq!(answer.expansion.is_some(), is_rlm);
        let (entropy, reason) = (answer.gating.entropy.normalized, answer.gating.gating_reason);
        shown += &format!("{entropy:.3} {reason:?} {} {question}\n", answer.metadata.searches);
    }
    assert!(by_mode.iter().all(|count| *count >= 10), "{by_mode:?}\n{shown}");
}

#[test]
fn the_same_question_has_the_same_answer_in_any_store() {
    let (one, other) = (World::new(), World::new());
    // A store that saw another state first has other numbers.
    other.repository.fixture.git(&["checkout", "-q", "HEAD~5"]);
    drop(other.snapshot());
    other.repository.fixture.git(&["checkout", "-q", "main"]);
    let (one, other) = (one.snapshot(), other.snapshot());
    for question in forty_questions().iter().step_by(4) {
        for mode in [PackMode::Pack, PackMode::Rlm] {
            let request = PackRequest { mode, ..PackRequest::new(question) };
            let first = timeless(pack(&one, &request));
            assert_eq!(first, timeless(pack(&one, &request)), "asked twice");
            assert_eq!(first, timeless(pack(&other, &request)), "in another store");
        }
    }
}

#[test]
fn tasks_that_ask_for_everything_are_asked_in_other_words() {
    let world = World::new();
    let snapshot = world.snapshot();
    let request = PackRequest::new("Audit all usages of `Backoff`");
    assert_eq!(
        pack(&snapshot, &request).gating.mode_used,
        PackModeUsed::Pack,
        "unless that is switched on, one search is made"
    );
    let rules = PackRules { may_expand: true, ..PackRules::default() };
    let answer = pack(&snapshot, &PackRequest { rules, ..request });
    assert_eq!(answer.gating.mode_used, PackModeUsed::Rlm);
    assert_eq!(answer.gating.task_class, Some("audit"));
    let expansion = answer.expansion.expect("it was asked in other words");
    assert_eq!((expansion.searches[0].template, expansion.searches[0].about.as_str()), ("usage", "Backoff"));
    assert_eq!(expansion.steps_used as usize, expansion.searches.len() + 1);
    assert_eq!(answer.metadata.searches, expansion.searches.len() + 1);
    assert!(answer.sources.iter().any(|source| source.path == "core/src/retry.rs"), "{:?}", answer.citations);
}

#[test]
fn who_asks_for_callers_gets_each() {
    let world = World::new();
    let snapshot = world.snapshot();
    let listed = |task: &str| {
        let pack = pack(&snapshot, &PackRequest::new(task)).pack_content;
        let list = pack.split_once("## Uses of ").map(|(_, list)| list.lines().take(3).collect::<Vec<_>>().join("\n"));
        list.unwrap_or_default()
    };
    insta::assert_snapshot!(listed("who calls `Backoff`?"), @r"
    `Backoff`: 11 in 5 files
    - workers/tests/test_backoff.py:5: `from waybill_workers.backoff import Backoff`
    - workers/tests/test_backoff.py:11 in test_waits_grow_and_stop_growing: `backoff = Backoff(first=10, longest=20, chance=lambda: 0.5)`
    ");
    assert_eq!(listed("where is Backoff used"), listed("who calls `Backoff`?"));
    assert_eq!(listed("how does Backoff grow its delay"), "");
}

#[test]
fn whoever_asks_may_choose() {
    let world = World::new();
    let snapshot = world.snapshot();
    for (mode, used) in [(PackMode::Pack, PackModeUsed::Pack), (PackMode::Rlm, PackModeUsed::Rlm)] {
        let answer = pack(&snapshot, &PackRequest { mode, ..PackRequest::new("Audit all usages of `Backoff`") });
        assert_eq!(answer.gating.mode_used, used);
    }
    let rules = PackRules { may_expand: false, ..PackRules::default() };
    let answer = pack(&snapshot, &PackRequest { rules, ..PackRequest::new("Audit all usages of `Backoff`") });
    assert_eq!((answer.gating.mode_used, answer.metadata.searches), (PackModeUsed::Pack, 1));
}

#[test]
fn without_time_the_pack_is_that_of_the_first_search() {
    let world = World::new();
    let snapshot = world.snapshot();
    let question = "how does data from a shipping company end up in the database";
    let rules = PackRules { time_limit: Duration::ZERO, ..PackRules::default() };
    let late = pack(&snapshot, &PackRequest { mode: PackMode::Rlm, rules, ..PackRequest::new(question) });
    let first = pack(&snapshot, &PackRequest { mode: PackMode::Pack, ..PackRequest::new(question) });
    assert_eq!((late.gating.mode_used, &late.expansion), (PackModeUsed::Pack, &None));
    assert_eq!(late.pack_content, first.pack_content);
    assert_eq!(late.warnings, ["the time of 0 ms was over after 1 search: this is the pack of the first"]);
    assert_eq!(first.warnings, [""; 0]);
}

#[test]
fn bounds_of_an_expansion_are_kept() {
    let world = World::new();
    let snapshot = world.snapshot();
    let limits = icr_engine::ExpansionLimits { max_steps: 3, ..Default::default() };
    let rules = PackRules { limits, ..PackRules::default() };
    let request = PackRequest { mode: PackMode::Rlm, rules, ..PackRequest::new("tracking of a parcel") };
    let expansion = pack(&snapshot, &request).expansion.expect("it was asked for");
    assert!(expansion.searches.len() <= 2 && expansion.steps_used + expansion.steps_remaining == 3, "{expansion:?}");
}

#[test]
fn tests_support_a_task_that_does_not_speak_of_them() {
    let fixture = Fixture::new(
        "//- lib/theme.py\ndef load_theme(name):\n    folder = find_theme(name)\n    return read_layouts(folder)\n//- lib/site.py\ndef configure(site):\n    site.theme = site.config.get('theme')\n//- tests/test_theme.py\ndef test_themes_loaded():\n    themes = load_theme('themes')\n    assert themes.loaded\n",
    );
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let first = |task: &str| {
        let answer = pack(&snapshot, &PackRequest { mode: PackMode::Rlm, ..PackRequest::new(task) });
        let searches = answer.expansion.expect("it was asked for").searches;
        assert!(searches.iter().any(|search| search.template == "test"), "{searches:?}");
        answer.sources[0].path.clone()
    };
    assert_eq!(first("how are themes loaded"), "lib/theme.py");
    assert_eq!(first("how are loaded themes tested"), "tests/test_theme.py");
}

#[test]
fn only_contracts_are_searched_for_contracts() {
    let fixture = Fixture::new(
        "//- a.rs\n/// What stores berths.\npub trait Berths {\n    fn berth(&self);\n}\n//- b.rs\npub fn count_berths() {}\n//- c.rs\npub fn sail() {}\n",
    );
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let request = PackRequest { mode: PackMode::Rlm, ..PackRequest::new("the interface of `berths`") };
    let answer = pack(&snapshot, &request);
    let expansion = answer.expansion.expect("it was asked for");
    let contracts = expansion.searches.iter().find(|search| search.template == "contract").expect("it asks for them");
    assert_eq!(contracts.candidates, 1);
    let of_contract = answer.sources.iter().filter(|source| source.is_contract);
    assert_eq!(of_contract.map(|source| source.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
}

#[test]
fn a_repository_has_a_threshold_of_its_own() {
    let world = World::new();
    let engine = world.engine();
    let source = |engine: &Engine, rules: PackRules| {
        let request = PackRequest { rules, ..PackRequest::new("tracking") };
        let answer = pack(&snapshot(engine), &request);
        (answer.metadata.threshold_source, answer.gating.threshold_normalized)
    };
    let shipped = source(&engine, PackRules::default());
    assert_eq!(shipped.0, ThresholdSource::BuiltIn);
    let found = icr_engine::calibrate_gate(&snapshot(&engine), 40, &()).expect("the fixture is in order");
    assert_eq!(found.calibration.questions, 40);
    assert_eq!((found.source_before, found.entropy_threshold_before), (ThresholdSource::BuiltIn, 2.5));
    assert!(found.easy_questions.is_sorted_by(|a, b| a.entropy_normalized <= b.entropy_normalized));
    let again = icr_engine::calibrate_gate(&snapshot(&engine), 40, &()).expect("the fixture is in order");
    assert_eq!(found, again, "nothing is written by asking");
    assert!(engine.gate_thresholds().keep(&found).expect("the store can be written"));

    let own = (ThresholdSource::Calibrated, found.calibration.threshold_normalized);
    assert_eq!(source(&world.engine(), PackRules::default()), own, "another process uses it");
    let configured = PackRules { entropy_threshold: Some(1.0), ..PackRules::default() };
    assert_eq!(source(&engine, configured).0, ThresholdSource::Configured);
    let start = world.repository.fixture.root();
    let lexical = EmbeddingOptions { backend: Backend::None, ..EmbeddingOptions::new(world.home.path()) };
    let lexical = Engine::open(OpenOptions { embedding: lexical, ..OpenOptions::new(start, world.home.path()) });
    let lexical = lexical.expect("the fixture is in order");
    assert_eq!(source(&lexical, PackRules::default()), shipped, "without vectors scores are others");
    let found = icr_engine::calibrate_gate(&snapshot(&engine), 40, &()).expect("the fixture is in order");
    assert_eq!((found.source_before, found.entropy_threshold_before), (own.0, found.calibration.entropy_threshold));

    fs::write(engine.store().directory().join("gate.json"), "{\"thresholds\": [{}]").expect("the store can be written");
    assert_eq!(source(&engine, PackRules::default()), shipped, "what cannot be read is not believed");
}

#[test]
fn few_names_decide_nothing() {
    let fixture = Fixture::new("//- a.rs\npub fn anchor() {}\npub fn capstan() {}\n");
    let home = icr_tests::empty_home();
    let engine = icr_tests::engine(fixture.root(), home.path());
    let found = icr_engine::calibrate_gate(&snapshot(&engine), 50, &()).expect("the fixture is in order");
    assert_eq!((found.calibration.questions, found.calibration.source), (2, CalibrationSource::TooFewQuestions));
    assert!(!engine.gate_thresholds().keep(&found).expect("nothing is written"));
    assert!(!engine.store().directory().join("gate.json").exists());
    let refused = |limit| icr_engine::calibrate_gate(&snapshot(&engine), limit, &()).map_err(|error| error.to_string());
    let message = |limit| Err(format!("the number of questions must be 1 to 1000, not `{limit}`"));
    assert_eq!((refused(0), refused(1001)), (message(0), message(1001)));
}
