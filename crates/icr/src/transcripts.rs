//! Finds what was said about a repository in the user's agent sessions.

use std::time::Duration;

use icr_agents::transcript::{
    ReadLimits, RepositoryRoots, SessionTurn, TranscriptPlaces, Transcripts, read_transcripts,
};
use icr_engine::{Deadline, Engine, Gap, TranscriptTurn, TranscriptTurns};

use crate::host_directories::host_directories;

/// Longest time to read transcripts for one question. A person does not notice it, and it is enough to read all of
/// [`ReadLimits::default`] if the files are in memory.
const READ_TIME: Duration = Duration::from_millis(300);

/// Turns of agent sessions in any worktree of the repository, as many as can be read until `deadline`.
pub(crate) fn read_turns(engine: &Engine, deadline: &Deadline) -> TranscriptTurns {
    let Ok(directories) = host_directories(None) else { return TranscriptTurns::default() };
    let places = TranscriptPlaces::new(&directories);
    let roots = engine.git().worktree_roots().into_iter().chain([engine.root().to_owned()]);
    let until = Deadline::after(deadline.remaining_time().map_or(READ_TIME, |left| left.min(READ_TIME)));
    turns_of(read_transcripts(&places, &RepositoryRoots::new(roots), &ReadLimits::default(), &|| until.is_over()))
}

fn turns_of(transcripts: Transcripts) -> TranscriptTurns {
    let Transcripts { turns, sessions_left, records_skipped, .. } = transcripts;
    let unread = Gap::UnreadTranscripts { sessions: sessions_left };
    let unknown = Gap::UnknownRecords { records: records_skipped };
    let gaps = [(unread, sessions_left), (unknown, records_skipped)];
    TranscriptTurns {
        turns: turns.into_iter().map(turn_of).collect(),
        gaps: gaps.into_iter().filter(|(_, count)| *count > 0).map(|(gap, _)| gap).collect(),
    }
}

fn turn_of(turn: SessionTurn) -> TranscriptTurn {
    TranscriptTurn {
        id: format!("{}:{}", turn.session, turn.start_line),
        path: format!("{}/{}", turn.host, turn.file_name),
        start_line: turn.start_line,
        end_line: turn.end_line,
        speaker: turn.turn.speaker.name(),
        time: turn.turn.time,
        text: turn.turn.text,
    }
}
