//! Counts are those of tiktoken, which is asked for each.

use proptest::prelude::*;

use crate::vocabulary::lookups;
use crate::{lines_within, model_tokens, model_tokens_within};

fn tiktoken(text: &str) -> u32 {
    tiktoken_rs::o200k_base_singleton().count_ordinary(text) as u32
}

#[track_caller]
fn check(text: &str) {
    let tokens = tiktoken(text);
    assert_eq!(model_tokens(text.as_bytes()), tokens, "{text:?}");
    assert_eq!(model_tokens_within(text.as_bytes(), tokens), Some(tokens), "{text:?}");
    if let Some(fewer) = tokens.checked_sub(1) {
        assert_eq!(model_tokens_within(text.as_bytes(), fewer), None, "{text:?}");
    }
}

/// Checks [`lines_within`] for all numbers of tokens against counting every beginning.
#[track_caller]
fn check_lines(text: &str) {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    let beginnings: Vec<(usize, u32)> =
        [0].into_iter().chain(breaks).chain([text.len()]).map(|end| (end, tiktoken(&text[..end]))).collect();
    for most in 0..=tiktoken(text) + 2 {
        let right = beginnings.iter().rfind(|(_, tokens)| *tokens <= most).expect("no line has no token");
        assert_eq!(lines_within(text, most), *right, "{most} of {text:?}");
    }
}

const RUST: &str = r#"
/// Nearest chunks to `query`, best first.
pub fn nearest<'a>(&'a self, query: &[f32], limit: usize) -> Result<Vec<(ChunkNo, f32)>, Error> {
    let HTTPServer { ref mut XMLHttpRequest2, .. } = *self;
    // ------------------------------------------------------------------
    if query.len() != 1_000_000 && x <<= 3 { return Err(Error::Dimensions { given: query.len() })?; }
    println!("{:?}\n\t{}", 'a', r"C:\temp");


}
"#;

const PYTHON: &str =
    "def main(argv=None):\n\tprint(f\"it's {argv!r:>10}\")  # don't\n\n\n    return {k: v**2 for k, v in x.items()}\n";

const GO: &str = "func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n\tif err := s.mux(); err != nil {\n\t\treturn\n\t}\n}\n//\n// see\n";

const SHELL: &str = "#!/bin/sh\r\nset -euo pipefail\r\nfor f in \"$@\"; do\r\n  grep -E '^[a-z]+$' <\"$f\" | sort -u >>/tmp/x//y 2>&1\r\ndone\r\n";

const JSON: &str = r#"{"name": "icr", "version": [0, 1.25e-10, null], "long": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0/IzW7yWR7QkrmBL7jTKEn5u", "sha": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}"#;

const PROSE: &str = "It's what we'd call “plain” English — isn't it? THEY'LL SAY'S NO'T; I'M you'Re we'vE he'LL. 12345678 3.14159 ½ ² Ⅷ ٣٤٥٦";

const SCRIPTS: &str = "吾輩は猫である。名前はまだ無い。ﾊﾝｶｸ 안녕하세요 세계 你好，世界！Ελληνικά ΟΔΟΣ Привет, Мир! हिन्दी में लिखा हुआ क्षत्रिय العَرَبِيَّة مرحبا بالعالم ภาษาไทยไม่มีช่องว่าง עִבְרִית Ǆǅǆ ǅungla ʰʷ ªº";

const SYMBOLS: &str = "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 e\u{301}\u{323}Ab\u{308}c \u{301}ABC \u{301}'s ⃣1️⃣ →⇒∑∫√ £€¥ \u{feff}\u{200b}\u{200d}\u{ad} \u{378}\u{e000}\u{10ffff}\0\u{7f}";

const BLANKS: &str = " a  b   c\t\td \n \n\n  \r\n\r\n \t e\u{a0}f\u{a0}\u{a0}g\u{3000}\u{3000}h\u{2028}\u{2028}i\u{85}\u{85}j \u{b} \u{c}k    \n    l\r\rm  ";

