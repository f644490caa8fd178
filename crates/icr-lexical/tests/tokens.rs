//! What the tokenizer makes of text.

use icr_lexical::{identifiers, query_terms, tokens};
use proptest::prelude::*;

fn tokens_of(text: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    tokens(text, &mut |token| all.push(token.to_owned()));
    all
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(tokens_of(text.as_bytes()).join(" "), expected, "{text:?}");
}

#[test]
fn a_version_is_a_word() {
    assert_eq!(tokens_of(b"1.10.0"), ["1.10.0", "10"]);
    assert_eq!(
        tokens_of(b"since v2.120, not 2.120 or 0.5.x"),
        ["since", "2.120", "v2", "120", "not", "120", "or", "0.5"]
    );
    assert_eq!(tokens_of(b"a.1.2 1.2.3.4.5 12345.1.1"), ["12345"]);
    assert!(!tokens_of(b"1.2.3rc1").iter().any(|token| token.contains('.')));
}

#[test]
fn an_identifier_gives_itself_and_its_parts() {
    check("open_file", "open_file open file");
    check("openFile", "openfile open file");
    check("HTTPServer", "httpserver http server");
    check("parseJSON", "parsejson parse json");
    check("getX", "getx get");
    check("utf8", "utf8 utf");
    check("sha256sum", "sha256sum sha 256 sum");
    check("MAX_LEN", "max_len max len");
    check("__init__", "__init__ init");
    check("open", "open");
    check("Open", "open");
    check("OPEN", "open");
}

#[test]
fn punctuation_separates() {
    check("foo.bar(baz)->qux", "foo bar baz qux");
    check("my-file_name.rs", "my file_name file name rs");
    check("don't", "don");
}

#[test]
fn single_letters_digits_and_bare_underscores_give_nothing() {
    check("x = y + 1; _ __ T", "");
    check("λ", "λ");
}

#[test]
fn numbers_of_two_to_sixteen_digits_are_kept() {
    check("404 1_000_000 7", "404 1000000");
    check("1234567890123456", "1234567890123456");
    check("12345678901234567", "");
    check("0xFF", "0xff ff");
}

#[test]
fn an_opaque_identifier_has_no_parts() {
    check("a1b2c3d4e5f6", "a1b2c3d4e5f6");
}

#[test]
fn endings_of_parts_and_words_are_taken_off() {
    check("list_files", "list_files list file");
    check("files", "files file");
    check("class status https", "class status https http");
}

#[test]
fn forms_of_one_word_share_a_token() {
    for forms in [
        "parse parses parsed parsing",
        "query queries queried querying",
        "cache caches cached caching",
        "match matches matched matching",
        "map maps mapped mapping",
        "resolve resolves resolved resolving",
        "index indexes indexed indexing",
        "create creates created creating",
        "update updates updated updating",
        "handle handles handled handling",
        "compute computes computed computing",
        "encode encodes encoded encoding",
        "return returns returned returning",
        "require requires required requiring",
        "call calls called calling",
        "load loads loaded loading",
        "store stores stored storing",
        "merge merges merged merging",
        "make makes making",
        "process processes processed processing",
        "write writes writing",
        "queue queues queued queueing queuing",
        "size sizes sized sizing",
        "cookie cookies",
    ] {
        let base = forms.split(' ').next().unwrap();
        for form in forms.split(' ') {
            assert!(
                tokens_of(form.as_bytes()).iter().any(|token| token == base),
                "{form}: {:?}",
                tokens_of(form.as_bytes())
            );
        }
    }
}

#[test]
fn short_words_and_words_without_another_vowel_stay() {
    for word in ["string", "thing", "need", "feed", "red", "bus", "this", "using", "is", "string_thing"] {
        let first = tokens_of(word.as_bytes());
        assert!(first.iter().all(|token| word.split('_').any(|part| part == token) || token == word), "{first:?}");
    }
}

