//! Finds out from its words which files a shell command looks at.

use icr_traces::AccessedLines;

/// Programs that look for something, or into something, as the first word of a command.
const LOOKING: [&str; 12] = [
    // tidy: sorted
    "ag", "cat", "egrep", "fd", "fgrep", "find", "grep", "head", "ls", "rg", "tail", "tree",
    // tidy: end
];

/// Longest command that is read, in bytes; what is longer writes something.
const COMMAND_BYTES_MOST: usize = 10_000;

/// Purpose of a command, as far as exploring is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandUse {
    /// It calls icr.
    Icr,
    /// It searches or shows files; the shown files, with line ranges if known.
    Look(Vec<(String, Option<AccessedLines>)>),
    /// Something else.
    Other,
}

/// Purpose of `command`. Only the first program of a pipeline counts, because the others read its output.
pub(crate) fn command_use(command: &str) -> CommandUse {
    let mut looks = None;
    for words in pipelines(&command[..command.floor_char_boundary(COMMAND_BYTES_MOST)]) {
        let mut words = words.iter().map(String::as_str).skip_while(|word| is_before_program(word));
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        match program {
            "icr" => return CommandUse::Icr,
            "git" if arguments.first() == Some(&"grep") => looks = looks.or(Some(Vec::new())),
            "sed" if arguments.contains(&"-n") => looks.get_or_insert_with(Vec::new).extend(shown_by_sed(&arguments)),
            // With `<<` or `>`, these programs write a file.
            "cat" | "head" if arguments.iter().any(|word| is_writing(word)) => {}
            "cat" => looks.get_or_insert_with(Vec::new).extend(files(&arguments).map(|path| (path, None))),
            "head" => looks.get_or_insert_with(Vec::new).extend(shown_by_head(&arguments)),
            program if LOOKING.contains(&program) => looks = looks.or(Some(Vec::new())),
            _ => {}
        }
    }
    looks.map_or(CommandUse::Other, CommandUse::Look)
}

/// Whether a word comes before the actual program: an assignment, or a program that runs another.
fn is_before_program(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    is_assignment || ["command", "env", "exec", "nice", "sudo", "time"].contains(&word)
}

/// The words of the first command of each pipeline of `command`.
fn pipelines(command: &str) -> Vec<Vec<String>> {
    let (mut found, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let (mut is_behind_pipe, mut letters) = (false, command.chars().peekable());
    let end_of_word = |words: &mut Vec<String>, word: &mut Option<String>| words.extend(word.take());
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let quoted = word.get_or_insert_with(String::new);
                while let Some(inner) = letters.next().filter(|inner| *inner != letter) {
                    let inner = if inner == '\\' && letter == '"' { letters.next().unwrap_or('\\') } else { inner };
                    quoted.push(inner);
                }
            }
            '\\' => word.get_or_insert_with(String::new).extend(letters.next()),
            '|' | ';' | '&' | '\n' if !(letter == '&' && word.as_ref().is_some_and(|word| word.ends_with('>'))) => {
                end_of_word(&mut words, &mut word);
                let is_pipe = letter == '|' && letters.peek() != Some(&'|');
                if !is_behind_pipe && !words.is_empty() {
                    found.push(std::mem::take(&mut words));
                }
                words.clear();
                is_behind_pipe = is_pipe;
                // The second letter of `||` and `&&`.
                letters.next_if_eq(&letter);
            }
            letter if letter.is_whitespace() => end_of_word(&mut words, &mut word),
            letter => word.get_or_insert_with(String::new).push(letter),
        }
    }
    end_of_word(&mut words, &mut word);
    if !is_behind_pipe && !words.is_empty() {
        found.push(words);
    }
    found
}

/// Whether a word begins a here-document (`<<`) or redirects standard output (`>`, but not `2>`).
fn is_writing(word: &str) -> bool {
    word.starts_with("<<") || word.contains('>') && !word.starts_with("2>")
}

/// Arguments that are neither options nor redirections of stderr.
fn files<'a>(arguments: &[&'a str]) -> impl Iterator<Item = String> + use<'a> {
    let is_file = |word: &&str| !word.starts_with(['-', '<']) && !word.starts_with("2>");
    let named: Vec<&str> = arguments.iter().copied().filter(is_file).collect();
    named.into_iter().map(str::to_owned)
}

