//! What is known of candidates, and the order that comes of it.

use icr_model::SymbolKind;
use proptest::prelude::*;

use super::*;
use crate::{DefinitionEvidence, Emphasis, FileKind, NameMatch};

fn of_path(path: &str) -> FileEvidence {
    FileEvidence::new(path.into(), FileKind::of(&path.into()))
}

/// A file of 100 lines whose chunks have these BM25 sums in their bodies.
fn file(path: &str, bodies: &[f64]) -> FileEvidence {
    let chunks = bodies.iter().zip(0..);
    let chunks = chunks.map(|(body, at)| ChunkEvidence { fields: [*body, 0.0, 0.0], ..ChunkEvidence::new(at) });
    FileEvidence { chunks: chunks.collect(), lines_total: 100, ..of_path(path) }
}

fn with(mut file: FileEvidence, change: impl FnOnce(&mut FileEvidence)) -> FileEvidence {
    change(&mut file);
    file
}

fn query(text: &str) -> QueryEvidence {
    QueryEvidence { shape: QueryShape::of(text), path_rarities: vec![1.0, 3.0] }
}

#[track_caller]
fn check_with(weights: &Weights, files: &[FileEvidence], text: &str, expected: &[&str]) {
    let ranked = rank(files, &query(text), weights);
    let paths: Vec<String> = ranked.iter().map(|ranked| files[ranked.file].path.to_string()).collect();
    assert_eq!(paths, expected);
}

#[track_caller]
fn check(files: &[FileEvidence], text: &str, expected: &[&str]) {
    check_with(&Weights::lexical(), files, text, expected);
}

#[test]
fn several_good_chunks_beat_one_slightly_better() {
    check(&[file("a.rs", &[10.0]), file("b.rs", &[9.0, 8.0])], "q", &["b.rs", "a.rs"]);
    check(&[file("a.rs", &[10.0]), file("b.rs", &[5.0, 5.0])], "q", &["a.rs", "b.rs"]);
}

#[test]
fn equal_scores_are_ordered_by_path() {
    check(&[file("b.rs", &[1.0]), file("a.rs", &[1.0])], "q", &["a.rs", "b.rs"]);
    check(&[], "q", &[]);
}

#[test]
fn tests_come_after_what_they_test_unless_asked_for() {
    let files = [file("src/a.rs", &[8.0]), file("tests/a.rs", &[10.0])];
    check(&files, "open socket", &["src/a.rs", "tests/a.rs"]);
    check(&files, "test open socket", &["tests/a.rs", "src/a.rs"]);
}

#[test]
fn an_older_version_comes_after_the_newer_one_unless_asked_for() {
    let files = [file("v3/a.ts", &[9.0]), file("v4/a.ts", &[8.0])];
    check(&files, "parse", &["v4/a.ts", "v3/a.ts"]);
    check(&files, "parse in v3", &["v3/a.ts", "v4/a.ts"]);
}

#[test]
fn each_evidence_by_itself_puts_a_file_first() {
    let changes: [fn(&mut FileEvidence); 11] = [
        |file| file.chunks[0].fields[0] = 2.0,
        |file| file.chunks[0].fields[1] = 2.0,
        |file| file.chunks[0].fields[2] = 2.0,
        |file| file.chunks[0].defined = Some(DefinitionEvidence { kind: SymbolKind::Struct, as_written: true }),
        |file| file.chunks[0].is_contract = true,
        |file| file.path_score = 1.0,
        |file| file.name = NameMatch { words: 1, words_matched: 1, terms_matched: 1 },
        |file| file.history_score = 1.0,
        |file| file.recency = 0.5,
        |file| file.in_focus = true,
        |file| file.is_pinned = true,
    ];
    for change in changes {
        check(&[file("a.rs", &[1.0]), with(file("b.rs", &[1.0]), change)], "q", &["b.rs", "a.rs"]);
    }
    let lengthened = with(file("b.rs", &[1.0]), |file| file.lines_total = 101);
    check(&[file("a.rs", &[1.0]), lengthened], "q", &["b.rs", "a.rs"]);
}

#[test]
fn a_rare_word_of_the_name_says_more_than_a_common_one() {
    let named = |path: &str, terms_matched| {
        with(file(path, &[1.0]), |file| file.name = NameMatch { words: 1, words_matched: 1, terms_matched })
    };
    check(&[named("a.rs", 0b01), named("b.rs", 0b10)], "q", &["b.rs", "a.rs"]);
    let partly = with(named("b.rs", 0b10), |file| file.name.words = 4);
    check(&[named("a.rs", 0b01), partly], "q", &["a.rs", "b.rs"]);
}