const CONTRACTIONS: &str = "I's i'S i'ſ I'sS 's 'S ''s a'sb A'ST a're a'r a'RE x'l x'll 'd'd'd 1's 1'll é's É'S 中's 中'll \u{301}'m ' s 's's a'\u{17f}a";

#[test]
fn texts_of_many_kinds_have_the_tokens_of_tiktoken() {
    for text in [RUST, PYTHON, GO, SHELL, JSON, PROSE, SCRIPTS, SYMBOLS, BLANKS, CONTRACTIONS] {
        check(text);
        check(&text.to_uppercase());
        check(&text.to_lowercase());
        check(&text.replace('\n', "\r\n"));
        check(&text.replace(' ', ""));
        check(&text.replace(' ', "\n/"));
        text.char_indices().for_each(|(at, _)| check(&text[at..]));
    }
}

#[test]
fn sources_of_this_crate_have_the_tokens_of_tiktoken() {
    for text in [
        include_str!("characters.rs"),
        include_str!("lines.rs"),
        include_str!("merge.rs"),
        include_str!("pieces.rs"),
        include_str!("vocabulary.rs"),
    ] {
        check(text);
        text.split_inclusive('\n').for_each(check);
    }
}

#[test]
fn small_texts_count() {
    for (text, tokens) in [("", 0), (" ", 1), ("open", 1), ("configuration", 1), ("fn main() {\n}\n", 5), ("日本", 1)]
    {
        assert_eq!((model_tokens(text.as_bytes()), tiktoken(text)), (tokens, tokens), "{text:?}");
    }
}

#[test]
fn names_of_special_tokens_are_text() {
    check("<|endoftext|><|endofprompt|>");
    assert!(model_tokens(b"<|endoftext|>") > 1);
}

#[test]
fn what_is_not_utf_8_counts_as_its_lossy_text() {
    for bytes in [&b"a\xff\xfeb"[..], b"\xe6\x97", b"caf\xc3 \xf0\x9f\x98", b"\xed\xa0\x80", b"\x80"] {
        let lossy = String::from_utf8_lossy(bytes);
        assert_eq!(model_tokens(bytes), tiktoken(&lossy), "{bytes:?}");
        assert_eq!(model_tokens_within(bytes, 0), None);
    }
}

/// Runs that are one piece, or many that are alike.
const RUNS: [&str; 14] =
    ["a", "A", "=", " ", "\n", " \n", "\r\n", "/", "ab", "ACGT", "中", "\u{301}", "é", "QUJDREVGRw"];

#[test]
fn long_runs_have_the_tokens_of_tiktoken() {
    for run in RUNS {
        for length in [60, 95, 96, 97, 98, 127, 128, 129, 130, 255, 256, 257, 1_000, 5_000] {
            let text: String = run.chars().cycle().take(length).collect();
            check(&text);
            check(&format!("x {text}y"));
        }
    }
}

/// Letters without any pattern that merge again and again.
fn letters(length: usize) -> String {
    let mut state = 1_u64;
    let letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"etaoinshrdlu"[(state >> 33) as usize % 12])
    };
    std::iter::repeat_with(letter).take(length).collect()
}

#[test]
fn long_pieces_without_pattern_have_the_tokens_of_tiktoken() {
    for length in [90, 96, 97, 200, 3_000, 30_000] {
        check(&letters(length));
    }
}

#[test]
fn a_long_piece_costs_a_few_look_ups_a_byte() {
    let runs = RUNS.map(|run| run.chars().cycle().take(200_000).collect());
    for text in runs.into_iter().chain([letters(200_000)]) {
        let (tokens, lookups) = lookups::of(|| model_tokens(text.as_bytes()));
        assert!(tokens >= 200_000 / 128, "{tokens} tokens");
        assert!(lookups <= 4 * text.len() as u64, "{lookups} look-ups, {:?}", &text[..12]);
    }
}

#[test]
fn what_cannot_fit_is_not_merged() {
    for run in RUNS {
        let text: String = run.chars().cycle().take(1_000_000).collect();
        let (tokens, lookups) = lookups::of(|| model_tokens_within(text.as_bytes(), 1_000));
        assert_eq!((tokens, lookups), (None, 0));
        let (_, lookups) = lookups::of(|| lines_within(&format!("a b c\n{text}\n"), 1_000));
        assert!(lookups <= 1_000 * 128 * 16, "{lookups} look-ups, {run:?}");
    }
}

