//! Dialogues with questions whose answers are known, as text.
//!
//! `= when` begins a session, `Speaker: what` is a turn, `? question` asks, `> 1.2 3.4` lists the turns that answer the
//! question above it (session.turn, both from 1), and `! words` gives the words that a right answer contains. A line
//! that begins with `#` is a comment.

use icr_model::UnixMillis;

/// Milliseconds between two turns of a session: the pace of people who type.
const TURN_MS: i64 = 60 * 1_000;

/// Milliseconds between the starts of two sessions.
const SESSION_MS: i64 = 3 * 24 * 60 * 60 * 1_000;

/// Time of the first turn, in milliseconds since 1970. The value is arbitrary.
const BEGIN_MS: i64 = 1_700_000_000_000;

/// Sessions of turns, and questions about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dialogue {
    /// Name of the dialogue, also the topic of its memories.
    pub(crate) name: String,
    /// All turns, in the order in which they were said.
    pub(crate) turns: Vec<Turn>,
    /// All questions, in file order.
    pub(crate) questions: Vec<KnownQuestion>,
}

/// One utterance of one speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The session, from 0.
    pub(crate) session: usize,
    /// Date of the session, as written in the file.
    pub(crate) stamp: String,
    /// Speaker and text: `Speaker: what`.
    pub(crate) said: String,
}

impl Turn {
    /// Text of the turn as a separate memory.
    pub(crate) fn text(&self) -> String {
        format!("[{}] {}", self.stamp, self.said)
    }
}

/// A question whose answer is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownQuestion {
    /// Index of the session that the question stands in, from 0.
    pub(crate) session: usize,
    /// Text of the question.
    pub(crate) text: String,
    /// The turns that answer it, numbered through all sessions from 0.
    pub(crate) evidence: Vec<usize>,
    /// Words that a right answer contains, if the file gives them.
    pub(crate) fact: Option<String>,
}

impl Dialogue {
    /// Reads a dialogue.
    ///
    /// # Errors
    ///
    /// A message with the line and what is wrong in it.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut dialogue = Self { name: name.to_owned(), turns: Vec::new(), questions: Vec::new() };
        let mut stamps: Vec<&str> = Vec::new();
        let mut references: Vec<Vec<(usize, usize)>> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |what: &str| format!("`{name}`, line {number}: {what}: `{line}`");
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(stamp) = line.strip_prefix("= ") {
                stamps.push(stamp);
                continue;
            }
            let Some(session) = stamps.len().checked_sub(1) else { return Err(wrong("no session has begun")) };
            if let Some(text) = line.strip_prefix("? ") {
                let text = text.to_owned();
                dialogue.questions.push(KnownQuestion { session, text, evidence: Vec::new(), fact: None });
                references.push(Vec::new());
            } else if let Some(turns) = line.strip_prefix("> ") {
                let Some(last) = references.last_mut() else { return Err(wrong("no question stands before it")) };
                for turn in turns.split(' ') {
                    last.push(reference(turn).ok_or_else(|| wrong("turns are written as `1.2`"))?);
                }
            } else if let Some(fact) = line.strip_prefix("! ") {
                let Some(last) = dialogue.questions.last_mut() else {
                    return Err(wrong("no question stands before it"));
                };
                last.fact = Some(fact.to_owned());
            } else if line.split_once(": ").is_some() {
                let stamp = stamps[session].to_owned();
                dialogue.turns.push(Turn { session, stamp, said: line.to_owned() });
            } else {
                return Err(wrong("a turn is written as `Speaker: what`"));
            }
        }
        for (no, turns) in references.into_iter().enumerate() {
            let evidence: Option<Vec<usize>> = turns.into_iter().map(|turn| dialogue.turn_at(turn)).collect();
            let question = &mut dialogue.questions[no];
            match evidence {
                Some(evidence) if !evidence.is_empty() => question.evidence = evidence,
                _ => return Err(format!("`{name}`: no turn, or one that is not there, answers `{}`", question.text)),
            }
        }
        Ok(dialogue)
    }

    /// Time of a turn.
    pub(crate) fn moment_of(&self, turn: usize) -> UnixMillis {
        let Some(session) = self.turns.get(turn).map(|turn| turn.session) else { return self.end() };
        let before = self.turns[..turn].iter().filter(|other| other.session == session).count();
        UnixMillis(BEGIN_MS + session as i64 * SESSION_MS + before as i64 * TURN_MS)
    }

    /// Time at which the questions are asked: one session interval after the last session.
    pub(crate) fn end(&self) -> UnixMillis {
        UnixMillis(BEGIN_MS + self.sessions() as i64 * SESSION_MS)
    }

    /// Number of sessions that have turns.
    pub(crate) fn sessions(&self) -> usize {
        self.turns.last().map_or(0, |turn| turn.session + 1)
    }

    /// The number of a turn, given as session and turn from 1.
    fn turn_at(&self, (session, turn): (usize, usize)) -> Option<usize> {
        let first = self.turns.iter().position(|other| other.session + 1 == session)?;
        let at = first + turn.checked_sub(1)?;
        self.turns.get(at).is_some_and(|other| other.session + 1 == session).then_some(at)
    }
}

fn reference(text: &str) -> Option<(usize, usize)> {
    let (session, turn) = text.split_once('.')?;
    Some((session.parse().ok()?, turn.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "# small\n\n= 1 May\nDeveloper: Which port?\nAgent: 7411.\n\n= 2 May\n? Which port is it?\n> 1.2 2.1\n! 7411\nAgent: Still 7411.\n";

    #[test]
    fn sessions_turns_and_questions_are_read() {
        let dialogue = Dialogue::parse("small", SMALL).unwrap();
        let texts: Vec<String> = dialogue.turns.iter().map(Turn::text).collect();
        assert_eq!(texts, ["[1 May] Developer: Which port?", "[1 May] Agent: 7411.", "[2 May] Agent: Still 7411."]);
        let question = KnownQuestion {
            session: 1,
            text: "Which port is it?".to_owned(),
            evidence: vec![1, 2],
            fact: Some("7411".to_owned()),
        };
        assert_eq!((dialogue.questions.as_slice(), dialogue.sessions()), (&[question][..], 2));
    }

    #[test]
    fn turns_of_a_session_are_a_minute_apart_and_sessions_days() {
        let dialogue = Dialogue::parse("small", SMALL).unwrap();
        assert_eq!(dialogue.moment_of(1).0 - dialogue.moment_of(0).0, TURN_MS);
        assert_eq!(dialogue.moment_of(2).0 - dialogue.moment_of(0).0, SESSION_MS);
        assert_eq!(dialogue.end().0 - dialogue.moment_of(2).0, SESSION_MS);
        assert_eq!(dialogue.moment_of(9), dialogue.end());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("A: b", "`x`, line 1: no session has begun: `A: b`"),
            ("= 1\nab", "`x`, line 2: a turn is written as `Speaker: what`: `ab`"),
            ("= 1\n> 1.1", "`x`, line 2: no question stands before it: `> 1.1`"),
            ("= 1\n! a", "`x`, line 2: no question stands before it: `! a`"),
            ("= 1\nA: b\n? c\n> 1", "`x`, line 4: turns are written as `1.2`: `> 1`"),
            ("= 1\nA: b\n? c\n> 1.2", "`x`: no turn, or one that is not there, answers `c`"),
            ("= 1\nA: b\n? c", "`x`: no turn, or one that is not there, answers `c`"),
        ] {
            assert_eq!(Dialogue::parse("x", text).unwrap_err(), expected);
        }
    }
}
