//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;
use crate::stage::{Stage, StageDirectories};

pub(crate) const USAGE: &str = "\
usage: icr-bench workloads PATH... [--out FILE] [--icr PROGRAM] [--runs N]
       icr-bench generated FILES... [--out FILE]
       icr-bench load PATH... [--rate N] [--seconds N] [--out FILE] [--icr PROGRAM]
       icr-bench micro [PATH...] [--out FILE]
       icr-bench quality PATH... [--commits N] [--questions FILE] [--imports FILE] [--references FILE] [--out FILE] [--icr PROGRAM]

  workloads  full sync, sync of nothing, of ten files and of a branch switch, cold and warm search, impact, for each repository
  generated  sync of ten files in generated repositories of so many files [default: 1000 100000]
  load       requests to a server over the repositories, most of them about the first; with several, also its memory and CPU at rest
  micro      tokens, facts, live sets and scores, over the sources of the repositories [default: the one here]
  quality    packs and impact on past commits of each repository; search, imports and references against known answers

  --commits N        past commits to replay [default: 60]
  --questions FILE   questions with known answers, as for `icr bench-retrieval`
  --imports FILE     edges that are right: a line for each, two paths separated by a tab; a path alone is a file without edges
  --references FILE  the same for references

  --out FILE     append a line of JSON for each table
  --icr PROGRAM  the program that is measured [default: `icr` beside this one]
  --rate N       requests a second [default: 200]
  --seconds N    for how long they are sent [default: 30]
  --runs N       how often the long workloads are run, for their median [default: 3]
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BenchCommand {
    Generated(GeneratedWorkloads),
    Help,
    Load(Load),
    Micro(Micro),
    Quality(Quality),
    /// A part of a workload, in a process of its own.
    Stage(Stage, StageDirectories),
    Workloads(Workloads),
}

/// Workloads over repositories.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Workloads {
    pub(crate) repositories: Vec<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) icr: Option<PathBuf>,
    pub(crate) runs: usize,
}

/// Workloads over generated repositories.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GeneratedWorkloads {
    /// Files of each, ascending.
    pub(crate) files: Vec<usize>,
    pub(crate) out: Option<PathBuf>,
}

/// Requests to a server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) repositories: Vec<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) icr: Option<PathBuf>,
    /// Requests a second.
    pub(crate) rate: usize,
    pub(crate) duration: Duration,
}

/// Micro benches.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Micro {
    pub(crate) repositories: Vec<PathBuf>,
    pub(crate) out: Option<PathBuf>,
}

/// Answers against what is known to be right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Quality {
    pub(crate) repositories: Vec<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) icr: Option<PathBuf>,
    /// Past commits that are replayed.
    pub(crate) commits: usize,
    /// Questions with known answers, as `icr bench-retrieval` reads them.
    pub(crate) questions: Option<PathBuf>,
    /// Edges of imports that are right.
    pub(crate) imports: Option<PathBuf>,
    /// Edges of references that are right.
    pub(crate) references: Option<PathBuf>,
}

/// Past commits, unless given: enough that one commit moves no figure by two hundredths.
const COMMITS: usize = 60;

/// Files of the generated repositories, unless given: a small one, and one where anything that grows with the number of
/// files shows.
const GENERATED_FILES: [usize; 2] = [1_000, 100_000];

/// Runs of long workloads, unless given: the least that has a median.
const RUNS: usize = 3;

/// Default number of requests per second, and of seconds: six thousand requests, of which sixty are slower than the
/// 99th percentile.
const RATE: usize = 200;
const SECONDS: usize = 30;

