use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::tail::last_turns;
use super::*;

/// A session of Claude Code with everything that its files hold and nobody said.
const CLAUDE_CODE: &str = r#"{"type":"summary","summary":"Berths","leafUuid":"u4"}
{"type":"file-history-snapshot","messageId":"m","snapshot":{}}
{"type":"user","uuid":"u1","sessionId":"s1","cwd":"$REPO","gitBranch":"main","isSidechain":false,"timestamp":"2026-11-01T10:00:00.000Z","message":{"role":"user","content":"Where are berths assigned?<system-reminder>Be brief.</system-reminder>"}}
{"type":"assistant","uuid":"u2","sessionId":"s1","cwd":"$REPO","timestamp":"2026-11-01T10:00:05.000Z","message":{"role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"In assign_berth."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"$REPO/.env"}}]}}
{"type":"user","uuid":"u3","sessionId":"s1","cwd":"$REPO","timestamp":"2026-11-01T10:00:06.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"HARBOUR_KEY=very-secret"}]},"toolUseResult":{"file":{"content":"HARBOUR_KEY=very-secret"}}}
{"type":"user","isMeta":true,"uuid":"u4","sessionId":"s1","cwd":"$REPO","message":{"role":"user","content":"Caveat: the host says this."}}
{"type":"user","uuid":"u5","sessionId":"s1","cwd":"$REPO","message":{"role":"user","content":"<bash-input>cat .env</bash-input><bash-stdout>HARBOUR_KEY=very-secret</bash-stdout>"}}
{"type":"user","isSidechain":true,"uuid":"u6","sessionId":"s1","cwd":"$REPO/src","message":{"role":"user","content":[{"type":"text","text":"Look for tides."}]}}
{"type":"user","uuid":"u7","sessionId":"s1","cwd":"$OUT/other","message":{"role":"user","content":"Said in another place."}}
{"type":"system","content":"Conversation compacted","cwd":"$REPO"}
{"type":"user","isCompactSummary":true,"uuid":"u8","sessionId":"s1","cwd":"$REPO","message":{"role":"user","content":"So far: berths."}}
"#;

/// A session of Codex.
const CODEX: &str = r##"{"timestamp":"2026-11-02T08:00:00.000Z","type":"session_meta","payload":{"id":"c1","timestamp":"2026-11-02T08:00:00.000Z","cwd":"$REPO","originator":"codex_cli_rs","cli_version":"0.65.0","instructions":null,"git":{"branch":"main"}}}
{"timestamp":"2026-11-02T08:00:00.100Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"Sandboxed."}]}}
{"timestamp":"2026-11-02T08:00:00.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for $REPO\n\n<INSTRUCTIONS>Use make.</INSTRUCTIONS>"}]}}
{"timestamp":"2026-11-02T08:00:00.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"2026-11-02T08:00:01.000Z","type":"turn_context","payload":{"cwd":"$REPO/src","model":"m"}}
{"timestamp":"2026-11-02T08:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Rename the crane."}]}}
{"timestamp":"2026-11-02T08:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"Rename the crane."}}
{"timestamp":"2026-11-02T08:00:03.000Z","type":"response_item","payload":{"type":"reasoning","summary":[],"content":null,"encrypted_content":"x"}}
{"timestamp":"2026-11-02T08:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"1"}}
{"timestamp":"2026-11-02T08:00:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"HARBOUR_KEY=very-secret"}}
{"timestamp":"2026-11-02T08:00:04.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The crane is a derrick now."}]}}
"##;

/// A session of Copilot CLI.
const COPILOT: &str = r#"{"type":"session.start","data":{"sessionId":"p1","version":1,"producer":"copilot-agent","context":{"cwd":"$REPO","gitRoot":"$REPO","branch":"main"}},"id":"e1","timestamp":"2026-11-04T06:00:00.000Z","parentId":null}
{"type":"system.message","data":{"role":"system","content":"You are an agent."},"id":"e2","timestamp":"2026-11-04T06:00:00.100Z","parentId":"e1"}
{"type":"user.message","data":{"content":"Who lights the lamp?","transformedContent":"<current_datetime>x</current_datetime>\n\nWho lights the lamp?","messageId":"m1"},"id":"e3","timestamp":"2026-11-04T06:00:01.000Z","parentId":"e2"}
{"type":"assistant.message","data":{"messageId":"m2","content":"","toolRequests":[{"toolCallId":"t","name":"view","arguments":{"path":".env"}}]},"id":"e4","timestamp":"2026-11-04T06:00:02.000Z","parentId":"e3"}
{"type":"tool.execution_complete","data":{"toolCallId":"t","result":{"content":"HARBOUR_KEY=very-secret"}},"id":"e5","timestamp":"2026-11-04T06:00:03.000Z","parentId":"e4"}
{"type":"assistant.message","data":{"messageId":"m3","content":"The keeper does.","toolRequests":[]},"id":"e6","timestamp":"2026-11-04T06:00:04.000Z","parentId":"e5"}
{"type":"hook.start","data":{"hookType":"agentStop"},"id":"e7","timestamp":"2026-11-04T06:00:04.100Z","parentId":"e6"}
"#;

