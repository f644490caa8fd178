use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::transfer::settlement::settle;
use crate::transfer::testing::archives;

fn text_of(archive: &Archive) -> String {
    let mut output = Vec::new();
    write(archive, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(archive in archives()) {
        let archive = settle(archive).archive;
        let text = text_of(&archive);
        let read = read(&mut text.as_bytes(), false).unwrap();
        prop_assert_eq!(&read.archive, &archive);
        prop_assert!(read.unknown.is_empty());
        prop_assert_eq!(text_of(&read.archive), text);
    }

    #[test]
    fn no_text_makes_reading_panic(text in any::<String>()) {
        let _ = read(&mut format!("{{\"record\":\"icr-memory\",\"version\":1}}\n{text}").as_bytes(), false);
        let _ = read(&mut text.as_bytes(), false);
    }
}

const MEMORY: &str = r#"{"record":"memory","id":"m1","topic":"t","summary":"a","importance":"high","source":"manual","author":"person","kind":"episodic","created_at":1,"updated_at":2}"#;
const HEADER: &str = r#"{"record":"icr-memory","version":1}"#;

#[test]
fn each_record_is_a_line_by_id() {
    let lines = [
        HEADER,
        r#"{"record":"forgotten","entity":"memory","id":"m9","at":3}"#,
        r#"{"record":"link","id":"l1","source_id":"c1","target_id":"c2","relation":"part_of","weight":1.0,"created_at":1}"#,
        r#"{"record":"concept","id":"c1","memoir_id":"r1","name":"cache","definition":"d","labels":["a:b"],"confidence":0.5,"revision":1,"created_at":1,"updated_at":1}"#,
        r#"{"record":"memoir","id":"r1","name":"design","description":"","consolidation_threshold":50,"created_at":1,"updated_at":1}"#,
        r#"{"record":"usage","id":"m1","access_count":2,"accessed_at":5,"weight":0.25,"weight_at":4}"#,
        r#"{"record":"memory","id":"m0","project":"p","topic":"t","summary":"é","raw_excerpt":"x\ny","keywords":["b","a"],"importance":"low","source":"manual","author":"hook","kind":"decision","created_at":1,"updated_at":2,"related":["m1"]}"#,
        MEMORY,
        r#"{"record":"earlier_memory","id":"m1","topic":"t","summary":"before","importance":"high","source":"manual","author":"person","kind":"episodic","created_at":1,"updated_at":1}"#,
    ];
    let archive = read(&mut lines.join("\n").as_bytes(), true).unwrap().archive;
    assert_snapshot!(text_of(&archive), @r#"
    {"record":"icr-memory","version":1}
    {"record":"memory","id":"m0","project":"p","topic":"t","summary":"é","raw_excerpt":"x\ny","keywords":["b","a"],"importance":"low","source":"manual","author":"hook","kind":"decision","created_at":1,"updated_at":2,"related":["m1"]}
    {"record":"memory","id":"m1","topic":"t","summary":"a","importance":"high","source":"manual","author":"person","kind":"episodic","created_at":1,"updated_at":2}
    {"record":"earlier_memory","id":"m1","topic":"t","summary":"before","importance":"high","source":"manual","author":"person","kind":"episodic","created_at":1,"updated_at":1}
    {"record":"usage","id":"m1","access_count":2,"accessed_at":5,"weight":0.25,"weight_at":4}
    {"record":"memoir","id":"r1","name":"design","description":"","consolidation_threshold":50,"created_at":1,"updated_at":1}
    {"record":"concept","id":"c1","memoir_id":"r1","name":"cache","definition":"d","labels":["a:b"],"confidence":0.5,"revision":1,"created_at":1,"updated_at":1}
    {"record":"link","id":"l1","source_id":"c1","target_id":"c2","relation":"part_of","weight":1.0,"created_at":1}
    {"record":"forgotten","id":"m9","entity":"memory","at":3}
    "#);
}

#[track_caller]
fn refusal(lines: &[&str]) -> String {
    read(&mut lines.join("\n").as_bytes(), true).unwrap_err().to_string()
}

#[test]
fn a_wrong_line_is_named_with_what_would_be_right() {
    let said = |from: &str, to: &str| {
        assert!(MEMORY.contains(from));
        refusal(&[HEADER, "", &MEMORY.replace(from, to)])
    };
    let refusals = [
        said("\"topic\"", "\"topik\""),
        said("\"topic\":\"t\"", "\"topic\":\"t\",\"topik\":\"u\""),
        said("\"topic\":\"t\"", "\"topic\":\"t\",\"colour\":\"red\""),
        said("\"topic\":\"t\"", "\"topic\":7"),
        said("\"topic\":\"t\"", "\"topic\":\" \""),
        said("\"topic\":\"t\"", "\"topic\":\"a\\nb\""),
        said("\"summary\":\"a\"", "\"summary\":\"\""),
        said("high", "urgent"),
        said("\"id\":\"m1\"", "\"id\":\"../m1\""),
        said("\"created_at\":1", "\"created_at\":\"yesterday\""),
        said("\"created_at\":1", "\"created_at\":1.5"),
        said("\"created_at\":1", "\"created_at\":999999999999999999"),
        said("\"kind\"", "\"keywords\":[1],\"kind\""),
        said("\"kind\"", "\"keywords\":\"a,b\",\"kind\""),
        said("\"kind\"", "\"related\":[\"a b\"],\"kind\""),
        said("\"kind\"", "\"code\":{\"places\":7},\"kind\""),
        said("}", ""),
        refusal(&[HEADER, "[1]"]),
        refusal(&[HEADER, r#"{"id":"m1"}"#]),
        refusal(&[HEADER, r#"{"record":"pin","id":"m1"}"#]),
        refusal(&[
            HEADER,
            r#"{"record":"usage","id":"m1","access_count":-1,"accessed_at":1,"weight":1,"weight_at":1}"#,
        ]),
        refusal(&[HEADER, r#"{"record":"usage","id":"m1","access_count":1,"accessed_at":1,"weight":0,"weight_at":1}"#]),
        refusal(&[HEADER, r#"{"record":"usage","id":"m1","access_count":1,"accessed_at":1,"weight":1,"weight_at":1}"#]),
        refusal(&[
            HEADER,
            r#"{"record":"link","id":"l","source_id":"c","target_id":"c","relation":"part_of","weight":1,"created_at":1}"#,
        ]),
        refusal(&[
            HEADER,
            r#"{"record":"link","id":"l","source_id":"c","target_id":"d","relation":"likes","weight":1,"created_at":1}"#,
        ]),
        refusal(&[HEADER, "<<<<<<< HEAD", MEMORY]),
        refusal(&[]),
        refusal(&[MEMORY]),
        refusal(&["hello"]),
        refusal(&[r#"{"record":"icr-memory"}"#]),
    ];
    assert_snapshot!(refusals.join("\n"), @r#"
    line 3: `topic` is missing; it is a text
    line 3: `topik` (did you mean `topic`?) is no field of a `memory`
    line 3: `colour` is no field of a `memory`
    line 3: `topic` is 7; it is a text
    line 3: `topic` is empty; name what the memory is filed under, such as `decisions`
    line 3: `topic` has a line break, a NUL or another control character; write it on one line
    line 3: `summary` is empty; say what is to be remembered
    line 3: `importance` is `urgent`; it is one of low, medium, high, critical
    line 3: `id`: `../m1` is not an id: an id has 1 to 64 letters, digits, `-` and `_`
    line 3: `created_at` is the text `yesterday`; it is a time in milliseconds since 1970
    line 3: `created_at` is 1.5; it is a time in milliseconds since 1970
    line 3: `created_at` is 999999999999999999; a time is in milliseconds since 1970 and before the year 10000
    line 3: `keywords` holds 1; it is a list of texts
    line 3: `keywords` is the text `a,b`; it is a list of texts
    line 3: `related`: `a b` is not an id: an id has 1 to 64 letters, digits, `-` and `_`
    line 3: `code`: invalid type: integer `7`, expected a sequence
    line 3: it is not JSON: EOF while parsing an object at byte 158
    line 2: it is not a JSON object; each line is one record
    line 2: `record` is missing; it is a text
    line 2: there is no record `pin`
    line 2: `access_count` is -1; it is between 0 and 4294967295
    line 2: `weight` is 0; it is above 0 and at most 1
    this is not an export of icr: it tells how memory `m1` was used, and has no such memory
    line 2: `target_id` is `source_id`: concept `c` cannot be linked to itself
    line 2: `relation` is `likes`; it is one of part_of, depends_on, related_to, contradicts, refines, alternative_to, caused_by, instance_of, superseded_by
    line 2: git left a conflict here; keep the lines of both sides and delete the marks, as `merge=union` does
    this is not an export of icr: it is empty
    this is not an export of icr: its first line is a `memory`, and should name the format `icr-memory`
    this is not an export of icr: its first line is not `{"record":"icr-memory","version":1}`
    this is not an export of icr: its first line has no `version`; this icr writes version 1
    "#);
}

#[test]
fn bytes_that_are_no_text_and_lines_without_end_are_refused() {
    let of =
        |bytes: &[u8]| read(&mut [HEADER.as_bytes(), b"\n", bytes].concat().as_slice(), true).unwrap_err().to_string();
    assert_eq!(of(b"{\"record\":\"\xff\"}"), "line 2: it is no UTF-8 text");
    let long = vec![b' '; LINE_BYTES_MOST as usize + 2];
    assert_eq!(of(&long), "line 2: it has more than 1572864 bytes; no record is that long");
}

#[test]
fn ends_of_lines_of_windows_and_a_mark_of_the_byte_order_are_nothing() {
    let text = format!("\u{feff}{HEADER}\r\n\r\n{MEMORY}\r\n");
    assert_eq!(read(&mut text.as_bytes(), false).unwrap().archive.memories.len(), 1);
}

#[test]
fn two_files_one_behind_the_other_are_one_export() {
    let newer =
        MEMORY.replace("\"summary\":\"a\"", "\"summary\":\"b\"").replace("\"updated_at\":2", "\"updated_at\":9");
    let text = [HEADER, MEMORY, HEADER, &newer].join("\n");
    let archive = read(&mut text.as_bytes(), false).unwrap().archive;
    let (_, memory) = archive.memories.first_key_value().unwrap();
    assert_eq!((memory.latest().0.as_str(), memory.texts.len()), ("b", 2));
}

#[test]
fn what_a_newer_icr_wrote_besides_is_counted_and_left_out() {
    let header = HEADER.replace("\"version\":1", "\"version\":2");
    let memory = MEMORY.replace("\"topic\"", "\"mood\":\"calm\",\"topic\"");
    let text = [&header, &memory, r#"{"record":"dream","id":"d1"}"#].join("\n");
    let read = read(&mut text.as_bytes(), false).unwrap();
    assert_eq!(read.archive.memories.len(), 1);
    let unknown: Vec<String> = read.unknown.iter().map(|(what, count)| format!("{count} {what}")).collect();
    assert_eq!(unknown, ["1 field `mood` of `memory`", "1 record `dream`"]);
}

#[test]
fn an_output_that_takes_nothing_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = write(&Archive::default(), &mut Full).unwrap_err();
    assert_eq!(error.to_string(), "writing an export");
}

#[test]
fn lines_that_are_invalid_are_left_out_and_named() {
    let other = MEMORY.replace("\"m1\"", "\"m2\"").replace("\"kind\"", "\"superseded_by\":\"m3\",\"kind\"");
    let usage = r#"{"record":"usage","id":"m3","access_count":2,"accessed_at":5,"weight":0.25,"weight_at":4}"#;
    let long = format!("{{\"record\":\"{}\"}}", "x".repeat(LINE_BYTES_MOST as usize * 2));
    let lines = [
        HEADER,
        MEMORY,
        &MEMORY.replace("\"m1\"", "\"m3\"").replace("high", "urgent"),
        "{",
        &long,
        &usage.replace("m3", "m4"),
        usage,
        &other,
    ];
    let text = read(&mut lines.join("\n").as_bytes(), false).unwrap();
    let refused: Vec<String> = text.refused.first.iter().map(ToString::to_string).collect();
    assert_snapshot!(refused.join("\n"), @r"
    line 3: `importance` is `urgent`; it is one of low, medium, high, critical
    line 4: it is not JSON: EOF while parsing an object at byte 1
    line 5: it has more than 1572864 bytes; no record is that long
    line 6: no line has the memory `m4`, whose use it tells
    ");
    let known: Vec<(&str, bool)> = text
        .archive
        .memories
        .iter()
        .map(|(id, memory)| (id.as_str(), memory.latest().1.superseded_by.iter().all(Option::is_none)))
        .collect();
    assert_eq!(known, [("m1", true), ("m2", true)], "what was consolidated into a refused memory is recalled");
}

#[test]
fn of_many_invalid_lines_the_first_are_named_and_all_counted() {
    let lines = format!("{HEADER}\n{}", "{}\n".repeat(50));
    let refused = read(&mut lines.as_bytes(), false).unwrap().refused;
    assert_eq!((refused.first.len(), refused.count), (20, 50));
}