/// Reads the arguments after the program's name.
///
/// # Errors
///
/// [`Error::Usage`] that names the argument that makes no sense.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<BenchCommand, Error> {
    let mut arguments = arguments.into_iter();
    let command = arguments.next().ok_or_else(|| usage("what is to be measured?"))?;
    let mut given = ParsedArguments::read(arguments)?;
    let command = match command.to_str() {
        Some("workloads") if given.words.is_empty() => return Err(usage("`workloads` needs a repository")),
        Some("workloads") => BenchCommand::Workloads(Workloads {
            repositories: given.paths(),
            out: given.take("--out"),
            icr: given.take("--icr"),
            runs: given.take_number("--runs")?.unwrap_or(RUNS),
        }),
        Some("generated") => {
            BenchCommand::Generated(GeneratedWorkloads { files: given.numbers()?, out: given.take("--out") })
        }
        Some("load") if given.words.is_empty() => return Err(usage("`load` needs a repository")),
        Some("load") => BenchCommand::Load(Load {
            repositories: given.paths(),
            out: given.take("--out"),
            icr: given.take("--icr"),
            rate: given.take_number("--rate")?.unwrap_or(RATE),
            duration: Duration::from_secs(given.take_number("--seconds")?.unwrap_or(SECONDS) as u64),
        }),
        Some("micro") => BenchCommand::Micro(Micro { repositories: given.paths(), out: given.take("--out") }),
        Some("quality") if given.words.is_empty() => return Err(usage("`quality` needs a repository")),
        Some("quality") => BenchCommand::Quality(Quality {
            repositories: given.paths(),
            out: given.take("--out"),
            icr: given.take("--icr"),
            commits: given.take_number("--commits")?.unwrap_or(COMMITS),
            questions: given.take("--questions"),
            imports: given.take("--imports"),
            references: given.take("--references"),
        }),
        Some("stage") => {
            let name = given.words.first().and_then(|name| name.to_str()).and_then(Stage::from_name);
            let stage = name.ok_or_else(|| usage("`stage` needs the name of one"))?;
            given.words.clear();
            let mut needed = |name: &str| given.take(name).ok_or_else(|| usage(format!("`stage` needs `{name}`")));
            BenchCommand::Stage(stage, StageDirectories { repository: needed("--repo")?, home: needed("--home")? })
        }
        Some("help" | "--help" | "-h") => return Ok(BenchCommand::Help),
        _ => return Err(usage(format!("`{}` is no command", command.display()))),
    };
    match given.options.first() {
        Some((name, _)) => Err(usage(format!("`{name}` is no option of this command"))),
        None => Ok(command),
    }
}

/// Words and options with their values, as given.
struct ParsedArguments {
    words: Vec<OsString>,
    options: Vec<(String, OsString)>,
}

impl ParsedArguments {
    fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut given = Self { words: Vec::new(), options: Vec::new() };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.to_str().filter(|text| text.starts_with("--")) {
                Some(name) => {
                    let value = arguments.next().ok_or_else(|| usage(format!("`{name}` needs a value")))?;
                    given.options.push((name.to_owned(), value));
                }
                None => given.words.push(argument),
            }
        }
        Ok(given)
    }

    /// The words as paths.
    fn paths(&mut self) -> Vec<PathBuf> {
        self.words.drain(..).map(PathBuf::from).collect()
    }

    /// The words as numbers of files, ascending.
    fn numbers(&mut self) -> Result<Vec<usize>, Error> {
        let numbers = self.words.drain(..).map(|word| number(&word));
        let mut numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        if numbers.is_empty() {
            numbers = GENERATED_FILES.to_vec();
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The value of the option, which is then no longer there.
    fn take(&mut self, name: &str) -> Option<PathBuf> {
        let at = self.options.iter().position(|(given, _)| given == name)?;
        Some(PathBuf::from(self.options.remove(at).1))
    }

    fn take_number(&mut self, name: &str) -> Result<Option<usize>, Error> {
        self.take(name).map(|value| number(value.as_os_str())).transpose()
    }
}

fn number(text: &std::ffi::OsStr) -> Result<usize, Error> {
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| usage(format!("`{}` is no number above 0", text.display())))
}

fn usage(message: impl Into<String>) -> Error {
    Error::Usage { message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<BenchCommand, String> {
        let arguments = line.split_whitespace().map(OsString::from);
        parse(arguments).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
    }

    #[test]
    fn options_may_stand_anywhere() {
        let expected =
            Workloads { repositories: vec!["a".into(), "b".into()], out: Some("o".into()), icr: None, runs: 5 };
        assert_eq!(read("workloads --out o a --runs 5 b"), Ok(BenchCommand::Workloads(expected)));
    }

    #[test]
    fn what_is_not_given_has_a_default() {
        assert_eq!(
            read("generated"),
            Ok(BenchCommand::Generated(GeneratedWorkloads { files: vec![1_000, 100_000], out: None }))
        );
        assert_eq!(
            read("generated 20 3"),
            Ok(BenchCommand::Generated(GeneratedWorkloads { files: vec![3, 20], out: None }))
        );
        assert_eq!(read("micro"), Ok(BenchCommand::Micro(Micro { repositories: Vec::new(), out: None })));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (line, message) in [
            ("", "what is to be measured?"),
            ("measure", "`measure` is no command"),
            ("workloads", "`workloads` needs a repository"),
            ("quality --commits 3", "`quality` needs a repository"),
            ("workloads a --runs 0", "`0` is no number above 0"),
            ("workloads a --fast 1", "`--fast` is no option of this command"),
            ("micro --runs 3", "`--runs` is no option of this command"),
            ("micro --out", "`--out` needs a value"),
            ("generated many", "`many` is no number above 0"),
            ("stage dance --repo a --home b", "`stage` needs the name of one"),
            ("stage sync --repo a", "`stage` needs `--home`"),
        ] {
            assert_eq!(read(line), Err(message.to_owned()), "{line}");
        }
    }
}