#[test]
fn a_file_that_the_query_names_leads() {
    let files = |values: [Option<f64>; 2]| {
        let files = [file("a.rs", &[1.0]), file("b.rs", &[0.9])];
        let mentioned = files.into_iter().zip(values);
        mentioned.map(|(file, value)| with(file, |file| file.mentioned = value)).collect::<Vec<_>>()
    };
    check(&files([Some(0.0), Some(1.0)]), "q", &["b.rs", "a.rs"]);
    check(&files([Some(0.0), Some(0.0)]), "q", &["a.rs", "b.rs"]);
    let score_of = |files: &[FileEvidence]| rank(files, &query("q"), &Weights::hybrid())[0].score;
    assert!(score_of(&files([Some(0.0), Some(0.0)])) < score_of(&files([None, None])));
}

#[test]
fn vectors_count_where_they_are() {
    let similar = |path: &str, similarity, cosine| {
        with(file(path, &[1.0]), |file| {
            file.similarity = Some(similarity);
            file.chunks[0].cosine = Some(cosine);
        })
    };
    let hybrid = Weights::hybrid();
    check_with(&hybrid, &[similar("a.rs", 0.2, 0.5), similar("b.rs", 0.6, 0.5)], "q", &["b.rs", "a.rs"]);
    check_with(&hybrid, &[similar("a.rs", 0.5, 0.2), similar("b.rs", 0.5, 0.6)], "q", &["b.rs", "a.rs"]);
    check_with(
        &hybrid,
        &[similar("a.rs", 0.1, 0.1), file("b.rs", &[1.0]), similar("c.rs", 0.9, 0.9)],
        "q",
        &["c.rs", "b.rs", "a.rs"],
    );
    check_with(&Weights::lexical(), &[file("a.rs", &[1.0]), similar("b.rs", 0.9, 0.9)], "q", &["a.rs", "b.rs"]);
    check_with(&hybrid, &[similar("b.rs", -0.5, -0.5), similar("a.rs", f64::NAN, 0.0)], "q", &["a.rs", "b.rs"]);
}

#[test]
fn meaning_alone_does_not_look_at_words() {
    let near = with(file("b.rs", &[0.0]), |file| file.similarity = Some(0.5));
    let said = with(file("a.rs", &[9.0]), |file| file.similarity = Some(0.4));
    check_with(&Weights::semantic(), &[said, near], "q", &["b.rs", "a.rs"]);
}

#[test]
fn the_best_by_everything_has_score_one() {
    let best = with(file("a.rs", &[10.0]), |file| {
        file.chunks[0] = ChunkEvidence {
            fields: [9.0, 3.0, 3.0],
            cosine: Some(0.8),
            defined: Some(DefinitionEvidence { kind: SymbolKind::Class, as_written: true }),
            is_contract: true,
            ..file.chunks[0]
        };
        file.path_score = 2.0;
        file.name = NameMatch { words: 1, words_matched: 1, terms_matched: 1 };
        file.similarity = Some(0.7);
        file.history_score = 4.0;
        file.recency = 1.0;
        file.in_focus = true;
        file.is_pinned = true;
    });
    for weights in [Weights::hybrid(), Weights::lexical()] {
        let ranked = rank(std::slice::from_ref(&best), &query("q"), &weights);
        assert!((ranked[0].score - 1.0).abs() < 1e-12, "{}", ranked[0].score);
        assert!((ranked[0].chunks[0].score - 1.0).abs() < 1e-12);
        assert!(ranked[0].parts.iter().all(|part| part.value == 1.0 && part.weight > 0.0));
    }
}

#[test]
fn the_definition_leads_its_file_and_the_most_telling_of_two_the_other() {
    let mut files = [file("a.rs", &[10.0, 3.0, 5.0])];
    files[0].chunks[1].defined = Some(DefinitionEvidence { kind: SymbolKind::Field, as_written: true });
    files[0].chunks[2].defined = Some(DefinitionEvidence { kind: SymbolKind::Function, as_written: true });
    let ranked = rank(&files, &query("open"), &Weights::lexical());
    let order: Vec<usize> = ranked[0].chunks.iter().map(|placed| placed.chunk).collect();
    assert_eq!(order, [2, 1, 0]);
}

