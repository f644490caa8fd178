//! Removes text that hosts add to messages and that nobody said.

use std::borrow::Cow;

/// Elements that hosts add to users' messages, sorted: output of host and shell commands, reminders, descriptions of
/// the environment, instructions from files. Output of a shell may contain secret files.
const ELEMENTS: &[&str] = &[
    "INSTRUCTIONS",
    "bash-stderr",
    "bash-stdout",
    "command-message",
    "command-name",
    "environment_context",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "system-reminder",
    "task-notification",
    "turn_aborted",
    "user_instructions",
    "user_shell_command",
];

/// Elements that hosts put around what a user typed: arguments of a command, and a command for the shell.
const TYPED_ELEMENTS: [&str; 2] = ["bash-input", "command-args"];

/// How Codex begins a message that repeats the instructions of a file.
const INSTRUCTIONS_OF_FILE: &str = "# AGENTS.md instructions";

/// `text` without the additions of hosts. An element without an end tag extends to the end of the text.
pub(super) fn without_host_text(text: &str) -> Cow<'_, str> {
    if text.trim_start().starts_with(INSTRUCTIONS_OF_FILE) {
        return Cow::Borrowed("");
    }
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, name, after)) = first_element(rest) {
        kept.push_str(before);
        rest = after.split_once(&format!("</{name}>")).map_or("", |(_, after)| after);
    }
    if kept.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// What a user said in a prompt: `prompt` without the additions of hosts, and without the tags around what the user
/// typed behind a command. Unlike in a transcript, an element without an end tag is kept: the user wrote about it.
pub fn said_in_prompt(prompt: &str) -> String {
    let (mut kept, mut rest) = (String::new(), prompt);
    while let Some((before, name, after)) = first_element(rest) {
        let Some((_, after)) = after.split_once(&format!("</{name}>")) else { break };
        kept.push_str(before);
        rest = after;
    }
    kept.push_str(rest);
    for name in TYPED_ELEMENTS {
        kept = kept.replace(&format!("<{name}>"), " ").replace(&format!("</{name}>"), " ");
    }
    kept.trim().to_owned()
}

/// Splits `text` at the first host element: the text before it, its name, and the text after its opening tag.
fn first_element(text: &str) -> Option<(&str, &'static str, &str)> {
    text.match_indices('<').find_map(|(at, _)| {
        let (before, tag) = text.split_at(at);
        let tag = tag.strip_prefix('<')?;
        let name = ELEMENTS.iter().find(|name| tag.starts_with(**name))?;
        let after = tag.strip_prefix(name)?;
        // A longer name is another element; an attribute may follow.
        let opened = match after.chars().next()? {
            '>' => after.strip_prefix('>')?,
            ' ' => after.split_once('>')?.1,
            _ => return None,
        };
        Some((before, *name, opened))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_added_is_left_out() {
        assert!(ELEMENTS.is_sorted());
        for (text, expected) in [
            ("plain <b>text</b> a < b", "plain <b>text</b> a < b"),
            ("a<system-reminder>x</system-reminder> b", "a b"),
            ("<bash-input>cat .env</bash-input><bash-stdout>KEY=1</bash-stdout>", "<bash-input>cat .env</bash-input>"),
            ("a<bash-stdout>KEY=1", "a"),
            ("<system-reminder type=\"x\">y</system-reminder>z", "z"),
            ("<system-reminders>stays</system-reminders>", "<system-reminders>stays</system-reminders>"),
            ("# AGENTS.md instructions for /repo\n\nBuild with make.", ""),
            ("", ""),
        ] {
            assert_eq!(without_host_text(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_said_in_a_prompt_has_no_marks_of_commands() {
        for (prompt, expected) in [
            ("<command-name>/clear</command-name>", ""),
            (
                "<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args></command-args>",
                "",
            ),
            ("<command-name>/review</command-name><command-args>the parser</command-args>", "the parser"),
            ("a <system-reminder>x</system-reminder>b", "a b"),
            ("who writes <command-name> here?", "who writes <command-name> here?"),
            (" plain text\n", "plain text"),
        ] {
            assert_eq!(said_in_prompt(prompt), expected, "{prompt}");
        }
    }
}
