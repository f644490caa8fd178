//! Facts about the table and about layers over each other.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::ValueOrigin;
use super::keys::{KEYS, ORDERED};
use super::resolve::SecretPatterns;
use super::table::{Alias, FromProject, KeyType, find, suggestion};
use super::value::Value;
use super::*;

const NOTHING: [(&str, &str); 0] = [];

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

fn user(text: &str) -> Result<ResolvedConfig, ConfigError> {
    resolve(&ConfigurationLayers {
        user: Some((PathBuf::from("user.toml"), text.to_owned())),
        ..ConfigurationLayers::default()
    })
}

fn float(resolved: &ResolvedConfig, name: &str) -> f64 {
    match resolved.setting(name).expect("the key exists").value {
        Value::Float(value) => *value,
        other => panic!("`{name}` is {other}"),
    }
}

fn project(text: &str) -> ResolvedConfig {
    let project = Some((PathBuf::from(".icr.toml"), text.to_owned()));
    resolve(&ConfigurationLayers { project, ..ConfigurationLayers::default() })
        .expect("a project file stops no command")
}

fn environment(variables: &[(&str, &str)]) -> Result<ResolvedConfig, ConfigError> {
    resolve(&ConfigurationLayers { environment: &pairs(variables), ..ConfigurationLayers::default() })
}

/// Present value and place of a key, then the warnings.
fn summary(resolved: &ResolvedConfig, key: &str) -> String {
    let setting = resolved.setting(key).expect("the test names a key");
    let warnings: String = resolved.warnings().iter().map(|warning| format!("\n{warning}")).collect();
    format!("{} from {}{warnings}", setting.value, setting.place)
}

fn failure(result: Result<ResolvedConfig, ConfigError>) -> String {
    let error = result.expect_err("the configuration is wrong");
    let hint = error.hint().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
    format!("{error}{hint}")
}

// The table.