#[test]
fn by_places_it_does_not_matter_how_much_better_the_best_is() {
    let far_ahead = with(file("a.rs", &[100.0]), |file| file.history_score = 1.0);
    let second = with(file("b.rs", &[2.0]), |file| file.history_score = 2.0);
    let files = [far_ahead, second, file("c.rs", &[1.0])];
    let weights = Channel::all().fold(Weights::lexical(), |weights, channel| weights.with(channel, 0.0));
    let weights = weights.with(Channel::Text, 0.5).with(Channel::History, 0.6);
    check_with(&weights, &files, "q", &["a.rs", "b.rs", "c.rs"]);
    let by_place = weights.with_fusion(Fusion::ReciprocalRank);
    check_with(&by_place, &files, "q", &["b.rs", "a.rs", "c.rs"]);
    let value_of = |place: usize| rank(&files, &query("q"), &by_place)[place].parts[0].value;
    assert_eq!([value_of(0), value_of(1), value_of(2)], [61.0 / 62.0, 1.0, 61.0 / 63.0]);
}

#[test]
fn each_kind_of_evidence_counts_as_much_as_is_said() {
    let usual = Weights::hybrid();
    let raised = [
        (Emphasis { words: 2.0, ..Emphasis::default() }, Channel::Text),
        (Emphasis { vectors: 2.0, ..Emphasis::default() }, Channel::Similarity),
        (Emphasis { recency: 2.0, ..Emphasis::default() }, Channel::Recency),
        (Emphasis { focus: 2.0, ..Emphasis::default() }, Channel::Focus),
        (Emphasis { pinned: 2.0, ..Emphasis::default() }, Channel::Pinned),
    ];
    for (emphasis, raised) in raised {
        let weights = usual.with_emphasis(&emphasis);
        assert_eq!(weights.of(raised), 2.0 * usual.of(raised));
        assert_eq!(weights.of(Channel::Length), usual.of(Channel::Length));
    }
    assert_eq!(usual.with_emphasis(&Emphasis::default()), usual);
    let nonsense = Emphasis { words: -1.0, vectors: f64::NAN, ..Emphasis::default() };
    let weights = usual.with_emphasis(&nonsense);
    assert_eq!((weights.of(Channel::Text), weights.of(Channel::Similarity)), (0.0, 0.0));
}

#[test]
fn no_weight_and_no_evidence_is_no_score() {
    let none = Channel::all().fold(Weights::lexical(), |weights, channel| weights.with(channel, 0.0));
    let ranked = rank(&[file("a.rs", &[1.0])], &query("q"), &none);
    assert_eq!((ranked[0].score, ranked[0].parts.len()), (0.0, 0));
    let empty = rank(&[of_path("a.rs")], &QueryEvidence::default(), &Weights::hybrid());
    assert_eq!(empty[0].score, 0.0);
}

/// Numbers that evidence may be, and some that it must not be.
fn any_score() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..9.0_f64, 1 => Just(0.0), 1 => Just(-1.0), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)]
}

fn any_file() -> impl Strategy<Value = FileEvidence> {
    let chunk = (prop::array::uniform3(0.0..9.0_f64), prop::option::of(-1.0..1.0_f64), any::<bool>(), any::<bool>());
    let chunk = chunk.prop_map(|(fields, cosine, is_defined, is_contract)| {
        let defined = is_defined.then_some(DefinitionEvidence { kind: SymbolKind::Method, as_written: true });
        ChunkEvidence { fields, cosine, defined, is_contract, ..ChunkEvidence::new(0) }
    });
    let scores = (0.0..9.0_f64, 0.0..9.0_f64, 0.0..1.0_f64, prop::option::of(-1.0..1.0_f64));
    let flags = (any::<bool>(), any::<bool>(), 0..3_u32, 0..9_u32);
    (prop::collection::vec(chunk, 0..6), scores, flags).prop_map(|(mut chunks, scores, flags)| {
        chunks.iter_mut().zip(0..).for_each(|(chunk, at)| chunk.ordinal = at);
        FileEvidence {
            chunks,
            lines_total: flags.3,
            path_score: scores.0,
            name: NameMatch { words: 2, words_matched: flags.2.min(2), terms_matched: u64::from(flags.2) },
            similarity: scores.3,
            history_score: scores.1,
            recency: scores.2,
            in_focus: flags.0,
            is_pinned: flags.1,
            ..of_path("")
        }
    })
}