#[test]
fn lines_of_many_kinds_are_counted_as_texts() {
    for text in [RUST, PYTHON, GO, SHELL, JSON, PROSE, SCRIPTS, SYMBOLS, BLANKS, CONTRACTIONS] {
        check_lines(text);
        check_lines(&text.replace('\n', "\r\n"));
        check_lines(&text.replace(' ', "\n"));
        check_lines(&text.replace(' ', "\n//"));
    }
    check_lines("");
    check_lines("\n");
    check_lines("a\nb");
    check_lines("}\n//\n//\n\n///\n");
}

#[test]
fn runs_of_line_breaks_are_counted_as_texts() {
    for run in ["\n", "\r\n", " \n", "\n ", "\n\n\t\t", "  \n\n \n", "/\n", "=\n//", "\n//\n/", "\u{a0}\n"] {
        check_lines(&run.repeat(60));
        check_lines(&format!("a();{}b", run.repeat(60)));
    }
    check_lines(&format!("{}\n{}\n\n", " ".repeat(300), " ".repeat(200)));
    check_lines(&format!("{}\n\n\n//\n", "=-".repeat(150)));
}

/// Characters of all classes, and those of which the pattern has more to say.
fn awkward() -> impl Strategy<Value = String> {
    let characters = prop::sample::select(vec![
        'a',
        'e',
        's',
        't',
        'l',
        'd',
        'm',
        'r',
        'v',
        'A',
        'S',
        'L',
        'Z',
        'ſ',
        'é',
        'ß',
        'É',
        'Σ',
        'ǅ',
        'ǈ',
        'ʰ',
        'ª',
        '々',
        '中',
        'あ',
        'ا',
        'ก',
        'अ',
        '\u{301}',
        '\u{93f}',
        '\u{94d}',
        '\u{e34}',
        '\u{64e}',
        '\u{20e3}',
        '\u{fe0f}',
        '0',
        '1',
        '9',
        '½',
        '٣',
        'Ⅷ',
        '²',
        ' ',
        ' ',
        ' ',
        ' ',
        '\t',
        '\n',
        '\n',
        '\n',
        '\r',
        '\u{a0}',
        '\u{85}',
        '\u{3000}',
        '\u{2028}',
        '\u{b}',
        '/',
        '/',
        '\'',
        '\'',
        '\'',
        '’',
        '.',
        '=',
        '-',
        '_',
        '(',
        '"',
        '€',
        '→',
        '😀',
        '\u{200d}',
        '\u{feff}',
        '\0',
        '\u{378}',
        '\u{10ffff}',
    ]);
    prop::collection::vec(characters, 0..48).prop_map(String::from_iter)
}

/// Few characters, so that pieces are long.
fn monotonous() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "aA中\u{301}",
        " \n/",
        "\r\n \t",
        "=/\n.",
        "ab",
        " a",
        "A\u{301}'s",
        "\n\n\n/ =",
        "  \t\n",
    ])
    .prop_flat_map(|alphabet| {
        prop::collection::vec(prop::sample::select(alphabet.chars().collect::<Vec<char>>()), 0..300)
    })
    .prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn awkward_texts_have_the_tokens_of_tiktoken(text in awkward()) {
        check(&text);
    }

    #[test]
    fn monotonous_texts_have_the_tokens_of_tiktoken(text in monotonous()) {
        check(&text);
    }

    #[test]
    fn any_texts_have_the_tokens_of_tiktoken(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_bytes_have_the_tokens_of_their_lossy_text(bytes in any::<Vec<u8>>()) {
        prop_assert_eq!(model_tokens(&bytes), tiktoken(&String::from_utf8_lossy(&bytes)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn lines_of_awkward_texts_are_counted_as_texts(text in awkward()) {
        check_lines(&text);
    }

    #[test]
    fn lines_of_monotonous_texts_are_counted_as_texts(text in monotonous()) {
        check_lines(&text);
    }
}
