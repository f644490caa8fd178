//! Fits the weights of reranking on public repositories and writes them into the crate that ships them.
//!
//! There are no human judgements. A commit message is a question whose answers are the files that the commit changed. A
//! sentence of documentation is a question whose answer is the file that it documents, in a tree without that sentence.

mod documented;
mod listwise;
mod questions;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use icr_rank::{QuestionKind, RERANK_FEATURES, RERANK_FEATURES_TOTAL, RerankFeatures};
use serde_json::Value;

use crate::git::{Git, GitError};
use crate::shipped_weights::{FittingRepository, ShipError, ship};
use crate::train_static::Seed;
use listwise::{Category, List, fit};
use questions::QuestionSet;

/// Repositories that the weights are fitted on, with the commit to look back from. They have permissive licences and
/// cover many languages and habits. As far as known, none is part of a public benchmark of code search or issues, and
/// the static table was trained on none of them.
const REPOSITORIES: [FittingRepository; 29] = [
    // tidy: sorted
    ("Polly", "App-vNext/Polly", "173d6d1d2e28a4697f1ac1d22da68f77ff19a0c9"),
    ("actix-web", "actix/actix-web", "4dc9f1d3887a0629732a4f2b3bce193a37cef1b7"),
    ("alacritty", "alacritty/alacritty", "bdb72b32eeb074e3a0b8559d8ccac458237474a3"),
    ("celery", "celery/celery", "5dc781f0bd5f36186bfcc74e0a4f9f654452c69b"),
    ("coil", "coil-kt/coil", "a42b7709600630cd2bed73517832442b98d4d7b5"),
    ("commons-io", "apache/commons-io", "d83aeb6f4774aee75d857b29fb6cd89132c9a91b"),
    ("composer", "composer/composer", "eba7baa59eb1b59246cf9800b0120fe78915b6ac"),
    ("devise", "heartcombo/devise", "7ca7ed9c174525a4d36167441b35af4a0991b6af"),
    ("diesel", "diesel-rs/diesel", "04cc1b0bc6578021db542464e6cd1a21e0d39235"),
    ("fastify", "fastify/fastify", "83e69762aff047940b376fc2a266d143499ef727"),
    ("fiber", "gofiber/fiber", "c344047e102861ac2b7f0259ea3dd3af4b03ad63"),
    ("flysystem", "thephpleague/flysystem", "072735c56cc0da00e10716dd90d5a7f7b40b36be"),
    ("fzf", "junegunn/fzf", "956562daaa82ddf55ea8f7aeab56883377b742c6"),
    ("leakcanary", "square/leakcanary", "0f7dbab17e2a9f6f310f7b8be214e029bfc502e3"),
    ("leveldb", "google/leveldb", "78a352f47ed6c1e9d750545e9b242289185b87e1"),
    ("nats-server", "nats-io/nats-server", "1787eee035cf0253c201fa0f05afad92b6f296dc"),
    ("nvim-cmp", "hrsh7th/nvim-cmp", "a1d504892f2bc56c2e79b65c6faded2fd21f3eca"),
    ("oban", "oban-bg/oban", "2939e3134d0812195fbfcfe9a8e8d4bbd30bb23b"),
    ("ohmyzsh", "ohmyzsh/ohmyzsh", "830a5bcfd29fd577fdcd5f3b8e98cbaf973421fa"),
    ("puma", "puma/puma", "ff2e2126ee2f0f97e21c57ce1967afde1b6f05a1"),
    ("rich", "Textualize/rich", "42899d8a0a96b121a514516f4be9db44ff7aeaf3"),
    ("rollup", "rollup/rollup", "89bda2cd8e9def2ea037e7dbffaf392ce9f1ddcb"),
    ("scrapy", "scrapy/scrapy", "11079cb1c85b9e75a39a7269943c69d1a975d485"),
    ("serilog", "serilog/serilog", "60935b4d7abad71cf6157b45a10f5c3c65ead527"),
    ("socket.io", "socketio/socket.io", "d2d753fed4435015c2d83fe62e676b44e07fa3f7"),
    ("spdlog", "gabime/spdlog", "62302019babd8fdf63c1c6dc4c9faa48d441a7f0"),
    ("stack", "commercialhaskell/stack", "7f6e8f38b6ad162686c8e8e0d02f64521b708f92"),
    ("swift-nio", "apple/swift-nio", "63018571c88ab6807d5d80ea0f1ef7d9197c0489"),
    ("tmux", "tmux/tmux", "c1f947a3c5bc72a40c32dead736f84c4628791ec"),
    // tidy: end
];