/// A session of Gemini CLI as newer versions append it; a message that grew is there twice.
const GEMINI_LINES: &str = r#"{"sessionId":"g1","projectHash":"$HASH","startTime":"2026-11-03T07:00:00.000Z","lastUpdated":"2026-11-03T07:00:00.000Z","kind":"main"}
{"id":"1","timestamp":"2026-11-03T07:00:01.000Z","type":"user","content":[{"text":"How long is a fathom?"}]}
{"id":"2","timestamp":"2026-11-03T07:00:02.000Z","type":"gemini","content":"Six","thoughts":[],"tokens":null}
{"$set":{"lastUpdated":"2026-11-03T07:00:03.000Z"}}
{"id":"2","timestamp":"2026-11-03T07:00:02.000Z","type":"gemini","content":"Six feet.","toolCalls":[{"id":"t","result":[{"text":"HARBOUR_KEY=very-secret"}]}]}
{"id":"3","timestamp":"2026-11-03T07:00:04.000Z","type":"info","content":"Update available."}
"#;

/// The same as older versions write it.
const GEMINI_DOCUMENT: &str = r#"{
  "sessionId": "g0",
  "projectHash": "$HASH",
  "startTime": "2026-10-03T07:00:00.000Z",
  "messages": [
    {
      "id": "1",
      "timestamp": "2026-10-03T07:00:01.000Z",
      "type": "user",
      "content": "How deep is the basin?"
    },
    { "id": "2", "type": "gemini", "content": "Nine metres." },
    { "id": "3", "type": "user", "content": 7 }
  ]
}
"#;

/// The home of a user, and a repository beside it.
struct World {
    place: TempDir,
    written: Cell<u64>,
}

impl World {
    fn new() -> Self {
        let world = Self { place: tempfile::tempdir().expect("a directory can be made"), written: Cell::new(0) };
        for directory in ["repo/.git", "repo/src", "other/.git", "home"] {
            fs::create_dir_all(world.at(directory)).expect("a directory can be made");
        }
        world
    }

    /// Without symbolic links.
    fn at(&self, path: &str) -> PathBuf {
        self.place.path().canonicalize().expect("the place is there").join(path)
    }

    fn filled(&self, text: &str) -> String {
        let repository = self.at("repo").display().to_string();
        let hash: String = Sha256::digest(repository.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        text.replace("$REPO", &repository).replace("$OUT", &self.at("").display().to_string()).replace("$HASH", &hash)
    }

    /// Writes a file of the user's home, each a second after the one before.
    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at("home").join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a directory")).expect("a directory can be made");
        fs::write(&path, self.filled(text)).expect("a file can be written");
        self.written.set(self.written.get() + 1);
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + self.written.get());
        let file = fs::File::options().append(true).open(&path).expect("the file is there");
        file.set_modified(written).expect("a time can be set");
        path
    }

    /// Writes a session of Claude Code in the directory that stands for `of`.
    fn write_claude_code(&self, of: &str, name: &str, text: &str) -> PathBuf {
        let directory: String =
            self.at(of).display().to_string().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        self.write(&format!(".claude/projects/{directory}/{name}.jsonl"), text)
    }

    fn roots(&self) -> RepositoryRoots {
        RepositoryRoots::new([self.at("repo")])
    }

    fn places(&self) -> TranscriptPlaces {
        let (home, platform) = (self.at("home"), crate::hosts::Platform::Linux);
        let variables = Vec::new();
        TranscriptPlaces::new(&crate::hosts::HostDirectories { home, platform, variables, project: None })
    }

    fn read_within(&self, limits: &ReadLimits) -> Transcripts {
        read_transcripts(&self.places(), &self.roots(), limits, &|| false)
    }

    fn read(&self) -> Transcripts {
        self.read_within(&ReadLimits::default())
    }

    /// A line for each turn.
    fn turns(&self) -> String {
        shown(&self.read())
    }
}

