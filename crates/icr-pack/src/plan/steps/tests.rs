use super::*;
use proptest::prelude::*;

fn request(task: &str) -> PlanRequest<'_> {
    PlanRequest { task, scope: PlanScope::Repo, budget: PlanBudget::default() }
}

/// What the schema of a tool says of a parameter.
enum AllowedValue {
    Text(usize),
    Number(u64, u64),
    OneOf(&'static [&'static str]),
}

/// The schemas of the tools that plans use: parameter, whether it is required, what it may be.
fn schema(action: &str) -> Vec<(&'static str, bool, AllowedValue)> {
    match action {
        "env_search" => vec![
            ("query", true, AllowedValue::Text(2_000)),
            ("scope", true, AllowedValue::OneOf(&["repo", "contracts", "diffs", "all"])),
            ("limit", false, AllowedValue::Number(1, 50)),
        ],
        "project_references" => {
            vec![("symbol", true, AllowedValue::Text(256)), ("limit", false, AllowedValue::Number(1, 100))]
        }
        "project_symbol_search" => {
            vec![("query", true, AllowedValue::Text(500)), ("limit", false, AllowedValue::Number(1, 100))]
        }
        "memory_pack" => {
            vec![
                ("prompt", true, AllowedValue::Text(10_000)),
                ("budget_tokens", false, AllowedValue::Number(512, 12_000)),
            ]
        }
        other => panic!("no tool `{other}`"),
    }
}

#[track_caller]
fn check_schema(action: &str, params: &Map<String, Value>) {
    let schema = schema(action);
    for name in params.keys() {
        assert!(schema.iter().any(|(known, ..)| known == name), "{action} has no parameter {name}");
    }
    for (name, is_required, allowed) in schema {
        let Some(value) = params.get(name) else {
            assert!(!is_required, "{action} lacks {name}");
            continue;
        };
        let is_text =
            |value: &Value, most: usize| value.as_str().is_some_and(|text| (1..=most).contains(&text.chars().count()));
        let is_valid = match allowed {
            AllowedValue::Text(most) => is_text(value, most),
            AllowedValue::Number(least, most) => value.as_u64().is_some_and(|number| (least..=most).contains(&number)),
            AllowedValue::OneOf(names) => value.as_str().is_some_and(|text| names.contains(&text)),
        };
        assert!(is_valid, "{action} {name}: {value}");
    }
}

#[track_caller]
fn check_steps(plan: &SearchPlan) {
    for (at, step) in plan.steps.iter().enumerate() {
        assert_eq!(step.step, at + 1);
        check_schema(step.action, &step.params);
    }
}

#[test]
fn a_plan_asks_who_uses_what_is_named_and_then_reads() {
    let plan = plan(&request("Audit all usages of AuthService where it is bypassed")).expect("a valid request");
    let shown: String =
        plan.steps.iter().map(|step| format!("{} {}\n", step.action, Value::Object(step.params.clone()))).collect();
    insta::assert_snapshot!(shown, @r#"
    project_references {"symbol":"AuthService","limit":12}
    project_symbol_search {"query":"AuthService","limit":12}
    env_search {"query":"AuthService test","scope":"repo","limit":12}
    env_search {"query":"Audit usages bypassed","scope":"repo","limit":12}
    memory_pack {"prompt":"Audit all usages of AuthService where it is bypassed","budget_tokens":4000}
    "#);
    assert_eq!(plan.steps[0].rationale, "usage of `AuthService`: where it is used");
    check_steps(&plan);
}

#[test]
fn the_scope_of_the_caller_is_kept() {
    let diffs = PlanRequest { scope: PlanScope::Diffs, ..request("where is AuthService") };
    let plan = plan(&diffs).expect("a valid request");
    let searches = plan.steps.iter().filter(|step| step.action == "env_search");
    assert!(searches.map(|step| &step.params["scope"]).all(|scope| scope == "diffs"));
}

#[test]
fn a_task_without_words_that_say_anything_is_searched_for_as_it_is() {
    for (task, query) in [("x", "x"), ("é", "é"), ("7", "7"), (" is  it? ", "is it?")] {
        let plan = plan(&request(task)).expect("a valid request");
        assert_eq!((plan.steps.len(), &plan.steps[0].params["query"]), (2, &json!(query)), "{task}");
        check_steps(&plan);
    }
    let longest = "é ".repeat(TASK_CHARACTERS_MOST / 2);
    check_steps(&plan(&request(&longest)).expect("a valid request"));
}

#[track_caller]
fn check_error(request: &PlanRequest<'_>, expected: &str) {
    assert_eq!(plan(request).unwrap_err().to_string(), expected);
}

#[test]
fn requests_are_bounded() {
    let budget = PlanBudget::default();
    check_error(&request(""), "`task` is 0 characters; allowed: 1 to 5000 characters");
    check_error(&request(" \n"), "`task` is ` \n`; allowed: a task with words to search for");
    check_error(&request("?!"), "`task` is `?!`; allowed: a task with words to search for");
    let steps = PlanBudget { max_steps: 13, ..budget };
    check_error(&PlanRequest { budget: steps, ..request("open files") }, "`budget.max_steps` is 13; allowed: 1 to 12");
    let lines = PlanBudget { max_peek_lines: 0, ..budget };
    check_error(
        &PlanRequest { budget: lines, ..request("open files") },
        "`budget.max_peek_lines` is 0; allowed: 1 to 1200",
    );
}

proptest! {
    #[test]
    fn every_step_is_valid_and_within_the_budget(
        task in "([a-zA-Z_./`é🙂]{3,9} ){1,12}", max_steps in 1_u32..=12, max_peek_lines in 1_u32..=1_200,
        max_candidates in 1_u32..=100,
    ) {
        let budget = PlanBudget { max_steps, max_peek_lines, max_candidates };
        let Ok(plan) = plan(&PlanRequest { budget, ..request(&task) }) else {
            prop_assert!(!task.contains(char::is_alphanumeric));
            return Ok(());
        };
        check_steps(&plan);
        let sum = |action: &str, param: &str| -> u64 {
            let steps = plan.steps.iter().filter(|step| step.action == action);
            steps.filter_map(|step| step.params[param].as_u64()).sum()
        };
        prop_assert!(plan.steps.len() <= max_steps as usize);
        let looked_up = ["env_search", "project_references", "project_symbol_search"];
        prop_assert!(looked_up.map(|action| sum(action, "limit")).iter().sum::<u64>() <= u64::from(max_candidates.min(50)));
        let most = (u64::from(max_peek_lines) * 14).clamp(512, 4_000);
        prop_assert!(sum("memory_pack", "budget_tokens") <= most);
    }
}
