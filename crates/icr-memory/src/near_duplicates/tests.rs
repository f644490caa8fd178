use proptest::prelude::*;

use super::*;

#[test]
fn a_normalised_text_is_spaced_and_without_its_full_stop() {
    assert_eq!(normalised("  We  use\nSQLite\u{a0}3.  "), "We use SQLite 3");
    assert_eq!(normalised("Cafe\u{301}s."), "Cafés");
    assert_eq!(normalised("Stop!"), "Stop!");
    assert_eq!(normalised("Run `git add .`."), "Run `git add .`");
    assert_eq!(normalised("git add ."), "git add .");
    assert_eq!(normalised("..."), "...");
}

#[test]
fn what_says_something_else_stays_apart() {
    for (one, other) in [
        ("Is it fast?", "Is it fast."),
        ("10³ rows", "103 rows"),
        ("1½ s", "11/2 s"),
        ("C++", "C"),
        ("Use -s", "Use -S"),
        ("Numbers match \\d", "Numbers match \\D"),
        ("It is in src/a.rs", "It is in src/A.rs"),
        ("A calls B", "a calls b"),
        ("Sizes are in kb", "Sizes are in KB"),
        ("Masse", "Maße"),
        ("if x:\n    a()\n    b()", "if x:\n    a()\nb()"),
        ("Join by ' '", "Join by '  '"),
        ("cd ..", "cd ."),
        ("key: [a, b]\nother: 1", "key: [a, b] other: 1"),
    ] {
        assert_ne!(normalised(one), normalised(other));
        two_facts(one, other);
    }
}

#[test]
fn operators_and_brackets_tell_facts_apart() {
    let formulas = ["a - b", "a * b", "a / b", "b - a", "b / a", "a && b", "a || b", "a + b", "a", "b", "a b", "b a"];
    for (at, one) in formulas.iter().enumerate() {
        for other in &formulas[at + 1..] {
            two_facts(
                &format!("The formula for the score is {one}."),
                &format!("The formula for the score is {other}."),
            );
        }
    }
    two_facts("The score is (a+b)*c.", "The score is a+(b*c).");
    two_facts("The range is [0, 1).", "The range is [0, 1].");
    two_facts("Files get umask & 022.", "Files get umask | 022.");
    two_facts("Join them as a;b here.", "Join them as a,b here.");
    two_facts("Fields are parted by `;`.", "Fields are parted by `,`.");
    one_fact("- We use **Redis** here.", "We use Redis here.");
}

#[test]
fn a_key_is_of_topic_and_text() {
    assert_eq!(exact_key("design", "We use A."), exact_key("design", "We  use A"));
    assert_ne!(exact_key("Design", "We use A."), exact_key("design", "We use A."));
    assert_ne!(exact_key("design", "We use A."), exact_key("designs", "We use A."));
    assert_ne!(exact_key("a", "b c"), exact_key("ab", " c"));
    assert_eq!(exact_key("design", "We use A.").len(), EXACT_KEY_BYTES);
    insta::assert_snapshot!(format!("{:02x?}", exact_key("design", "We use A.")), @"[44, f3, 9f, 8b, 36, 71, 58, 60, 6d, b2, 64, 7e, 66, 61, 30, 54]");
}

#[track_caller]
fn check_tokens(text: &str, expected: &[&str]) {
    assert_eq!(token_set(text), expected);
}

#[test]
fn tokens_are_words_identifiers_and_numbers() {
    check_tokens("Use `a_b::c`, main.rs (v1.2.3) and C++!", &["a_b::c", "and", "c++", "main.rs", "use", "v1.2.3"]);
    check_tokens("1,000 rows, 5–10 s, -5 to --force", &["--force", "-5", "1,000", "5–10", "rows", "s", "to"]);
    check_tokens("a -> b, x != y — don't", &["!=", "->", "a", "b", "don't", "x", "y"]);
    check_tokens("use Use USE", &["use"]);
    check_tokens("数据库用SQLite", &["sqlite", "库用", "据库", "数据"]);
    check_tokens("… — * ✅", &["✅"]);
}

#[test]
fn jaccard_is_the_share_of_common_members() {
    assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
    assert_eq!(jaccard(&[1, 2], &[1, 2]), 1.0);
    assert_eq!(jaccard(&[1], &[2]), 0.0);
    assert_eq!(jaccard::<u8>(&[], &[]), 0.0);
}

#[track_caller]
fn two_facts(one: &str, other: &str) {
    assert!(conflict(one, other), "{one:?} and {other:?} are taken to be one fact");
    assert!(conflict(other, one), "{other:?} and {one:?} are taken to be one fact");
}

#[track_caller]
fn one_fact(one: &str, other: &str) {
    assert!(!conflict(one, other), "{one:?} and {other:?} are taken to be two facts");
    assert!(!conflict(other, one), "{other:?} and {one:?} are taken to be two facts");
}