/// Files of distinct paths, some of them penalised.
fn any_files() -> impl Strategy<Value = Vec<FileEvidence>> {
    prop::collection::vec((any_file(), any::<bool>()), 1..8).prop_map(|files| {
        let named = files.into_iter().enumerate().map(|(at, (file, is_test))| {
            let path = format!("{}/{at}.rs", if is_test { "tests" } else { "src" });
            let FileEvidence { path, kind, .. } = of_path(&path);
            FileEvidence { path, kind, ..file }
        });
        named.collect()
    })
}

fn order(files: &[FileEvidence], weights: &Weights) -> Vec<String> {
    let ranked = rank(files, &query("a query"), weights);
    ranked.iter().map(|ranked| files[ranked.file].path.to_string()).collect()
}

/// Makes one piece of evidence say more; a missing vector stays missing.
fn raise(file: &mut FileEvidence, which: usize, by: f64) {
    match which {
        0..=2 => file.chunks.iter_mut().take(1).for_each(|chunk| chunk.fields[which] += by),
        3 => file.chunks.iter_mut().for_each(|chunk| chunk.cosine = chunk.cosine.map(|cosine| cosine + by)),
        4 => file.chunks.iter_mut().take(1).for_each(|chunk| {
            chunk.defined = Some(DefinitionEvidence { kind: SymbolKind::Class, as_written: true });
        }),
        5 => file.chunks.iter_mut().for_each(|chunk| chunk.is_contract = true),
        6 => file.path_score += by,
        7 => file.name.words_matched = 2,
        8 => file.similarity = file.similarity.map(|similarity| similarity + by),
        9 => file.history_score += by,
        10 => file.recency = 1.0,
        11 => file.in_focus = true,
        12 => file.is_pinned = true,
        _ => file.lines_total += 5,
    }
}

proptest! {
    #[test]
    fn input_order_does_not_matter(files in any_files(), turn in 0..8_usize) {
        let mut turned = files.clone();
        turned.reverse();
        let by = turn % turned.len();
        turned.rotate_left(by);
        turned.iter_mut().for_each(|file| file.chunks.reverse());
        let by_place = Weights::hybrid().with_fusion(Fusion::ReciprocalRank);
        for weights in [Weights::hybrid(), Weights::lexical(), Weights::semantic(), by_place] {
            prop_assert_eq!(order(&files, &weights), order(&turned, &weights));
        }
    }

    #[test]
    fn more_evidence_never_lowers_a_rank(
        files in any_files(), raised in 0..8_usize, which in 0..14_usize, by in 0.1..5.0_f64,
    ) {
        let at = raised % files.len();
        let path = files[at].path.to_string();
        let mut better = files.clone();
        raise(&mut better[at], which, by);
        let by_place = Weights::hybrid().with_fusion(Fusion::ReciprocalRank);
        for weights in [Weights::hybrid(), Weights::lexical(), Weights::semantic(), by_place] {
            let place = |files: &[FileEvidence]| order(files, &weights).iter().position(|other| *other == path);
            prop_assert!(place(&better) <= place(&files), "{which} of {path}");
        }
    }

    #[test]
    fn those_that_lead_are_the_first_of_the_order(files in any_files(), limit in 0..9_usize) {
        let weights = Weights::hybrid();
        let mut leading = leading(&files, &query("q"), &weights, limit);
        let mut first: Vec<usize> = rank(&files, &query("q"), &weights).iter().map(|ranked| ranked.file).collect();
        first.truncate(limit);
        leading.sort_unstable();
        first.sort_unstable();
        prop_assert_eq!(leading, first);
    }

    #[test]
    fn scores_stay_in_bounds_whatever_the_evidence(
        files in any_files(), score in any_score(), similarity in any_score(), history in any_score(),
    ) {
        let mut files = files;
        files[0].path_score = score;
        files[0].similarity = Some(similarity);
        files[0].history_score = history;
        files[0].recency = score;
        for ranked in rank(&files, &query("q"), &Weights::hybrid()) {
            prop_assert!((0.0..=1.0 + 1e-9).contains(&ranked.score), "{}", ranked.score);
            let weights: f64 = ranked.parts.iter().map(|part| part.weight).sum();
            prop_assert!((weights - 1.0).abs() < 1e-9);
            prop_assert!(ranked.parts.iter().all(|part| (0.0..=1.0).contains(&part.value)));
        }
    }
}
