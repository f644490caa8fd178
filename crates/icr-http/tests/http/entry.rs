//! Who is let in.

use crate::place::Place;

#[test]
fn nothing_is_answered_without_a_token_or_a_session() {
    let place = Place::new();
    let wrong: [&[(&str, &str)]; 7] = [
        &[],
        &[("Authorization", "Bearer wrong")],
        &[("Authorization", "Bearer ")],
        &[("Authorization", &place.token)],
        &[("Authorization", &format!("Basic {}", place.token))],
        &[("Cookie", &format!("token={}", place.token))],
        &[("X-Icr", "1")],
    ];
    for headers in wrong {
        for (method, path) in [
            ("GET", "/api/search?query=token"),
            ("GET", "/api/openapi.json"),
            ("GET", "/api/nothing"),
            ("POST", "/api/memory"),
            ("POST", "/api/index"),
            ("POST", "/mcp"),
            ("GET", "/mcp"),
            ("DELETE", "/api/repos/0000000000000000"),
        ] {
            let answer = place.send(method, path, headers, "{}");
            assert_eq!(answer.error(), (401, "UNAUTHORIZED".to_owned()), "{method} {path} {headers:?}");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
    let in_the_address = place.send("GET", &format!("/api/repos?token={0}&access_token={0}", place.token), &[], "");
    assert_eq!(in_the_address.status, 401);
    assert_eq!(place.ask("GET", "/api/repos", &[], "").status, 200);
    assert_eq!(place.send("GET", "/api/health", &[], "").json()["status"], "ok");
}

#[test]
fn a_name_that_leads_here_from_elsewhere_is_refused() {
    let place = Place::new();
    let port = place.address.port();
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("localhost:{port}@evil.example"),
        String::new(),
    ];
    for host in hosts {
        let answer = place.ask("GET", "/api/repos", &[("Host", &host)], "");
        assert_eq!(answer.error(), (403, "WRONG_HOST".to_owned()), "{host}");
        assert_eq!(place.ask("GET", "/", &[("Host", &host)], "").status, 403, "also the page: {host}");
    }
    let twice = [("Host", format!("127.0.0.1:{port}")), ("Host", "evil.example".to_owned())];
    let twice: Vec<(&str, &str)> = twice.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_ne!(place.ask("GET", "/api/repos", &twice, "").status, 200);
    assert_eq!(place.ask("GET", "/api/repos", &[("Host", &format!("LocalHost:{port}"))], "").status, 200);
}

#[test]
fn pages_of_other_sites_ask_nothing() {
    let place = Place::new();
    let port = place.address.port();
    for origin in ["http://evil.example", "null", &format!("https://127.0.0.1:{port}"), "http://127.0.0.1:1", "file://"]
    {
        let answer = place.ask("GET", "/api/repos", &[("Origin", origin)], "");
        assert_eq!(answer.error(), (403, "WRONG_ORIGIN".to_owned()), "{origin}");
        assert_eq!(place.ask("POST", "/mcp", &[("Origin", origin)], "{}").status, 403, "{origin}");
        assert_eq!(place.send("OPTIONS", "/api/repos", &[("Origin", origin)], "").status, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(place.ask("GET", "/api/repos", &[("Sec-Fetch-Site", site)], "").status, 403, "{site}");
    }
    let own = format!("http://127.0.0.1:{port}");
    assert_eq!(place.ask("GET", "/api/repos", &[("Origin", &own), ("Sec-Fetch-Site", "same-origin")], "").status, 200);
    let answer = place.ask("GET", "/api/repos", &[], "");
    assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "no other origin may read it");
}

/// The cookie that the link makes.
fn cookie_of(place: &Place) -> String {
    let path = place.link.split_once(&place.address.to_string()).expect("its address").1;
    let answer = place.send("GET", path, &[("Sec-Fetch-Site", "none")], "");
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    let cookie = answer.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    cookie.split_once(';').expect("attributes").0.to_owned()
}

#[test]
fn a_link_works_once_and_its_session_cannot_be_used_by_other_pages() {
    let place = Place::new();
    let cookie = cookie_of(&place);
    let path = place.link.split_once(&place.address.to_string()).expect("its address").1;
    let again = place.send("GET", path, &[], "");
    assert_eq!((again.status, again.header("location"), again.header("set-cookie")), (303, "/?link=used", ""));
    let session = [("Cookie", cookie.as_str())];
    assert_eq!(place.send("GET", "/api/repos", &session, "").status, 200);
    let store = r#"{"topic": "t", "content": "c"}"#;
    let kind = ("Content-Type", "application/json");
    let refused = place.send("POST", "/api/memory", &[session[0], kind], store);
    assert_eq!(refused.error(), (403, "NOT_FROM_THE_PAGE".to_owned()));
    assert_eq!(place.send("POST", "/api/memory", &[session[0], kind, ("X-Icr", "1")], store).status, 200);
    assert_eq!(place.send("POST", "/mcp", &[session[0], kind, ("X-Icr", "1")], "{}").status, 401);
    let wrong_token = [session[0], ("Authorization", "Bearer wrong")];
    assert_eq!(place.send("GET", "/api/repos", &wrong_token, "").status, 401);
    let half = &cookie[..cookie.len() - 1];
    assert_eq!(place.send("GET", "/api/repos", &[("Cookie", half)], "").status, 401);
    let among_others = format!("a=b; {cookie}; c=d");
    assert_eq!(place.send("GET", "/api/repos", &[("Cookie", &among_others)], "").status, 200);
}

#[test]
fn what_only_looks_at_a_link_uses_it_up_for_nobody() {
    let place = Place::new();
    let path = place.link.split_once(&place.address.to_string()).expect("its address").1;
    for (method, headers) in [("HEAD", &[][..]), ("GET", &[("Sec-Purpose", "prefetch")][..])] {
        let answer = place.send(method, path, headers, "");
        assert_eq!((answer.status, answer.header("set-cookie")), (200, ""), "{method} {headers:?}");
    }
    cookie_of(&place);
}

#[test]
fn a_body_of_many_small_values_is_counted_before_it_is_read() {
    let place = Place::new();
    let body = format!(r#"{{"topic":[{}0]}}"#, "[[]],".repeat(100_001));
    let refused = place.ask("POST", "/api/memory", &[("Content-Type", "application/json")], &body);
    assert_eq!(refused.error(), (400, "VALIDATION_ERROR".to_owned()));
    assert!(refused.body.contains("300006 values, and at most 200000 are read"), "{}", refused.body);
}

#[test]
fn a_program_gets_a_link_from_a_server_that_knows_the_token_and_shows_it_to_no_other() {
    let place = Place::new();
    let home = place.fixture.home().join("icr");
    let link = icr_http::link_of(place.address, &home).expect("a link");
    let path = link.split_once(&place.address.to_string()).expect("its address").1;
    assert_eq!(place.send("GET", path, &[], "").header("location"), "/");
    // Another home has another token.
    let other = tempfile::tempdir().expect("a directory");
    let foreign = icr_http::link_of(place.address, other.path()).expect_err("no link");
    assert!(matches!(foreign, icr_http::LinkError::Foreign(_)), "{foreign}");
}

#[test]
fn every_response_says_what_pages_may_do() {
    let place = Place::new();
    for answer in [
        place.send("GET", "/", &[], ""),
        place.ask("GET", "/api/repos", &[], ""),
        place.send("GET", "/api/repos", &[], ""),
        place.send("GET", "/nothing", &[], ""),
        place.send("GET", "/", &[("Host", "evil.example")], ""),
    ] {
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert!(["no-store", "no-cache"].contains(&answer.header("cache-control")), "{:?}", answer.headers);
    }
}