/// Directory for questions, answers and icr's home, below the clones.
const SCRATCH: &str = ".ranking";

/// File of the weights, which are written between its markers.
const SHIPPED_IN: &str = "crates/icr-rank/src/rerank/weights.rs";

/// Weight of a question, by category. A sentence of documentation asks for one definition, most questions ask for more.
/// With a larger weight, definitions count more against the files that a question is about. At 0.03, documentation has
/// most of what it gains at 0.1, and judged queries about whole files show no loss.
const MESSAGE: f64 = 1.0;
const REPORT: f64 = 0.7;
const DOCUMENTED: f64 = 0.03;

/// Folds of the cross-validation. Each fold of repositories is judged by weights fitted on the others.
const FOLDS: usize = 4;

/// A table of weights: name of the constant, its doc comment, kind of questions, search mode.
type Table = (&'static str, &'static str, QuestionKind, &'static str);

const TABLES: [Table; 4] = [
    ("QUESTION", "For questions, with vectors.", QuestionKind::Question, "hybrid"),
    ("QUESTION_WITHOUT_VECTORS", "For questions, without vectors.", QuestionKind::Question, "lexical"),
    ("MESSAGE", "For messages of commits and reports, with vectors.", QuestionKind::Message, "hybrid"),
    (
        "MESSAGE_WITHOUT_VECTORS",
        "For messages of commits and reports, without vectors.",
        QuestionKind::Message,
        "lexical",
    ),
];

/// Why weights cannot be fitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{}` is no clone of `{upstream}` that has {commit}; clone it there", .path.display())]
    NoClone { path: PathBuf, upstream: &'static str, commit: &'static str },
    #[error("`icr bench-retrieval` failed in `{}`", .path.display())]
    Ask { path: PathBuf },
    #[error("`{}` is no dump of these features", .path.display())]
    Dump { path: PathBuf },
    #[error(transparent)]
    Ship(#[from] ShipError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{doing} `{}`: {source}", .path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

/// Asks the repositories, which must be cloned side by side in `clones`; fits the weights, reports their quality, and
/// writes them.
pub(crate) fn write(clones: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let scratch = clones.join(SCRATCH);
    let mut lists: BTreeMap<&str, Vec<List>> = BTreeMap::new();
    for (repository, (name, upstream, commit)) in REPOSITORIES.into_iter().enumerate() {
        let directory = clones.join(name);
        if Git::at(&directory).output(&["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_err() {
            return Err(Error::NoClone { path: directory, upstream, commit });
        }
        fs::create_dir_all(&scratch).map_err(io("making", &scratch))?;
        let asked = question_sets(&directory, commit, &scratch)?;
        say(&format!("{name}: {} questions\n", asked.iter().map(|asked| asked.questions.len()).sum::<usize>()));
        for asked in asked {
            for mode in ["hybrid", "lexical"] {
                let dump = answers(&scratch, &directory, &asked, mode)?;
                read(&dump, repository, lists.entry(mode).or_default())?;
            }
        }
        fs::remove_dir_all(&scratch).map_err(io("removing", &scratch))?;
    }
    let mut tables = String::new();
    for (constant, doc, kind, mode) in TABLES {
        let all: Vec<&List> = lists[mode].iter().filter(|list| list.says_something()).collect();
        let counted = std::array::from_fn(|at| RERANK_FEATURES[at].counts_for(kind));
        let judged = cross_validation_table(&all, kind, counted);
        say(&format!("\n{doc}\n{judged}"));
        let weights = fit(&all, weight(kind, &all), counted);
        tables.push_str(&table(constant, &format!("{doc}\n\n```text\n{judged}```"), &weights, counted));
    }
    Ok(ship(SHIPPED_IN, &tables)?)
}

/// The questions of a repository, by revision.
fn question_sets(directory: &Path, commit: &str, scratch: &Path) -> Result<Vec<QuestionSet>, Error> {
    let git = Git::at(directory);
    let mut asked = questions::messages(&git, commit)?;
    asked.push(documented::documented(&git, commit, scratch)?);
    Ok(asked)
}

/// The features of the files that icr reads again for `asked`, in a file.
fn answers(scratch: &Path, directory: &Path, asked: &QuestionSet, mode: &str) -> Result<PathBuf, Error> {
    let (questions, dump) = (scratch.join("questions.jsonl"), scratch.join("dump.jsonl"));
    fs::write(&questions, asked.lines()).map_err(io("writing", &questions))?;
    let home = scratch.join("icr-home");
    let status = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "-p", "icr", "--", "bench-retrieval", "--quiet", "--mode", mode])
        .args(["--at", &asked.revision])
        .arg("--repo")
        .arg(std::path::absolute(directory).map_err(io("finding", directory))?)
        .arg("--dump")
        .arg(&dump)
        .arg(&questions)
        .env("ICR_HOME", std::path::absolute(&home).map_err(io("finding", &home))?)
        .stdout(std::process::Stdio::null())
        .status()
        .map_err(io("running `icr bench-retrieval` in", directory))?;
    match status.success() {
        true => Ok(dump),
        false => Err(Error::Ask { path: directory.to_owned() }),
    }
}

/// Adds the lists of a dump.
fn read(path: &Path, repository: usize, lists: &mut Vec<List>) -> Result<(), Error> {
    let text = fs::read_to_string(path).map_err(io("reading", path))?;
    let wrong = || Error::Dump { path: path.to_owned() };
    let mut lines = text.lines();
    let head: Value = lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(wrong)?;
    let names = head["features"].as_array().ok_or_else(wrong)?;
    if !names.iter().map(|name| name.as_str().unwrap_or_default()).eq(RERANK_FEATURES.iter().map(|row| row.name)) {
        return Err(wrong());
    }
    for line in lines {
        let line: Value = serde_json::from_str(line).map_err(|_| wrong())?;
        lists.push(list(&line, repository).ok_or_else(wrong)?);
    }
    Ok(())
}

/// A line of a dump; `None` where it is none.
fn list(line: &Value, repository: usize) -> Option<List> {
    let category = match line["category"].as_str()? {
        "message" => Category::Message,
        "report" => Category::Report,
        "documented" => Category::Documented,
        _ => return None,
    };
    let answers = line["grades"].as_array()?.iter().map(|grade| Some(grade.as_u64()? > 0)).collect::<Option<_>>()?;
    let values = |values: &Value| -> Option<RerankFeatures> {
        let values: Vec<f64> = values.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
        values.try_into().ok()
    };
    let values = line["values"].as_array()?.iter().map(values).collect::<Option<_>>()?;
    Some(List { repository, category, expected: usize::try_from(line["expected"].as_u64()?).ok()?, answers, values })
}

/// The weight of a list for a kind of questions. All categories count the same for a repository, however many questions
/// they have.
fn weight(kind: QuestionKind, lists: &[&List]) -> impl Fn(&List) -> f64 + use<> {
    let mut counts: BTreeMap<(usize, Category), usize> = BTreeMap::new();
    for list in lists {
        *counts.entry((list.repository, list.category)).or_default() += 1;
    }
    move |list| {
        let lists = counts.get(&(list.repository, list.category)).copied().unwrap_or(1);
        weight_of_kind(list.category, kind) / lists as f64
    }
}

fn weight_of_kind(category: Category, kind: QuestionKind) -> f64 {
    match (category, kind) {
        (Category::Message, _) => MESSAGE,
        (Category::Report, QuestionKind::Message) => REPORT,
        (Category::Documented, QuestionKind::Question) => DOCUMENTED,
        // These two are never classified as the other kind.
        (Category::Report, QuestionKind::Question) | (Category::Documented, QuestionKind::Message) => 0.0,
    }
}

/// Quality on repositories by weights fitted on others, by category: NDCG@10, the mean over repositories. Three orders
/// are compared: that of fusion, that of the weights, and that of weights fitted on shuffled answers.
fn cross_validation_table(all: &[&List], kind: QuestionKind, counted: [bool; RERANK_FEATURES_TOTAL]) -> String {
    let mut seed = Seed::new(1);
    let shuffled: Vec<List> = all
        .iter()
        .map(|list| {
            let mut list = (*list).clone();
            seed.shuffle(&mut list.answers);
            list
        })
        .collect();
    let mut figures: BTreeMap<Category, BTreeMap<usize, Vec<[f64; 3]>>> = BTreeMap::new();
    for fold in 0..FOLDS {
        let others: Vec<&List> = all.iter().filter(|list| list.repository % FOLDS != fold).copied().collect();
        let wrong: Vec<&List> = shuffled.iter().filter(|list| list.repository % FOLDS != fold).collect();
        let weights = fit(&others, weight(kind, &others), counted);
        let control = fit(&wrong, weight(kind, &wrong), counted);
        let is_asked = |list: &&&List| list.repository % FOLDS == fold && weight_of_kind(list.category, kind) > 0.0;
        for list in all.iter().filter(is_asked) {
            let by = |weights: &RerankFeatures| {
                list.ndcg(|values| values.iter().zip(weights).map(|(value, weight)| value * weight).sum())
            };
            let of_repository = figures.entry(list.category).or_default().entry(list.repository).or_default();
            of_repository.push([list.ndcg(|_| 0.0), by(&weights), by(&control)]);
        }
    }
    let mean = |of: &mut dyn Iterator<Item = f64>| {
        let of: Vec<f64> = of.collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    let mut told = String::from("              lists  before  after  shuffled\n");
    for (category, repositories) in figures {
        let figure = |at: usize| mean(&mut repositories.values().map(|of| mean(&mut of.iter().map(|of| of[at]))));
        let name = format!("{category:?}").to_lowercase();
        let lists: usize = repositories.values().map(Vec::len).sum();
        told.push_str(&format!("{name:<12}  {lists:5}  {:.3}   {:.3}  {:.3}\n", figure(0), figure(1), figure(2)));
    }
    told
}

/// The constant `name` with `doc` above it: the weights of the features that are `counted`.
fn table(name: &str, doc: &str, weights: &RerankFeatures, counted: [bool; RERANK_FEATURES_TOTAL]) -> String {
    let rows = RERANK_FEATURES.iter().zip(weights).zip(counted).filter(|(_, counts)| *counts);
    // Adding 0.0 turns -0.0 into 0.0.
    let rows: String =
        rows.map(|((row, weight), _)| format!("    (\"{}\", {:.2}),\n", row.name, weight + 0.0)).collect();
    let doc: String = doc.lines().map(|line| format!("/// {line}").trim_end().to_owned() + "\n").collect();
    format!("{doc}const {name}: Weights = &[\n{rows}];\n\n")
}

/// Makes an error of the system with the operation and the file.
fn io(doing: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { doing, path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_directory_without_clones_is_refused() {
        let clones = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let error = write(&clones, &mut |_| ()).unwrap_err().to_string();
        let (name, upstream, commit) = REPOSITORIES[0];
        let wanted = format!("{name}` is no clone of `{upstream}` that has {commit}; clone it there");
        assert!(error.ends_with(&wanted), "{error}");
    }

    #[test]
    fn lines_of_a_dump_are_lists() {
        let values = vec![0.5; RERANK_FEATURES_TOTAL];
        let line = json!({"category": "report", "expected": 2, "grades": [0, 3], "values": [values, values]});
        let expected = List {
            repository: 7,
            category: Category::Report,
            expected: 2,
            answers: vec![false, true],
            values: vec![[0.5; RERANK_FEATURES_TOTAL]; 2],
        };
        assert_eq!(list(&line, 7), Some(expected));
        assert_eq!(list(&json!({"category": "report", "expected": 2, "grades": [0], "values": [[1.0]]}), 7), None);
    }
}