#[test]
fn forms_of_words_and_empty_words_change_nothing() {
    one_fact("We use PostgreSQL 15 for orders.", "we are using PostgreSQL 15 for orders");
    one_fact("The worker caches tokens.", "Workers cache the tokens.");
    one_fact("Service A uses PostgreSQL 15 for orders.", "Service A now uses PostgreSQL 15 for its orders.");
    one_fact("Use Redis for orders.", "Use redis for orders.");
}

#[test]
fn an_introduction_changes_nothing() {
    one_fact("Use SQLite for memories.", "We decided to use SQLite for memories.");
    one_fact("Handlers are idempotent.", "Note that handlers are idempotent.");
}

#[test]
fn a_phrase_may_stand_in_front_or_behind() {
    one_fact("We use PostgreSQL 15 for orders.", "For orders we use PostgreSQL 15.");
    one_fact("For orders, we use PostgreSQL 15.", "We use PostgreSQL 15 for orders");
    two_facts("PostgreSQL for orders, Redis for sessions.", "For sessions PostgreSQL, for orders Redis.");
    two_facts("Primary is node1, replica is node2.", "Replica is node1, primary is node2.");
}

#[test]
fn a_reason_a_manner_or_a_sentence_is_detail() {
    let fact = "Service A uses PostgreSQL 15 for orders";
    one_fact(fact, "Service A uses PostgreSQL 15 for orders, because it needs JSONB.");
    one_fact(fact, "Service A uses PostgreSQL 15 for orders with a pool.");
    one_fact(fact, "Service A uses PostgreSQL 15 for orders (Mira set it up).");
    one_fact(fact, "Service A uses PostgreSQL 15 for orders. The schema is in db/orders.sql.");
    two_facts(fact, "Service A uses PostgreSQL 15 for orders since 2021.");
    two_facts(fact, "Service A uses PostgreSQL 15 for orders, but not for invoices.");
}

#[test]
fn a_narrower_or_wider_statement_is_another_one() {
    two_facts("The cache is in Redis.", "The cache is in Redis on staging.");
    two_facts("Use Redis for the cache.", "Use Redis for the session cache.");
    two_facts("Service A uses PostgreSQL for orders.", "Service A uses PostgreSQL for orders and invoices.");
    two_facts("Service A uses PostgreSQL.", "Service A uses PostgreSQL 15.");
    two_facts("Retry uploads.", "Retry failed uploads.");
}

#[test]
fn numbers_names_identifiers_and_dates_tell_facts_apart() {
    two_facts("The limit is 10.", "The limit is 100.");
    two_facts("The limit is 5 s.", "The limit is 5 ms.");
    two_facts("Retry 3 times in 5 s.", "Retry 5 times in 3 s.");
    two_facts("It is in src/a.rs.", "It is in src/b.rs.");
    two_facts("The key is userId.", "The key is userID now.");
    two_facts("Table Order has an index.", "Table Orders has an index.");
    two_facts("We meet on Monday.", "We meet on Tuesday.");
    two_facts("Anna owns the release.", "Jonas owns the release.");
    two_facts("Service A owns it.", "Service I owns it.");
    two_facts("Pass --force to it.", "Pass force to it.");
    two_facts("✅ Tests on ARM", "❌ Tests on ARM");
    two_facts("Deploy to the US region", "Deploy to us region");
}

#[test]
fn negations_conditions_and_tenses_tell_facts_apart() {
    two_facts("Use tabs.", "Do not use tabs.");
    two_facts("Use tabs.", "Don't use tabs.");
    two_facts("Use tabs.", "Use spaces instead of tabs.");
    two_facts("Deploy on merge.", "Deploy on merge if tests pass.");
    two_facts("The cache is slow.", "The cache was slow.");
    two_facts("We use Redis.", "We will use Redis.");
    two_facts("We use Redis.", "We failed to use Redis.");
    two_facts("We didn't use Redis.", "We won't use Redis.");
    two_facts("We shouldn't use Redis.", "We don't use Redis.");
    one_fact("We cannot use Redis.", "We can't use Redis.");
    two_facts("Do we use Redis?", "We use Redis here.");
    two_facts("Do we use Redis?", "We do use Redis");
    one_fact("Do not use tabs.", "Don't use tabs");
}

#[test]
fn the_order_of_words_tells_facts_apart() {
    two_facts("Auth depends on billing.", "Billing depends on auth.");
    two_facts("Migrate from MySQL to PostgreSQL.", "Migrate from PostgreSQL to MySQL.");
    two_facts("x < y", "y < x");
    two_facts("Prefer zod over joi.", "Prefer joi over zod.");
}

