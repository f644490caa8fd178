//! Search in transcripts of sessions with agents. The caller reads the transcripts; this module gets plain texts.

use icr_model::{Gap, Moment, RepoPath};

use crate::Error;
use crate::files::PathScope;
use crate::lines::{LineQuery, TermMatcher, preview, preview_lines};
use crate::search::diffs::{document, searched};
use crate::search::strength::of_texts;
use crate::search::{SearchHit, SearchRequest, SearchResults, SearchSpan, Terms, known_language};

/// Something that somebody said, and its position in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptTurn {
    /// Names it in answers: the session and a line.
    pub id: String,
    /// The agent and the name of the session's file, as `agent/name`.
    pub path: String,
    /// First line in that file, 1-based.
    pub start_line: u32,
    /// Last line in that file.
    pub end_line: u32,
    /// `user` or `assistant`.
    pub speaker: &'static str,
    /// When it was said, where that is known.
    pub time: Option<Moment>,
    /// What was said. It is shown unchanged: the caller must remove secrets.
    pub text: String,
}

/// What was said in sessions about the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptTurns {
    /// In any order.
    pub turns: Vec<TranscriptTurn>,
    /// What was not read, and why.
    pub gaps: Vec<Gap>,
}

/// The turns of the request that best match the words of the query, the newer one first among equals. A turn is in the language `text`, and
/// its path is the one that it is shown with. With `since`, only turns that were said at or after that time.
///
/// Scores are those of BM25 over these turns, as shares of the best one. Cost: all of their text is split into words.
///
/// # Errors
///
/// [`Error::Bounds`] for an unknown language.
pub(super) fn search_transcripts(request: &SearchRequest, since: Option<Moment>) -> Result<SearchResults, Error> {
    let language = known_language(request.language.as_deref())?;
    let part = PathScope::of(request.path_prefix.as_deref());
    let wanted = |turn: &&TranscriptTurn| {
        language.is_none_or(|language| language == icr_lang::TEXT)
            && part.holds(&RepoPath::from(turn.path.as_str()))
            && since.is_none_or(|since| turn.time.is_some_and(|time| time >= since))
    };
    let (turns, mut gaps) = match &request.transcripts {
        Some(transcripts) => (transcripts.turns.iter().filter(wanted).collect(), transcripts.gaps.clone()),
        None => (Vec::new(), Vec::new()),
    };
    let terms = Terms::of(&request.query).terms;
    if terms.is_empty() {
        gaps.push(Gap::NoWords);
    }
    let documents: Vec<_> = turns.iter().enumerate().map(|(at, turn)| document(at, turn.text.as_bytes())).collect();
    let mut ranked: Vec<(&TranscriptTurn, f64)> =
        searched(&documents, &terms, documents.len())?.into_iter().map(|(at, score)| (turns[at], score)).collect();
    ranked.sort_by(|(a, a_score), (b, b_score)| {
        let by_place = || (&a.path, a.start_line).cmp(&(&b.path, b.start_line));
        b_score.total_cmp(a_score).then_with(|| b.time.cmp(&a.time)).then_with(by_place)
    });
    let top = ranked.first().map_or(1.0, |(_, score)| *score);
    let texts = ranked.iter().take(request.limit).map(|(turn, _)| turn.text.clone());
    let strength = of_texts(&request.query, &terms, texts, ranked.len());
    let total_count = ranked.len() as u64;
    let wanted = TermMatcher::of(terms);
    let asked = LineQuery { wanted: &wanted, rarity: &[], weights: &[], identifiers: &[], about_tests: false };
    let results = ranked.iter().take(request.limit).map(|(turn, score)| hit(turn, score / top, &asked)).collect();
    Ok(SearchResults { results, total_count, strength, gaps })
}