/// Parses `head -n 20 a`, `head -20 a` and `head -n20 a`; ten lines by default.
fn shown_by_head(arguments: &[&str]) -> Vec<(String, Option<AccessedLines>)> {
    let (mut count, mut named, mut words) = (Some(10), Vec::new(), arguments.iter());
    while let Some(word) = words.next() {
        let number = |text: &str| text.parse::<u32>().ok();
        match word.strip_prefix('-') {
            Some("n" | "-lines") => count = words.next().and_then(|text| number(text)),
            Some("c" | "-bytes") => {
                words.next();
                count = None;
            }
            Some(option) => count = number(option.trim_start_matches(['n', '-'])).or(count),
            None => named.push(*word),
        }
    }
    let lines = count.filter(|count| *count > 0).map(|end| AccessedLines { start: 1, end });
    files(&named).map(|path| (path, lines)).collect()
}

/// `sed -n '10,20p' a`, `sed -n 10p a`.
fn shown_by_sed(arguments: &[&str]) -> Vec<(String, Option<AccessedLines>)> {
    let mut named = files(arguments);
    let script = match arguments.iter().position(|word| *word == "-e") {
        Some(at) => {
            let script = arguments.get(at + 1).map(|script| (*script).to_owned());
            named.next();
            script
        }
        None => named.next(),
    };
    let lines = script.and_then(|script| {
        let (start, end) = script.strip_suffix('p').map(|lines| lines.split_once(',').unwrap_or((lines, lines)))?;
        Some(AccessedLines { start: start.trim().parse().ok()?, end: end.trim().parse().ok()? })
    });
    named.map(|path| (path, lines)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn looks(command: &str, expected: &[(&str, Option<(u32, u32)>)]) {
        let expected = expected
            .iter()
            .map(|(path, lines)| ((*path).to_owned(), lines.map(|(start, end)| AccessedLines { start, end })));
        assert_eq!(command_use(command), CommandUse::Look(expected.collect()), "{command}");
    }

    #[test]
    fn commands_that_look_name_what_they_show() {
        looks("grep -rn 'a | b; c' src", &[]);
        looks("cd /r && rg foo | head -5", &[]);
        looks("FOO=1 /usr/bin/find . -name '*.rs' | xargs grep x", &[]);
        looks("git grep foo", &[]);
        looks("cat a.rs \"b c.rs\" 2>/dev/null", &[("a.rs", None), ("b c.rs", None)]);
        looks("cat 2.rs", &[("2.rs", None)]);
        looks("head -50 a.rs", &[("a.rs", Some((1, 50)))]);
        looks("head -n 5 a.rs; head a.rs", &[("a.rs", Some((1, 5))), ("a.rs", Some((1, 10)))]);
        looks("head -n5 a.rs", &[("a.rs", Some((1, 5)))]);
        looks("head -c 100 a.rs", &[("a.rs", None)]);
        looks("sed -n '10,20p' a.rs", &[("a.rs", Some((10, 20)))]);
        looks("sed -n -e 7p a.rs && cargo test", &[("a.rs", Some((7, 7)))]);
        looks("sed -n '/fn a/,$p' a.rs", &[("a.rs", None)]);
    }

    #[test]
    fn commands_that_do_something_else_do_not_look() {
        for command in [
            "",
            "cargo test 2>&1 | grep FAILED | head -3",
            "cat <<EOF > a.rs\nfn a() {}\nEOF",
            "cat a b > c",
            "sed -i s/a/b/ a.rs",
            "git log --grep x",
            "echo 'unfinished",
            "echo \\",
            "env -i",
        ] {
            assert_eq!(command_use(command), CommandUse::Other, "{command}");
        }
    }

    #[test]
    fn a_call_of_icr_is_one() {
        for command in ["icr search foo", "cd /r && /usr/bin/icr pack x | head -3", "RUST_LOG=debug icr map"] {
            assert_eq!(command_use(command), CommandUse::Icr, "{command}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken(command in "[ -~\n'\"\\\\|&;é-]{0,80}") {
            command_use(&command);
        }
    }
}