#[test]
fn other_scripts_are_words_too() {
    check("Größe_ändern", "größe_ändern größe ändern");
    check("ПолучитьФайл", "получитьфайл получить файл");
    check("ΛΟΓΟΣ λόγος", "λογοσ λόγοσ");
    check("naïveFiles", "naïvefiles naïve file");
}

#[test]
fn scripts_without_spaces_give_characters_and_pairs() {
    check("日本語", "日 日本 本 本語 語");
    check("ユーザーID", "ユ ユー ー ーザ ザ ザー ー id");
}

#[test]
fn bytes_that_are_not_utf_8_separate() {
    assert_eq!(tokens_of(b"open\xffclose\xc3"), ["open", "close"]);
    assert_eq!(tokens_of(b"\xff\xfe"), Vec::<String>::new());
}

#[test]
fn long_identifiers_are_cut() {
    assert_eq!(tokens_of("a".repeat(100_000).as_bytes()), ["a".repeat(64)]);
    let long = "é".repeat(1_000);
    assert_eq!(tokens_of(long.as_bytes()), ["é".repeat(32)]);
    // Parts come from the first 256 bytes only: 85 whole ones, and a letter that is dropped.
    assert_eq!(tokens_of("ab_".repeat(10_000).as_bytes()).len(), 1 + 85);
}

#[test]
fn identifiers_keep_case_and_repetitions() {
    let mut all = Vec::new();
    identifiers("Open open(Open) _ 12 x2 größe $scope".as_bytes(), &mut |name| all.push(name.to_owned()));
    assert_eq!(all, ["Open", "open", "Open", "x2", "größe", "scope"]);
}

#[test]
fn query_terms_are_distinct_and_in_order() {
    assert_eq!(query_terms("open the fileName, file name open"), ["open", "the", "filename", "file", "name"]);
    assert_eq!(query_terms(" +-: \"*"), Vec::<String>::new());
}

/// Text that looks like code in several scripts more often than chance would.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![4 => "[a-zA-Z0-9_]{1,12}", 1 => "[ .(){}\\n-]{1,3}", 1 => any::<String>()], 0..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_are_short_and_hold_no_separator(bytes in prop::collection::vec(any::<u8>(), 0..300), text in text()) {
        for token in tokens_of(&bytes).into_iter().chain(tokens_of(text.as_bytes())) {
            prop_assert!((1..=64).contains(&token.len()), "{token:?}");
            prop_assert!(!token.contains(|character: char| character.is_whitespace() || character.is_control()));
        }
    }

    #[test]
    fn an_identifier_of_a_text_is_found_by_its_tokens(text in text()) {
        let all = tokens_of(text.as_bytes());
        let mut names = Vec::new();
        identifiers(text.as_bytes(), &mut |name| names.push(name.to_owned()));
        // An identifier that is cut at 64 bytes has other last tokens than its beginning alone; the cut is up to three bytes
        // earlier where a character stands across it.
        for name in names.iter().filter(|name| name.len() < 61) {
            for token in tokens_of(name.as_bytes()) {
                prop_assert!(all.contains(&token), "{name}: {token}");
            }
        }
    }

    #[test]
    fn the_place_of_an_identifier_does_not_matter(before in text(), name in "[a-zA-Z_][a-zA-Z0-9_]{0,80}", after in text()) {
        let around = |text: &str| tokens_of(text.as_bytes());
        let together = around(&format!("{before} {name} {after}"));
        prop_assert_eq!(together, [around(&before), around(&name), around(&after)].concat());
    }

    #[test]
    fn case_does_not_change_the_whole_identifier(name in "[a-zA-Z_]{2,40}") {
        let first = |text: String| tokens_of(text.as_bytes()).into_iter().next();
        prop_assert_eq!(first(name.to_lowercase()), first(name.clone()));
        prop_assert_eq!(first(name.to_uppercase()), first(name));
    }
}