fn hit(turn: &TranscriptTurn, score: f64, asked: &LineQuery<'_>) -> SearchHit {
    let (start_line, end_line) = (turn.start_line, turn.end_line);
    SearchHit {
        id: turn.id.clone(),
        path: turn.path.clone(),
        symbol: None,
        start_line,
        end_line,
        score,
        match_type: "transcript",
        preview: preview(turn.text.as_bytes(), asked, preview_lines(0)),
        language: icr_lang::TEXT.to_owned(),
        spans: vec![SearchSpan { symbol: None, start_line, end_line, score }],
        explanation: Vec::new(),
        commit: None,
        subject: None,
        speaker: Some(turn.speaker),
        said_at: turn.time,
        scope: None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn turn(line: u32, time: Option<i64>, text: &str) -> TranscriptTurn {
        TranscriptTurn {
            id: format!("s:{line}"),
            path: "claude-code/s.jsonl".to_owned(),
            start_line: line,
            end_line: line,
            speaker: "user",
            time: time.map(Moment),
            text: text.to_owned(),
        }
    }

    fn request(query: &str) -> SearchRequest {
        let turns = vec![
            turn(1, Some(10), "Where is the berth?"),
            turn(2, Some(30), "Where is the berth?"),
            turn(3, None, "The berth of the crane is there.\nIt is long.\n\nUnlike the tide."),
            turn(4, Some(40), "Unrelated words"),
        ];
        let transcripts = Some(Arc::new(TranscriptTurns { turns, gaps: vec![Gap::UnreadTranscripts { sessions: 1 }] }));
        SearchRequest { query: query.to_owned(), limit: 10, transcripts, ..SearchRequest::default() }
    }

    #[track_caller]
    fn check(request: &SearchRequest, since: Option<i64>, expected: &[&str]) {
        let found = search_transcripts(request, since.map(Moment)).expect("the request is valid");
        let ids: Vec<_> = found.results.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!((ids.as_slice(), found.total_count as usize), (expected, expected.len()));
    }

    #[test]
    fn the_newer_turn_comes_first_among_equals() {
        check(&request("berth"), None, &["s:2", "s:1", "s:3"]);
        check(&request("berth of the crane"), None, &["s:3", "s:2", "s:1"]);
        check(&request("absent"), None, &[]);
    }

    #[test]
    fn language_path_and_time_are_kept_to() {
        check(&SearchRequest { language: Some("rust".to_owned()), ..request("berth") }, None, &[]);
        check(&SearchRequest { language: Some("text".to_owned()), ..request("tide") }, None, &["s:3"]);
        check(&SearchRequest { path_prefix: Some("codex".to_owned()), ..request("berth") }, None, &[]);
        check(&SearchRequest { path_prefix: Some("claude-code".to_owned()), ..request("tide") }, None, &["s:3"]);
        check(&request("berth"), Some(20), &["s:2"]);
    }

    #[test]
    fn an_answer_says_how_strong_it_is_and_what_was_not_read() {
        let strength = |query: &str| search_transcripts(&request(query), None).expect("the request is valid").strength;
        assert_eq!(strength("berth crane"), icr_rank::Strength::Strong);
        assert_eq!(strength("absent"), icr_rank::Strength::None);
        let found = search_transcripts(&request("the"), None).expect("the request is valid");
        assert_eq!(found.gaps, [Gap::UnreadTranscripts { sessions: 1 }]);
        let found = search_transcripts(&request("?"), None).expect("the request is valid");
        assert_eq!(found.gaps, [Gap::UnreadTranscripts { sessions: 1 }, Gap::NoWords]);
    }

    #[test]
    fn a_preview_begins_at_what_was_asked() {
        let found = search_transcripts(&request("tide"), None).expect("the request is valid");
        let hit = &found.results[0];
        assert_eq!((hit.score, hit.said_at, hit.speaker), (1.0, None, Some("user")));
        assert_eq!(hit.preview, "The berth of the crane is there.\nIt is long.\nUnlike the tide.");
    }
}