#[test]
fn rows_are_sorted_and_unique() {
    assert!(KEYS.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn names_are_a_section_and_a_key_in_lower_case() {
    for key in KEYS {
        let lower = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        assert!(key.name.split('.').count() == 2 && lower(key.section()) && lower(key.leaf()), "{}", key.name);
        // The variable of a key is split at the first `__`.
        assert!(!key.name.contains("__"), "{}", key.name);
    }
}

#[test]
fn every_section_has_keys() {
    for section in [
        "storage",
        "embedding",
        "chunking",
        "retrieval",
        "pack",
        "rlm",
        "contract",
        "watcher",
        "network",
        "telemetry",
        "logging",
        "memory",
        "extraction",
        "recall",
        "mcp",
        "hooks",
        "run",
        "git",
        "impact",
        "security",
        "vector",
    ] {
        assert!(table::is_section(section), "{section}");
    }
}

#[test]
fn built_in_values_are_allowed_and_read_back() {
    for key in KEYS {
        let value = Value::built_in(key);
        assert_eq!(value.clone().validate_for(key), Some(value.clone()), "{}", key.name);
        assert_eq!(Value::from_toml(key, &value.to_toml()), Some(value), "{}", key.name);
    }
}

#[test]
fn a_value_just_outside_each_bound_is_refused() {
    for key in KEYS {
        let (below, above) = match key.kind {
            KeyType::Integer { min, max, .. } => (Value::Integer(min - 1), Value::Integer(max + 1)),
            KeyType::Float { min, max, .. } => (Value::Float(min.next_down()), Value::Float(max.next_up())),
            KeyType::Duration { min_ms: 0, max_ms, .. } => (Value::Bool(true), Value::Duration(max_ms + 1)),
            KeyType::Duration { min_ms, max_ms, .. } => (Value::Duration(min_ms - 1), Value::Duration(max_ms + 1)),
            _ => continue,
        };
        assert_eq!((below.validate_for(key), above.validate_for(key)), (None, None), "{}", key.name);
    }
}

#[test]
fn every_line_of_documentation_is_one_sentence_or_more() {
    for key in KEYS {
        assert!(key.doc.ends_with('.') && !key.doc.contains('\n'), "{}", key.name);
    }
}

#[test]
fn what_reaches_outside_is_never_set_by_a_project_file() {
    for key in KEYS {
        let is_path = matches!(key.kind, KeyType::Path { .. });
        if is_path || ["network", "run", "memory"].contains(&key.section()) || key.secret {
            assert!(matches!(key.from_project, FromProject::Never(_)), "{}", key.name);
        }
    }
}

#[test]
fn a_key_that_stands_for_another_is_trusted_no_more_than_it() {
    for key in KEYS {
        let Some(mapping) = key.maps_to else { continue };
        let (_, target) = find(mapping.key).expect("a key stands for one of the table");
        assert!(target.maps_to.is_none(), "{}", key.name);
        match target.from_project {
            FromProject::Any => {}
            _ => assert!(matches!(key.from_project, FromProject::Never(_)), "{}", key.name),
        }
    }
}

#[test]
fn values_a_project_may_set_and_words_that_are_mapped_are_words() {
    for key in KEYS {
        if let FromProject::Only(values, _) = key.from_project {
            assert!(values.iter().all(|value| Value::from_text(key, value).is_some()), "{}", key.name);
        }
        if let KeyType::Word { words, mapped, .. } = key.kind {
            assert!(mapped.iter().all(|(from, to)| words.contains(to) && !words.contains(from)), "{}", key.name);
        }
        for alias in key.environment {
            if let Alias::Switch(_, value) = alias {
                assert!(Value::from_text(key, value).is_some(), "{}", key.name);
            }
        }
    }
}

#[test]
fn an_environment_variable_sets_one_key() {
    let mut names: Vec<String> = KEYS.iter().flat_map(|key| [key.variable("ICR"), key.variable("ICD")]).collect();
    names.extend(KEYS.iter().flat_map(|key| key.environment).map(|alias| match alias {
        Alias::Value(name) | Alias::Switch(name, _) => (*name).to_owned(),
    }));
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn ordered_pairs_hold_for_built_in_values_and_can_always_give_way() {
    for (low, high) in ORDERED {
        let kind = |name| &find(name).expect("ordered keys are in the table").1.kind;
        let (KeyType::Integer { default: a, min: a_min, .. }, KeyType::Integer { default: b, min: b_min, .. }) =
            (kind(low), kind(high))
        else {
            panic!("`{low}` and `{high}` are whole numbers");
        };
        assert!(a <= b && a_min <= b_min, "{low} {high}");
    }
}

#[test]
fn the_getters_fit_the_table() {
    let resolved = resolve(&ConfigurationLayers::default()).expect("built-in values are valid");
    for key in KEYS {
        match key.kind {
            KeyType::Bool { default } => assert_eq!(resolved.get_bool(key.name), default),
            KeyType::Integer { default, .. } => assert_eq!(resolved.get_integer(key.name), default),
            KeyType::Float { default, .. } => assert_eq!(float(&resolved, key.name), default),
            KeyType::Text { default } | KeyType::Word { default, .. } => {
                assert_eq!(resolved.get_text(key.name), default)
            }
            KeyType::Hex { .. } => assert_eq!(resolved.get_text(key.name), ""),
            KeyType::List { default } | KeyType::WordList { default, .. } => {
                assert_eq!(resolved.get_list(key.name), default)
            }
            KeyType::AcceptList => assert_eq!(summary(&resolved, key.name), "[] from built-in"),
            KeyType::Path { .. } => {
                assert_eq!(resolved.get_path(key.name, Path::new("/icr"), Path::new("/home")), None)
            }
            KeyType::Duration { default_ms, .. } => {
                assert_eq!(resolved.get_duration(key.name), Duration::from_millis(default_ms));
            }
        }
    }
}

#[test]
fn suggestions_know_sections_keys_and_keys_of_the_wrong_section() {
    assert_eq!(suggestion("pack.scor_weight"), Some("pack.score_weight"));
    assert_eq!(suggestion("retreival.mmr_lambda"), Some("retrieval.mmr_lambda"));
    assert_eq!(suggestion("search.mmr_lambda"), Some("retrieval.mmr_lambda"));
    assert_eq!(suggestion("wacher"), Some("watcher"));
    assert_eq!(suggestion("mmr_lambda"), Some("retrieval.mmr_lambda"));
    assert_eq!(suggestion("colour.of_the_sky"), None);
}

#[test]
fn the_budget_of_packs_is_what_the_engine_has() {
    let (_, key) = find("pack.default_budget_tokens").expect("the key exists");
    assert_eq!(Value::built_in(key), Value::Integer(4_000));
    assert_eq!(key.describe_allowed_values(), "a whole number from 512 to 128000");
}

// Layers.

#[test]
fn a_higher_layer_wins() {
    let file = |name: &str, value: i64| Some((PathBuf::from(name), format!("\n[rlm]\nmax_steps = {value}\n")));
    let variables = pairs(&[("ICR_RLM__MAX_STEPS", "5")]);
    let flags = pairs(&[("rlm.max_steps", "6"), ("rlm.max_steps", "7")]);
    let mut layers = ConfigurationLayers::default();
    let mut seen = Vec::new();
    let mut see = |layers: &ConfigurationLayers<'_>| {
        let resolved = resolve(layers).expect("the layers are valid");
        seen.push(summary(&resolved, "rlm.max_steps"));
    };
    see(&layers);
    layers.user = file("user.toml", 2);
    see(&layers);
    layers.store = file("store.toml", 3);
    see(&layers);
    layers.project = file(".icr.toml", 4);
    see(&layers);
    layers.environment = &variables;
    see(&layers);
    layers.flags = &flags;
    see(&layers);
    insta::assert_snapshot!(seen.join("\n"), @"
    12 from built-in
    2 from `user.toml` line 3
    3 from `store.toml` line 3
    4 from `.icr.toml` line 3
    5 from `ICR_RLM__MAX_STEPS`
    7 from command line
    ");
}

#[test]
fn errors_name_place_key_value_and_range() {
    let all: Vec<String> = [
        "[rlm]\nenabled = true\nmax_steps = 13\n",
        "[rlm]\nmax_steps = \"3\"\n",
        "[retrieval]\nmmr_lambda = nan\n",
        "[embedding]\nbackend = \"tensorflow\"\n",
        "[git]\nkeep_unused = 30\n",
        "[mcp]\ntoolsets = [\"everything\"]\n",
        "\n[pack]\nscor_weight = 0.5\n",
        "[pakc]\n",
        "pack = 3\n",
        "max_steps = 3\n",
        "[rlm.sub]\nx = 1\n",
        "[rlm]\nmax_steps = \n",
        "[rlm]\nmax_steps = 3\nmax_steps = 4\n",
        "[rlm]\nmax_steps = 99999999999999999999\n",
        "[network]\napi_key = [\"hunter2\"]\n",
        "[\"a\\u001B[31m\"]\n",
    ]
    .into_iter()
    .map(|text| failure(user(text)))
    .collect();
    insta::assert_snapshot!(all.join("\n"), @r#"
    `user.toml` line 3: `rlm.max_steps` is `13`, expected a whole number from 1 to 12
    `user.toml` line 2: `rlm.max_steps` is `"3"`, expected a whole number from 1 to 12
    `user.toml` line 2: `retrieval.mmr_lambda` is `nan`, expected a number from 0 to 1
    `user.toml` line 2: `embedding.backend` is `"tensorflow"`, expected one of `static`, `onnx`, `remote`, `none` (also read: `local_onnx`, `sentence_transformer`, `openai`, `anthropic`, `custom`)
    `user.toml` line 2: `git.keep_unused` is `30`, expected a duration from 1d to 3650d (units `ms`, `s`, `m`, `h`, `d`, `w`)
    `user.toml` line 2: `mcp.toolsets` is `["everything"]`, expected a list of some of `core`, `code`, `memory`, `run`
    `user.toml` line 3: `pack.scor_weight` is not a configuration key
    hint: did you mean `pack.score_weight`?
    `user.toml` line 1: `pakc` is not a configuration key
    hint: did you mean `pack`?
    `user.toml` line 1: `pack` is `3`, expected a table
    `user.toml` line 1: `max_steps` is not a configuration key
    hint: did you mean `rlm.max_steps`?
    `user.toml` line 1: `rlm.sub` is not a configuration key
    hint: `icr config show` lists all keys
    `user.toml` line 2: not TOML: string values must be quoted, expected literal string
    `user.toml` line 3: not TOML: duplicate key
    `user.toml` line 2: not TOML: invalid type: integer `99999999999999999999` as i128, expect…
    `user.toml` line 2: `network.api_key` is not valid, expected text
    `user.toml` line 1: `a�[31m` is not a configuration key
    hint: `icr config show` lists all keys
    "#);
}

#[test]
fn the_first_error_of_a_file_is_the_one_of_its_first_line() {
    let error = failure(user("[watcher]\nfirst = 1\n[chunking]\nsecond = 1\n"));
    assert!(error.starts_with("`user.toml` line 2: `watcher.first`"), "{error}");
}

#[test]
fn a_project_file_never_stops_a_command() {
    let resolved = project(concat!(
        "[network]\nenabled = true\n[run]\nenabled = true\n[hooks]\nenabled = true\n[embedding]\nbackend = \"openai\"\n",
        "[memory]\ndb_path = \"/etc/passwd\"\n[rlm]\nmax_steps = 99\nmax_stepz = 1\n[pack]\npin_share = 0.25\n",
        "[logging]\nfile = \".git/config\"\n",
    ));
    insta::assert_snapshot!(summary(&resolved, "pack.pin_share"), @"
    0.25 from `.icr.toml` line 15
    ignored: `.icr.toml` line 2: a project file cannot set `network.enabled`, because only the user decides what leaves this machine
    ignored: `.icr.toml` line 4: a project file cannot set `run.enabled`, because it decides which programs run on this machine
    ignored: `.icr.toml` line 6: a project file cannot set `hooks.enabled` to anything but `false`, because a repository may switch hooks off and never on
    ignored: `.icr.toml` line 8: a project file cannot set `embedding.backend` to anything but `static`, `onnx`, `none`, because only the user decides what leaves this machine
    ignored: `.icr.toml` line 10: a project file cannot set `memory.db_path`, because memories belong to the user and are shared by all projects
    ignored: `.icr.toml` line 12: `rlm.max_steps` is `99`, expected a whole number from 1 to 12
    ignored: `.icr.toml` line 13: `rlm.max_stepz` is not a configuration key
    ignored: `.icr.toml` line 17: a project file cannot set `logging.file`, because it names a file outside the repository's control
    ");
    assert!(!resolved.get_bool("network.enabled") && !resolved.get_bool("run.enabled"));
    assert_eq!(resolved.get_text("embedding.backend"), "static");
    insta::assert_snapshot!(summary(&project("[pack\n"), "pack.pin_share"), @"
    0.5 from built-in
    ignored: `.icr.toml` line 1: not TOML: unclosed table, expected `]`
    ");
}

#[test]
fn a_project_file_may_switch_hooks_off_but_not_on() {
    assert!(!project("[hooks]\nenabled = false\n").get_bool("hooks.enabled"));
    let user = Some((PathBuf::from("user.toml"), "[hooks]\nenabled = false\n".to_owned()));
    let project = Some((PathBuf::from(".icr.toml"), "[hooks]\nenabled = true\n".to_owned()));
    let resolved = resolve(&ConfigurationLayers { user, project, ..ConfigurationLayers::default() }).expect("valid");
    assert!(!resolved.get_bool("hooks.enabled"));
}

#[test]
fn environment_variables_have_an_order_that_does_not_depend_on_theirs() {
    let mut variables = vec![
        ("ICD_LOGGING__LEVEL", "off"),
        ("ICM_LOG", "info"),
        ("ICR_DEBUG", "1"),
        ("ICR_TRACE", "1"),
        ("ICR_LOG_LEVEL", "error"),
        ("ICR_LOGGING__LEVEL", "warn"),
    ];
    let mut levels = Vec::new();
    while !variables.is_empty() {
        let resolved = environment(&variables).expect("valid");
        variables.reverse();
        assert_eq!(
            summary(&environment(&variables).expect("valid"), "logging.level"),
            summary(&resolved, "logging.level")
        );
        variables.reverse();
        levels.push(summary(&resolved, "logging.level"));
        variables.pop();
    }
    insta::assert_snapshot!(levels.join("\n"), @r#"
    "warn" from `ICR_LOGGING__LEVEL`
    "error" from `ICR_LOG_LEVEL`
    "trace" from `ICR_TRACE`
    "debug" from `ICR_DEBUG`
    "info" from `ICM_LOG`
    "off" from `ICD_LOGGING__LEVEL`
    "#);
}

#[test]
fn switches_of_the_environment_are_on_unless_they_say_no() {
    let hooks = |value| environment(&[("ICR_DISABLE_HOOKS", value)]).expect("valid").get_bool("hooks.enabled");
    assert_eq!(
        ["1", "true", "please", "0", "false", "", " "].map(hooks),
        [false, false, false, true, true, true, true]
    );
    assert_eq!(environment(&[("ICM_NO_EMBEDDINGS", "1")]).expect("valid").get_text("embedding.backend"), "none");
    assert!(environment(&[("ICM_READONLY", "1")]).expect("valid").get_bool("memory.read_only"));
}

#[test]
fn the_memory_database_and_the_repository_id_come_from_single_variables() {
    let resolved =
        environment(&[("ICM_DB", "/b"), ("ICR_DB_PATH", "/a"), ("ICR_REPO_ID", "0123456789abcdef")]).expect("valid");
    assert_eq!(resolved.get_text("memory.db_path"), "/a");
    assert_eq!(resolved.get_text("storage.repo_id"), "0123456789abcdef");
    insta::assert_snapshot!(failure(environment(&[("ICR_REPO_ID", "../x")])), @"`ICR_REPO_ID`: `storage.repo_id` is `../x`, expected 16 lower-case hex digits");
}

#[test]
fn an_unknown_variable_of_ours_is_an_error_and_others_are_not() {
    insta::assert_snapshot!(failure(environment(&[("ICR_PACK__SCOR_WEIGHT", "1")])), @"
    `ICR_PACK__SCOR_WEIGHT`: `pack.scor_weight` is not a configuration key
    hint: did you mean `pack.score_weight`?
    ");
    insta::assert_snapshot!(failure(environment(&[("ICD_PACK__SCOR_WEIGHT", "1")])), @"
    `ICD_PACK__SCOR_WEIGHT`: `pack.scor_weight` is not a configuration key
    hint: did you mean `pack.score_weight`?
    ");
    insta::assert_snapshot!(failure(environment(&[("ICR_pack__score_weight", "1")])), @"
    `ICR_pack__score_weight`: `pack.score_weight` is not a configuration key
    hint: did you mean `pack.score_weight`?
    ");
    let others =
        [("ICD_FILES__PATH", "x"), ("ICR_HOME", "/x"), ("PATH", "/bin"), ("ICR_CONFIG_PATH", "/c"), ("__", "")];
    assert_eq!(environment(&others).expect("nothing of ours").warnings(), []);
}

#[test]
fn the_user_file_is_named_by_the_environment_or_lies_in_the_home() {
    let named = |variables: &[(&str, &str)]| user_file(&pairs(variables), Path::new("/icr"));
    assert_eq!(named(&NOTHING), Path::new("/icr/config.toml"));
    assert_eq!(named(&[("ICM_CONFIG", "/m.toml")]), Path::new("/m.toml"));
    assert_eq!(named(&[("ICM_CONFIG", "/m.toml"), ("ICR_CONFIG_PATH", "/r.toml")]), Path::new("/r.toml"));
    assert_eq!(named(&[("ICR_CONFIG_PATH", "")]), Path::new("/icr/config.toml"));
}

#[test]
fn paths_are_relative_to_the_home_of_icr_or_of_the_user() {
    let path = |text| {
        let flags = pairs(&[("logging.file", text)]);
        let resolved =
            resolve(&ConfigurationLayers { flags: &flags, ..ConfigurationLayers::default() }).expect("valid");
        resolved.get_path("logging.file", Path::new("/icr"), Path::new("/home/u"))
    };
    assert_eq!(path("logs/x"), Some(PathBuf::from("/icr/logs/x")));
    assert_eq!(path("~/x"), Some(PathBuf::from("/home/u/x")));
    assert_eq!(path("/x"), Some(PathBuf::from("/x")));
    assert_eq!(path(""), None);
}

#[test]
fn keys_of_other_tools_set_ours() {
    let trees = user("[storage]\nhnsw_m = 24\nhnsw_ef_search = 50\nhnsw_ef_construction = 300\n").expect("valid");
    assert_eq!(trees.get_integer("vector.search_k"), 500);
    insta::assert_snapshot!(summary(&trees, "vector.trees"), @"
    24 from `user.toml` line 2
    `user.toml` line 2: `storage.hnsw_m = 24` is read as `vector.trees = 24`
    `user.toml` line 3: `storage.hnsw_ef_search = 50` is read as `vector.search_k = 500`
    `user.toml` line 4: `storage.hnsw_ef_construction` is accepted and not used: trees are built with one fixed effort
    `user.toml` line 3: `vector.search_k` is accepted and not used: trees are asked for as many candidates as were measured to find what a scan finds
    `user.toml` line 2: `vector.trees` is accepted and not used: there are always 20 trees, so that equal vectors have equal trees
    ");
    let half_life = user("[retrieval]\nhalf_life_days = 20.794415416798357\n").expect("valid");
    assert!((float(&half_life, "retrieval.recency_tau_days") - 30.0).abs() < 1e-12);
    let model = user("[embeddings]\nmodel = \"intfloat/multilingual-e5-base\"\n").expect("valid");
    assert_eq!(model.get_text("embedding.model_name"), "intfloat/multilingual-e5-base");
}

#[test]
fn our_name_wins_within_a_layer_and_the_higher_layer_between_layers() {
    let both = user("[vector]\ntrees = 12\n[storage]\nhnsw_m = 24\n").expect("valid");
    assert_eq!(both.get_integer("vector.trees"), 12);
    let user = Some((PathBuf::from("user.toml"), "[vector]\ntrees = 12\n".to_owned()));
    let variables = pairs(&[("ICD_STORAGE__HNSW_M", "24")]);
    let resolved = resolve(&ConfigurationLayers { user, environment: &variables, ..ConfigurationLayers::default() })
        .expect("valid");
    assert_eq!(resolved.get_integer("vector.trees"), 24);
}

#[test]
fn names_of_other_backends_are_read_with_a_note() {
    insta::assert_snapshot!(summary(&user("[embedding]\nbackend = \"local_onnx\"\n").expect("valid"), "embedding.backend"), @r#"
    "onnx" from `user.toml` line 2
    `user.toml` line 2: `local_onnx` of `embedding.backend` is read as `onnx`
    "#);
}

#[test]
fn the_remote_backend_needs_the_network() {
    insta::assert_snapshot!(failure(user("[embedding]\nbackend = \"openai\"\n")), @"
    `user.toml` line 2: `embedding.backend` is `remote`, but `network.enabled` is false
    hint: set `network.enabled` to true, or choose `static`, `onnx` or `none`
    ");
    let allowed = user("[embedding]\nbackend = \"remote\"\n[network]\nenabled = true\n").expect("both are set");
    assert_eq!(allowed.get_text("embedding.backend"), "remote");
}

#[test]
fn a_built_in_value_gives_way_to_a_lower_bound() {
    let resolved = user("[mcp]\nhard_response_tokens = 4000\n").expect("valid");
    assert_eq!(
        summary(&resolved, "mcp.soft_response_tokens"),
        "4000 from built-in, at most `mcp.hard_response_tokens`"
    );
    let chunks = user("[chunking]\ntarget_tokens = 210\n[rlm]\nmax_steps = 1\n").expect("valid");
    assert_eq!(chunks.get_integer("chunking.min_tokens"), 200);
}

#[test]
fn values_that_contradict_each_other_are_an_error() {
    insta::assert_snapshot!(failure(user("[pack]\ndefault_budget_tokens = 5000\nmax_budget_tokens = 4000\n")), @"
    `pack.default_budget_tokens` = 5000 (`user.toml` line 2) must not exceed `pack.max_budget_tokens` = 4000 (`user.toml` line 3)
    hint: lower `pack.default_budget_tokens` or raise `pack.max_budget_tokens`
    ");
    insta::assert_snapshot!(failure(user("[pack]\ndefault_budget_tokens = 64000\n")), @"
    `pack.default_budget_tokens` = 64000 (`user.toml` line 2) must not exceed `pack.max_budget_tokens` = 32000 (built-in)
    hint: lower `pack.default_budget_tokens` or raise `pack.max_budget_tokens`
    ");
}

#[test]
fn a_project_value_that_contradicts_another_is_left_out() {
    let project = Some((PathBuf::from(".icr.toml"), "[pack]\nmax_budget_tokens = 4000\n".to_owned()));
    let flags = pairs(&[("pack.default_budget_tokens", "6000")]);
    let resolved = resolve(&ConfigurationLayers { project, flags: &flags, ..ConfigurationLayers::default() })
        .expect("a project file stops no command");
    assert_eq!(resolved.get_integer("pack.default_budget_tokens"), 6000);
    insta::assert_snapshot!(summary(&resolved, "pack.max_budget_tokens"), @"
    32000 from built-in
    ignored: `pack.default_budget_tokens` = 6000 (command line) must not exceed `pack.max_budget_tokens` = 4000 (`.icr.toml` line 2)
    ");
}

#[test]
fn a_name_that_a_person_typed_is_looked_up_with_a_suggestion() {
    let resolved = user("").expect("an empty file is valid");
    insta::assert_snapshot!(failure(resolved.setting("watcher.debounce").map(|_| resolved.clone())), @"
    command line: `watcher.debounce` is not a configuration key
    hint: did you mean `watcher.debounce_ms`?
    ");
    assert_eq!(resolved.origin("watcher.debounce_ms"), Ok(&ValueOrigin::BuiltIn));
    insta::assert_snapshot!(failure(resolved.setting("run").map(|_| resolved.clone())), @"
    command line: `run` is not a configuration key
    hint: it is a section; its keys are `run.allow`, `run.enabled`, `run.max_output_kb`, `run.max_timeout_seconds`, `run.network`, `run.readable`, `run.require_sandbox`, `run.timeout_seconds`, `run.writable`
    ");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    assert!(!user("\u{feff}[rlm]\nenabled = false\n").expect("valid").get_bool("rlm.enabled"));
}

proptest::proptest! {
    #[test]
    fn no_project_file_stops_a_command(text in "(\\[[a-z]{1,8}\\]\n|pack|run|network|enabled|[ ='\"{}.\n0-9é]|true)*") {
        let resolved = project(&text);
        proptest::prop_assert!(!resolved.get_bool("network.enabled") && !resolved.get_bool("run.enabled"));
    }

    #[test]
    fn a_project_file_can_set_any_rows_at_once(
        rows in proptest::collection::vec((0..KEYS.len(), "-?[0-9]{1,6}|true|'[a-z]{1,6}'|\\[\\]"), 0..40)
    ) {
        let mut lines: Vec<String> = rows.iter().map(|(no, value)| format!("{} = {value}\n", KEYS[*no].name)).collect();
        lines.sort();
        lines.dedup_by_key(|line| line.split(' ').next().map(str::to_owned));
        let resolved = project(&lines.concat());
        for (low, high) in ORDERED {
            proptest::prop_assert!(resolved.get_integer(low) <= resolved.get_integer(high));
        }
        for key in KEYS.iter().filter(|key| matches!(key.from_project, FromProject::Never(_))) {
            proptest::prop_assert_eq!(resolved.origin(key.name), Ok(&ValueOrigin::BuiltIn));
        }
    }
}

// What is secret.

#[test]
fn patterns_of_secret_files_are_united_in_both_orders() {
    let text = |patterns: &str| format!("[security]\nsecret_patterns = {patterns}\n");
    let united = |user: &str, project: &str, flag: &str| {
        let resolved = resolve(&ConfigurationLayers {
            user: Some((PathBuf::from("user.toml"), text(user))),
            project: Some((PathBuf::from(".icr.toml"), text(project))),
            flags: &pairs(&[("security.secret_patterns", flag)]),
            ..ConfigurationLayers::default()
        });
        let resolved = resolved.expect("the layers are valid");
        let SecretPatterns { own, of_project } = resolved.secret_patterns();
        let warnings: String = resolved.warnings().iter().map(|warning| format!("; {warning}")).collect();
        format!("{} | {}{warnings}", own.join(" "), of_project.join(" "))
    };
    assert_eq!(united("[\"*.sql\"]", "[\"*.txt\"]", "[]"), "*.sql | *.txt");
    assert_eq!(united("[\"*.txt\"]", "[\"*.sql\"]", "[]"), "*.txt | *.sql");
    assert_eq!(united("[\"*.sql\"]", "[]", "[\"!a.sql\"]"), "*.sql !a.sql | ");
    assert_eq!(
        united("[\"*.sql\"]", "[\"!a.sql\", \"b\"]", "[]"),
        "*.sql | b; ignored: `.icr.toml` line 2: `security.secret_patterns` of a project file cannot remove a pattern, so `!a.sql` does not count"
    );
    assert_eq!(
        united("[\"*\"]", "[\"**\"]", "[]"),
        "* | **; `user.toml` line 2: pattern `*` of `security.secret_patterns` hides every file; \
         `.icr.toml` line 2: pattern `**` of `security.secret_patterns` hides every file"
    );
    assert_eq!(united("[\"*\", \"!*.rs\"]", "[]", "[]"), "* !*.rs | ");
    assert_eq!(summary(&project(&text("[\"b\"]")), "security.secret_patterns"), "[\"b\"] from `.icr.toml` line 2");
    for (project, expected) in [
        ("[\"b\"]", "[\"*.sql\", \"b\"] from `user.toml` line 2 and `.icr.toml` line 2"),
        ("[]", "[\"*.sql\"] from `user.toml` line 2"),
    ] {
        let resolved = resolve(&ConfigurationLayers {
            user: Some((PathBuf::from("user.toml"), text("[\"*.sql\"]"))),
            project: Some((PathBuf::from(".icr.toml"), text(project))),
            ..ConfigurationLayers::default()
        });
        assert_eq!(summary(&resolved.expect("the layers are valid"), "security.secret_patterns"), expected);
    }
}

#[test]
fn of_a_file_that_is_all_wrong_so_much_is_told_and_the_rest_not_read() {
    let told = |text: &str| {
        let project = Some((PathBuf::from(".icr.toml"), text.to_owned()));
        let resolved = resolve(&ConfigurationLayers { project, ..ConfigurationLayers::default() })
            .expect("a project file stops no command");
        let warnings: Vec<String> = resolved.warnings().iter().map(ToString::to_string).collect();
        (warnings.len(), warnings.last().cloned().unwrap_or_default())
    };
    let keys: String = (0..40_000).map(|key| format!("k{key}=1\n")).collect();
    let sections: String = (0..40_000).map(|key| format!("[k{key}]\n")).collect();
    for text in [format!("[search]\n{keys}"), sections] {
        let (count, last) = told(&text);
        assert!(count == 51 && last.ends_with("too many errors; the rest of the file is not read"), "{count}: {last}");
    }
    let entries = format!("[impact]\naccept=[{}]\n", "{},".repeat(200_000));
    insta::assert_snapshot!(told(&entries).1, @"ignored: `.icr.toml` line 2: `impact.accept` is `200000 entries`, expected at most 1000");
    let entries = format!("[impact]\naccept=[{}]\n", "{},".repeat(900));
    assert_eq!(told(&entries).0, 50);
}