#[test]
fn texts_in_other_scripts_conflict_unless_they_are_the_same() {
    two_facts("订单服务使用数据库", "支付服务使用数据库");
    one_fact("订单服务使用数据库。", "订单服务使用数据库");
    two_facts("", "x");
    one_fact("?", "?");
}

/// All sentences that `template` gives, each `{}` with each of its fillings.
fn filled(template: &str, fillings: &[&[&str]]) -> Vec<String> {
    let mut texts = vec![template.to_owned()];
    for choices in fillings {
        texts = texts.iter().flat_map(|text| choices.iter().map(|choice| text.replacen("{}", choice, 1))).collect();
    }
    texts
}

/// Sentences that differ in one filling or several and state different facts.
fn templated() -> Vec<Vec<String>> {
    let services: &[&str] =
        &["A", "B", "orders", "orders archive", "billing", "the billing gateway", "PaymentService", "I"];
    let stores: &[&str] = &["PostgreSQL", "PostgreSQL 15", "PostgreSQL 16", "MySQL", "Redis", "an old Redis", "SQLite"];
    let uses: &[&str] = &["orders", "invoices", "orders and invoices", "failed orders", "orders in Berlin", "sessions"];
    let people: &[&str] = &["Anna", "Jonas", "Mira Lopez", "Mira", "the team", "nobody"];
    let days: &[&str] =
        &["Monday", "Tuesday", "May 3", "3 May 2024", "March 3", "the first of June", "the second of June"];
    vec![
        filled("Service {} uses {} for {}", &[services, stores, uses]),
        filled(
            "{} decided on {} to drop the {} endpoint",
            &[people, days, &["v1", "v2", "/v1/users", "users", "user list"]],
        ),
        filled(
            "The {} of {} is {}",
            &[
                &["timeout", "idle timeout", "port", "limit"],
                &["the proxy", "the api", "the api proxy"],
                &["30 s", "30 ms", "30", "60 s", "-1", "0.5", "1,000", "1,000,000", "unlimited"],
            ],
        ),
        filled(
            "{} the cache {} deploying",
            &[
                &["Clear", "Never clear", "Do not clear", "Keep", "Warm"],
                &["before", "after", "while", "without", "when not"],
            ],
        ),
        filled(
            "`{}` in {} returns {}",
            &[
                &["get_user", "get_users", "getUser", "getUserID", "getUserId"],
                &["src/a.rs", "src/b.rs", "a.rs", "src/a/mod.rs"],
                &["null", "an error", "404", "a 404 error", "nothing", "None"],
            ],
        ),
        filled(
            "{} calls {}",
            &[
                &["auth", "billing", "search", "auth service", "the auth proxy"],
                &["auth.", "billing.", "search.", "billing service.", "search and billing."],
            ],
        ),
        filled(
            "Bug {} is {} in version {}",
            &[
                &["#12", "#120", "12"],
                &["fixed", "not fixed", "open", "partly fixed"],
                &["1.2", "1.20", "1.2.0", "2.1", "1.2-beta"],
            ],
        ),
        filled(
            "If {} fails, {} it",
            &[
                &["the upload", "the first upload", "the upload of images", "the build"],
                &["retry", "skip", "retry and log", "log", "never retry", "report"],
            ],
        ),
    ]
}

#[test]
fn fillings_of_one_template_are_never_one_fact() {
    let mut pairs = 0_usize;
    for texts in templated() {
        for (at, one) in texts.iter().enumerate() {
            for other in &texts[at + 1..] {
                pairs += 1;
                assert!(conflict(one, other), "{one:?} and {other:?} are taken to be one fact");
            }
        }
    }
    assert!(pairs > 80_000, "{pairs}");
}

proptest! {
    #[test]
    fn a_normalised_text_is_normal(text in any::<String>()) {
        let once = normalised(&text);
        prop_assert_eq!(normalised(&once), once);
    }

    #[test]
    fn a_token_set_is_sorted_and_distinct(text in any::<String>()) {
        let tokens = token_set(&text);
        prop_assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(tokens.iter().all(|token| !token.is_empty()));
        let expected = if tokens.is_empty() { 0.0 } else { 1.0 };
        prop_assert_eq!(jaccard(&tokens, &tokens), expected);
        sketch(&text);
    }

    #[test]
    fn a_conflict_is_mutual(
        one in "(use|not|PG|15|for|orders|a|, |because|x\\.rs|\\. | ){0,9}",
        other in "(use|not|PG|15|for|orders|a|, |because|x\\.rs|\\. | ){0,9}",
    ) {
        prop_assert_eq!(conflict(&one, &other), conflict(&other, &one));
        prop_assert!(!conflict(&one, &one));
    }

    #[test]
    fn any_texts_are_compared(one in any::<String>(), other in any::<String>()) {
        conflict(&one, &other);
    }
}
