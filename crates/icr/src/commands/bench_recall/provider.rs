//! A command of the user that answers prompts: a model behind a command line.

use std::io::{Read, Write};
use std::path::MAIN_SEPARATOR;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use tempfile::TempDir;
use wait_timeout::ChildExt;

use crate::environment;
use crate::output::note;
use crate::problem::Usage;

/// Environment variable that holds the provider's command, so that it need not be typed each time. A repository's files
/// cannot set it.
const VARIABLE: &str = "ICR_BENCH_PROVIDER";

/// Placeholder for the model in a provider's command.
const MODEL: &str = "{model}";

/// Longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long to wait for output after the command ended: another process may still hold the pipe open.
const AFTER_END: Duration = Duration::from_secs(5);

/// Longest answer, in bytes; the rest is ignored.
const ANSWER_BYTES_MOST: u64 = 1 << 20;

/// Command-line options of the provider.
#[derive(Debug, Args)]
pub(crate) struct ProviderOptions {
    /// Command that reads a prompt and prints an answer, such as `claude -p --model {model}` [env: ICR_BENCH_PROVIDER]
    #[arg(long, value_name = "COMMAND")]
    provider: Option<String>,
    /// Model name that replaces `{model}` in the provider's command
    #[arg(long, short, value_name = "MODEL")]
    model: Option<String>,
    /// How often to ask each prompt
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: Option<u32>,
}

/// A command that answers prompts, with counts of its answers.
#[derive(Debug, Serialize)]
pub(crate) struct Provider {
    /// The program and its arguments; no shell reads them.
    command: Vec<String>,
    /// How often each prompt is asked.
    pub(crate) runs: u32,
    /// Prompts that were answered.
    answered: u64,
    /// Prompts without an answer after 120 seconds; each counts as an answer without a word.
    timed_out: u64,
    /// Prompts for which the command failed; each counts as an empty answer.
    failed: u64,
    /// Empty directory that the command runs in, so that no repository file influences it.
    #[serde(skip)]
    directory: TempDir,
}

impl ProviderOptions {
    /// The provider that the options or the environment name, or none.
    ///
    /// # Errors
    ///
    /// [`Usage`] if the command cannot be parsed, or if options about a provider are given without a provider.
    pub(crate) fn provider(&self) -> anyhow::Result<Option<Provider>> {
        let from_environment = environment::variable(VARIABLE).and_then(|text| text.into_string().ok());
        let written = self.provider.clone().or(from_environment).filter(|text| !text.trim().is_empty());
        let Some(command) = self.command_of(written.as_deref())? else { return Ok(None) };
        let directory = tempfile::tempdir().context("making a temporary directory")?;
        let runs = self.runs.unwrap_or(1);
        Ok(Some(Provider { command, runs, answered: 0, timed_out: 0, failed: 0, directory }))
    }

    /// The words of a command, with the model's name inserted.
    fn command_of(&self, written: Option<&str>) -> Result<Option<Vec<String>>, Usage> {
        let refused =
            |message: &str, hint: &str| Err(Usage { message: message.to_owned(), hint: Some(hint.to_owned()) });
        let Some(written) = written else {
            let hint = "name one with `--provider`, such as `--provider 'claude -p --model {model}'`";
            return match self {
                Self { model: Some(_), .. } => refused("`--model` is for a provider, and there is none", hint),
                Self { runs: Some(_), .. } => {
                    refused("`--runs` is for a provider: without one all runs are the same", hint)
                }
                _ => Ok(None),
            };
        };
        let words = match words_of(written) {
            Ok(words) if !words.is_empty() => words,
            Ok(_) => return refused("the provider's command is empty", "write a program and its arguments"),
            Err(problem) => {
                let message = format!("the provider's command `{written}` {problem}");
                return refused(&message, "close what was opened, or write a backslash before it");
            }
        };
        let takes_model = words.iter().any(|word| word.contains(MODEL));
        let command = match &self.model {
            Some(model) if takes_model => words.iter().map(|word| word.replace(MODEL, model)).collect(),
            Some(_) => {
                let hint = "write `{model}` where the command names its model";
                return refused("`--model` is given, and the provider's command has no `{model}`", hint);
            }
            None if takes_model => {
                return refused("the provider's command has `{model}`, and `--model` is not given", "add `-m MODEL`");
            }
            None => words,
        };
        Ok(Some(command))
    }
}

/// Why a prompt has no answer.
#[derive(Debug, thiserror::Error)]
enum ProviderFailure {
    #[error("the provider `{command}` cannot be started")]
    NotStarted { command: String, source: std::io::Error },
    #[error("the provider `{command}` gave no answer within {} seconds", PATIENCE.as_secs())]
    TimedOut { command: String },
    #[error("the provider `{command}` failed ({status}){}", last_stderr_line(.stderr))]
    Failed { command: String, status: String, stderr: String },
}

fn last_stderr_line(stderr: &str) -> String {
    let line = stderr.lines().rfind(|line| !line.trim().is_empty());
    line.map(|line| format!(": {}", line.trim())).unwrap_or_default()
}

impl Provider {
    /// Writes to stderr which command will run, and how often.
    pub(crate) fn announce(&self, prompts: usize, quiet: bool) {
        if !quiet {
            let text = format!(
                "runs `{}`, {} times, without a shell",
                self.format_command_line(),
                prompts * self.runs as usize
            );
            note(&mut std::io::stderr().lock(), &text);
        }
    }