fn shown(transcripts: &Transcripts) -> String {
    let line = |turn: &SessionTurn| {
        let SessionTurn { host, session, file_name, start_line, end_line, turn } = turn;
        let time = turn.time.map_or("-".to_owned(), |time| time.0.to_string());
        let side = if turn.is_sidechain { " aside" } else { "" };
        let speaker = turn.speaker.name();
        format!("{host} {session} {file_name}:{start_line}-{end_line} {time} {speaker}{side}: {}\n", turn.text)
    };
    transcripts.turns.iter().map(line).collect()
}

/// A line of Claude Code.
fn said(id: &str, directory: &str, text: &str) -> String {
    let content = serde_json::to_string(text).expect("text is JSON");
    format!(r#"{{"type":"user","uuid":"{id}","sessionId":"s","cwd":"{directory}","message":{{"content":{content}}}}}"#)
        + "\n"
}

#[test]
fn claude_code_says_what_users_and_models_said() {
    let world = World::new();
    world.write_claude_code("repo", "s1", CLAUDE_CODE);
    insta::assert_snapshot!(world.turns(), @r"
    claude-code s1 s1.jsonl:3-3 1793527200 user: Where are berths assigned?
    claude-code s1 s1.jsonl:4-4 1793527205 assistant: In assign_berth.
    claude-code s1 s1.jsonl:7-7 - user: <bash-input>cat .env</bash-input>
    claude-code s1 s1.jsonl:8-8 - assistant aside: Look for tides.
    claude-code s1 s1.jsonl:11-11 - assistant: So far: berths.
    ");
    assert_eq!(world.read().records_skipped, 0);
}

#[test]
fn codex_says_what_users_and_models_said() {
    let world = World::new();
    world.write(".codex/sessions/2026/11/02/rollout-2026-11-02T08-00-00-c1.jsonl", CODEX);
    insta::assert_snapshot!(world.turns(), @r"
    codex c1 rollout-2026-11-02T08-00-00-c1.jsonl:6-6 1793606402 user: Rename the crane.
    codex c1 rollout-2026-11-02T08-00-00-c1.jsonl:11-11 1793606404 assistant: The crane is a derrick now.
    ");
    assert_eq!(world.read().records_skipped, 0);
}

#[test]
fn copilot_says_what_users_and_models_said() {
    let world = World::new();
    world.write(".copilot/session-state/p1/events.jsonl", COPILOT);
    insta::assert_snapshot!(world.turns(), @r"
    copilot p1 p1/events.jsonl:3-3 1793772001 user: Who lights the lamp?
    copilot p1 p1/events.jsonl:6-6 1793772004 assistant: The keeper does.
    ");
    assert_eq!(world.read().records_skipped, 0);
}

#[test]
fn gemini_says_what_users_and_models_said_in_lines_and_in_documents() {
    let world = World::new();
    world.write(".gemini/tmp/repo/chats/session-2026-10-03T07-00-g0.json", GEMINI_DOCUMENT);
    world.write(".gemini/tmp/repo/chats/session-2026-11-03T07-00-g1.jsonl", GEMINI_LINES);
    insta::assert_snapshot!(world.turns(), @r"
    gemini g1 session-2026-11-03T07-00-g1.jsonl:2-2 1793689201 user: How long is a fathom?
    gemini g1 session-2026-11-03T07-00-g1.jsonl:5-5 1793689202 assistant: Six feet.
    gemini g0 session-2026-10-03T07-00-g0.json:6-11 1791010801 user: How deep is the basin?
    gemini g0 session-2026-10-03T07-00-g0.json:12-12 - assistant: Nine metres.
    ");
    assert_eq!(world.read().records_skipped, 1, "a content that is a number");
}

#[test]
fn gemini_in_a_directory_below_the_root_counts_where_the_directory_is_noted() {
    let world = World::new();
    let hash: String =
        Sha256::digest(world.filled("$REPO/src").as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let lines = GEMINI_LINES.replace("$HASH", &hash);
    world.write(".gemini/tmp/src/chats/session-1.jsonl", &lines);
    assert_eq!(world.turns(), "");
    world.write(".gemini/tmp/src/.project_root", "$REPO/lib");
    assert_eq!(world.turns(), "", "what is noted is not what was hashed");
    world.write(".gemini/tmp/src/.project_root", "$REPO/src");
    assert_eq!(world.read().turns.len(), 2);
}

#[test]
fn sessions_of_other_repositories_never_show() {
    let world = World::new();
    fs::create_dir_all(world.at("repo2")).expect("a directory can be made");
    fs::create_dir_all(world.at("repo-src/.git")).expect("a directory can be made");
    fs::create_dir_all(world.at("repo/vendor/.git")).expect("a directory can be made");
    // The name of the directory is that of `repo/src`, and the session is of `repo-src`.
    world.write_claude_code("repo/src", "same-name", &said("1", "$OUTrepo-src", "same name"));
    world.write_claude_code("repo2", "sibling", &said("2", "$OUTrepo2", "sibling"));
    world.write_claude_code("repo/vendor", "nested", &said("3", "$REPO/vendor", "nested"));
    world.write_claude_code("repo", "nowhere", "{\"type\":\"user\",\"message\":{\"content\":\"nowhere\"}}\n");
    world.write_claude_code(
        "repo",
        "moved",
        &(said("4", "$OUTother", "began there") + &said("5", "$REPO", "went here")),
    );
    world.write(".codex/sessions/2026/11/02/rollout-1.jsonl", &CODEX.replace("$REPO", "$OUTrepo2"));
    world.write(".copilot/session-state/p1/events.jsonl", &COPILOT.replace("$REPO", "$OUTrepo2"));
    world.write(".gemini/tmp/repo/chats/session-1.jsonl", &GEMINI_LINES.replace("$HASH", "00"));
    let transcripts = world.read();
    assert_eq!((shown(&transcripts), transcripts.sessions_read), (String::new(), 0));
    world.write_claude_code("repo/src", "own", &said("6", "$REPO/src", "own"));
    world.write_claude_code("repo/gone", "gone", &said("7", "$REPO/gone", "gone"));
    let transcripts = world.read();
    let texts: Vec<_> = transcripts.turns.iter().map(|turn| turn.turn.text.as_str()).collect();
    assert_eq!((texts, transcripts.sessions_read), (vec!["gone", "own"], 2));
}

#[test]
fn all_worktrees_of_a_repository_count() {
    let world = World::new();
    world.write_claude_code("linked", "s", &said("1", "$OUTlinked", "from the linked one"));
    assert_eq!(world.turns(), "");
    let places = world.places();
    let roots = RepositoryRoots::new([world.at("repo"), world.at("linked")]);
    assert_eq!(read_transcripts(&places, &roots, &ReadLimits::default(), &|| false).turns.len(), 1);
}

#[test]
fn links_out_of_the_hosts_directory_are_not_followed() {
    let world = World::new();
    let real = world.write_claude_code("repo", "real", &said("1", "$REPO", "real"));
    let elsewhere = world.write("elsewhere/a.jsonl", &said("2", "$REPO", "elsewhere"));
    let project = real.parent().expect("a session lies in a directory");
    symlink(&elsewhere, project.join("link.jsonl")).expect("a link can be made");
    symlink(elsewhere.parent().expect("it has one"), project.with_extension("src")).expect("a link can be made");
    fs::create_dir(project.join("directory.jsonl")).expect("a directory can be made");
    let transcripts = world.read();
    assert_eq!((transcripts.turns.len(), transcripts.sessions_read, transcripts.sessions_left), (1, 1, 0));
}

#[test]
fn damage_is_counted_and_hides_nothing_else() {
    let world = World::new();
    let lines = [
        said("1", "$REPO", "first"),
        "{\"type\":\"user\",\"message\":\n".to_owned(),
        "\0\u{fffd} not JSON\n".to_owned(),
        "[1]\n\n".to_owned(),
        "{\"type\":\"user\",\"message\":\"a text\"}\n".to_owned(),
        "{\"type\":\"user\",\"message\":{\"content\":7}}\n".to_owned(),
        "{\"type\":\"of a later version\",\"message\":7}\n".to_owned(),
        said("2", "$REPO", &"x".repeat(RECORD_BYTES_MOST)),
        said("3", "$REPO", "last"),
        "{\"type\":\"user\",\"uuid\":\"4\",\"mess".to_owned(),
    ];
    let path = world.write_claude_code("repo", "s", &lines.concat());
    let texts = |transcripts: &Transcripts| -> Vec<String> {
        transcripts.turns.iter().map(|turn| format!("{} {}", turn.start_line, turn.turn.text)).collect()
    };
    let transcripts = world.read();
    assert_eq!(texts(&transcripts), ["1 first", "10 last"]);
    assert_eq!(transcripts.records_skipped, 6);
    let mut bytes = fs::read(&path).expect("the session is there");
    bytes.extend_from_slice(b"age\":{\"content\":\"grown\"}}\n\xff\xfe\n");
    fs::write(&path, bytes).expect("a file can be written");
    let transcripts = world.read();
    assert_eq!(texts(&transcripts), ["1 first", "10 last", "11 grown"]);
    assert_eq!(transcripts.records_skipped, 7);
}

#[test]
fn a_damaged_document_is_a_session_that_was_not_read() {
    let world = World::new();
    world.write(".gemini/tmp/repo/chats/session-1.json", &GEMINI_DOCUMENT[..300]);
    let transcripts = world.read();
    assert_eq!((transcripts.turns.len(), transcripts.sessions_left), (0, 1));
}

#[test]
fn bounds_are_kept_and_counted() {
    let world = World::new();
    for number in 0..4 {
        let lines: String = (0..100).map(|line| said(&format!("{number}-{line}"), "$REPO", "some words")).collect();
        world.write_claude_code("repo", &format!("s{number}"), &lines);
    }
    let all = world.read();
    assert_eq!((all.turns.len(), all.sessions_read, all.sessions_left), (400, 4, 0));
    assert_eq!(all.turns[0].file_name, "s3.jsonl", "the newest comes first");
    let of_sessions = world.read_within(&ReadLimits { sessions: 1, ..ReadLimits::default() });
    assert_eq!((of_sessions.turns.len(), of_sessions.sessions_read, of_sessions.sessions_left), (100, 1, 3));
    let bytes = all.bytes_read / 4 + 1_000;
    let of_bytes = world.read_within(&ReadLimits { bytes, ..ReadLimits::default() });
    assert!((101..200).contains(&of_bytes.turns.len()) && of_bytes.bytes_read <= bytes);
    assert_eq!((of_bytes.sessions_read, of_bytes.sessions_left), (2, 3), "one is read in part");
    let of_one = world.read_within(&ReadLimits { session_bytes: 1_000, ..ReadLimits::default() });
    assert_eq!((of_one.sessions_read, of_one.sessions_left, of_one.bytes_read), (4, 4, 4_000));
    let asked = Cell::new(0);
    let is_over = || asked.replace(asked.get() + 1) >= 3;
    let places = world.places();
    let of_time = read_transcripts(&places, &world.roots(), &ReadLimits::default(), &is_over);
    assert_eq!((of_time.sessions_read, of_time.sessions_left), (1, 3));
}

#[test]
fn a_turn_that_several_sessions_hold_is_there_once() {
    let world = World::new();
    let first = said("1", "$REPO", "asked once");
    world.write_claude_code("repo", "a", &first);
    world.write_claude_code("repo", "b", &(first + &said("2", "$REPO", "asked then")));
    let transcripts = world.read();
    let files: Vec<_> = transcripts.turns.iter().map(|turn| turn.file_name.as_str()).collect();
    assert_eq!((files, transcripts.sessions_read), (vec!["b.jsonl", "b.jsonl"], 2));
}

#[test]
fn credentials_are_masked_and_long_texts_are_cut() {
    let world = World::new();
    let token = format!("ghp_{}", "0123456789".repeat(4));
    let text = format!("Push with {token} and password=hunter2.\n{}", "ä".repeat(TURN_BYTES_MOST));
    world.write_claude_code("repo", "s", &said("1", "$REPO", &text));
    let transcripts = world.read();
    let text = &transcripts.turns[0].turn.text;
    assert!(
        text.starts_with("Push with ghp_[masked] and password=[masked]") && text.len() <= TURN_BYTES_MOST,
        "{text}"
    );
}

#[test]
fn a_user_without_agents_has_no_transcripts() {
    assert_eq!(World::new().read(), Transcripts::default());
}

#[track_caller]
fn check_last(path: &Path, bytes_most: u64, expected: &[&str]) {
    let turns = last_turns(path, bytes_most).expect("the file can be read");
    let texts: Vec<_> = turns.iter().map(|turn| format!("{}: {}", turn.speaker.name(), turn.text)).collect();
    assert_eq!(texts, expected);
}

#[test]
fn the_last_turns_of_every_host_are_read_from_the_end() {
    let world = World::new();
    let claude_code = world.write_claude_code("repo", "s1", CLAUDE_CODE);
    check_last(&claude_code, 500, &["user: Said in another place.", "assistant: So far: berths."]);
    let codex = world.write(".codex/sessions/2026/11/02/rollout-1.jsonl", CODEX);
    check_last(&codex, 1 << 20, &["user: Rename the crane.", "assistant: The crane is a derrick now."]);
    let gemini = world.write(".gemini/tmp/repo/chats/session-1.jsonl", GEMINI_LINES);
    check_last(&gemini, 1 << 20, &["user: How long is a fathom?", "assistant: Six feet."]);
    let document = world.write(".gemini/tmp/repo/chats/session-0.json", GEMINI_DOCUMENT);
    check_last(&document, 10, &["user: How deep is the basin?", "assistant: Nine metres."]);
    assert!(last_turns(&world.at("home/absent.jsonl"), 10).is_err());
    assert!(last_turns(&world.at("repo"), 10).is_err(), "a directory is no transcript");
}

#[test]
fn the_last_answer_is_what_the_assistant_said_after_the_user() {
    let world = World::new();
    let codex = world.write(".codex/sessions/2026/11/02/rollout-1.jsonl", CODEX);
    let answer =
        |question: &str, text: &str| Some(LastAnswer { question: said_digest(question), text: text.to_owned() });
    assert_eq!(
        last_answer(&codex, 1 << 20).expect("a file"),
        answer("Rename the crane.", "The crane is a derrick now.")
    );
    let copilot = world.write(".copilot/session-state/p1/events.jsonl", COPILOT);
    assert_eq!(last_answer(&copilot, 1 << 20).expect("a file"), answer("Who lights the lamp?", "The keeper does."));
    let end =
        COPILOT.find("{\"type\":\"assistant.message\",\"data\":{\"messageId\":\"m3\"").expect("there is an answer");
    let looking =
        COPILOT[..end].replace("\"content\":\"\",\"toolRequests\"", "\"content\":\"Let me look.\",\"toolRequests\"");
    let looking = world.write(".copilot/session-state/p2/events.jsonl", &looking);
    assert_eq!(last_answer(&looking, 1 << 20).expect("a file"), None, "more follows");
    let asked = world.write_claude_code("repo", "s", &said("y", "$REPO", "and then?"));
    assert_eq!(last_answer(&asked, 1 << 20).expect("a file"), None);
}

#[test]
fn the_last_turns_of_a_large_file_cost_what_is_asked_for() {
    let world = World::new();
    let filler = said("x", "$REPO", &"words ".repeat(1_000)).repeat(2_000);
    let path = world.write_claude_code("repo", "s", &(filler + &said("y", "$REPO", "the end") + "{\"type\":\"us"));
    assert!(fs::metadata(&path).expect("it is there").len() > 10 << 20);
    check_last(&path, 1_000, &["user: the end"]);
    check_last(&path, 1, &[]);
    check_last(&path, 0, &[]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_damage_stops_anything(bytes in prop::collection::vec(any::<u8>(), 0..40), at in 0_usize..3_000, host in 0_usize..5) {
        let world = World::new();
        let (path, text) = [
            (".claude/projects/-/s.jsonl", CLAUDE_CODE),
            (".codex/sessions/2026/11/02/rollout-1.jsonl", CODEX),
            (".copilot/session-state/p1/events.jsonl", COPILOT),
            (".gemini/tmp/repo/chats/session-1.jsonl", GEMINI_LINES),
            (".gemini/tmp/repo/chats/session-0.json", GEMINI_DOCUMENT),
        ][host];
        let path = world.write(path, text);
        let mut damaged = fs::read(&path).expect("it is there");
        let at = at.min(damaged.len());
        let end = (at + bytes.len()).min(damaged.len());
        damaged.splice(at..end, bytes);
        fs::write(&path, damaged).expect("a file can be written");
        world.read();
        last_turns(&path, 1 << 20).expect("the file can be read");
    }
}