    /// One line with the command and the counts of its answers.
    pub(crate) fn summary(&self) -> String {
        let mut line = format!("`{}` gave {} answers", self.format_command_line(), self.answered);
        if self.timed_out > 0 {
            line.push_str(&format!("; {} more took over {} seconds", self.timed_out, PATIENCE.as_secs()));
        }
        if self.failed > 0 {
            line.push_str(&format!("; it failed {} times", self.failed));
        }
        line
    }

    /// The answer to a prompt, which the command reads from standard input. If the command takes too long or fails, the
    /// answer is empty and the failure is counted.
    ///
    /// # Errors
    ///
    /// If the first prompt gets no answer: then no other prompt will get one.
    pub(crate) fn answer(&mut self, prompt: &str) -> anyhow::Result<String> {
        let failure = match self.ask(prompt) {
            Ok(answer) => {
                self.answered += 1;
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        if self.answered == 0 {
            return Err(failure.into());
        }
        match failure {
            ProviderFailure::TimedOut { .. } => self.timed_out += 1,
            _ => self.failed += 1,
        }
        tracing::warn!("{failure}");
        Ok(String::new())
    }

    fn ask(&self, prompt: &str) -> Result<String, ProviderFailure> {
        let not_started = |source| ProviderFailure::NotStarted { command: self.format_command_line(), source };
        let mut child = self.start().map_err(not_started)?;
        let stdout = child.stdout.take().map(read_aside);
        let stderr = child.stderr.take().map(read_aside);
        if let Some(mut stdin) = child.stdin.take() {
            let prompt = prompt.to_owned();
            // A command may answer correctly without reading the whole prompt, so write errors are ignored.
            thread::spawn(move || drop(stdin.write_all(prompt.as_bytes())));
        }
        let Some(status) = child.wait_timeout(PATIENCE).map_err(not_started)? else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(ProviderFailure::TimedOut { command: self.format_command_line() });
        };
        let text = |stream: Option<Receiver<String>>| stream?.recv_timeout(AFTER_END).ok();
        if !status.success() {
            let stderr = text(stderr).unwrap_or_default();
            return Err(ProviderFailure::Failed {
                command: self.format_command_line(),
                status: status.to_string(),
                stderr,
            });
        }
        Ok(text(stdout).unwrap_or_default())
    }

    fn start(&self) -> std::io::Result<Child> {
        let program = self.command.first().map(String::as_str).unwrap_or_default();
        // A relative path is resolved from the user's directory, not from the empty one.
        let program = match program.contains(['/', MAIN_SEPARATOR]) {
            true => environment::current_directory()?.join(program),
            false => program.into(),
        };
        #[expect(clippy::disallowed_methods, reason = "the user's command line says which program to run")]
        let mut command = Command::new(program);
        command.args(self.command.iter().skip(1)).current_dir(self.directory.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    }

    fn format_command_line(&self) -> String {
        format_command(&self.command)
    }
}

/// A command as one line of text; words with spaces are quoted.
fn format_command(command: &[String]) -> String {
    let quoted = |word: &String| match word.is_empty() || word.contains(char::is_whitespace) {
        true => format!("'{word}'"),
        false => word.clone(),
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Reads a stream to its end on its own thread, so that a command with much output is not blocked.
fn read_aside(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.by_ref().take(ANSWER_BYTES_MOST).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
        // The receiver may be gone already.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Splits a command into words at spaces. Quoted text is one word. A backslash outside single quotes makes the next
/// character literal. Nothing is expanded.
fn words_of(command: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                let next = letters.next().ok_or("ends with a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err("has a quote that is not closed");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_like_a_shell_splits_and_nothing_is_expanded() {
        let words = |text: &str| words_of(text).unwrap();
        assert_eq!(words("claude -p  --model x"), ["claude", "-p", "--model", "x"]);
        assert_eq!(words(r#"a 'b c' "d 'e' \"f" g\ h '' "#), ["a", "b c", "d 'e' \"f", "g h", ""]);
        assert_eq!(words(r"a'b\'c $HOME *; é|漢"), ["ab\\c", "$HOME", "*;", "é|漢"]);
        assert!(words("  ").is_empty());
        assert_eq!(words_of("a 'b"), Err("has a quote that is not closed"));
        assert_eq!(words_of("a \\"), Err("ends with a backslash"));
    }

    #[track_caller]
    fn options(model: Option<&str>, runs: Option<u32>) -> ProviderOptions {
        ProviderOptions { provider: None, model: model.map(str::to_owned), runs }
    }

    #[test]
    fn the_model_goes_where_the_command_says() {
        let command = options(Some("a b"), None).command_of(Some("run --model={model}")).unwrap().unwrap();
        assert_eq!(command, ["run", "--model=a b"]);
        assert_eq!(format_command(&command), "run '--model=a b'");
    }

    #[test]
    fn options_that_have_no_effect_are_refused() {
        let message = |options: ProviderOptions, written| options.command_of(written).unwrap_err().message;
        let refusals = [
            message(options(Some("a"), None), None),
            message(options(None, Some(2)), None),
            message(options(Some("a"), None), Some("run")),
            message(options(None, None), Some("run {model}")),
            message(options(None, None), Some("''\"")),
        ];
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        `--model` is for a provider, and there is none
        `--runs` is for a provider: without one all runs are the same
        `--model` is given, and the provider's command has no `{model}`
        the provider's command has `{model}`, and `--model` is not given
        the provider's command `''"` has a quote that is not closed
        "#);
        assert!(options(None, None).command_of(None).unwrap().is_none());
    }
}
