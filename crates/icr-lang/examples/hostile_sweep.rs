//! Measures the CPU time of extraction for texts that nobody writes: a few tokens of a language, repeated.
//!
//! `cargo run --release -p icr-lang --example hostile_sweep -- [--texts N] [--bytes N] [--seed N] [language]…` tries N
//! texts for each language (by default 300 texts of 100,000 bytes). It prints those that took longest, in nanoseconds
//! per byte.

#![expect(clippy::print_stdout, reason = "prints its measurements")]

use std::{fs, io};

use icr_lang::{ChunkLimits, Extractor, languages, literals};

/// Texts shown of each language.
const SHOWN: usize = 3;

struct Options {
    texts: usize,
    bytes: usize,
    seed: u64,
    languages: Vec<String>,
}

fn main() -> io::Result<()> {
    let options = options();
    let known =
        languages().filter(|name| options.languages.is_empty() || options.languages.iter().any(|one| one == name));
    for language in known {
        sweep(language, &options)?;
    }
    Ok(())
}

fn options() -> Options {
    let mut options = Options { texts: 300, bytes: 100_000, seed: 1, languages: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|text| text.parse().ok()).expect("a number behind an option");
        match word.as_str() {
            "--texts" => options.texts = number(),
            "--bytes" => options.bytes = number(),
            "--seed" => options.seed = number() as u64,
            _ => options.languages.push(word),
        }
    }
    options
}

fn sweep(language: &str, options: &Options) -> io::Result<()> {
    let mut random = Random(options.seed);
    let tokens = tokens(language);
    let mut extractor = Extractor::new(ChunkLimits::default());
    extractor.extract(language, b"");
    let mut found = Vec::new();
    for _ in 0..options.texts {
        let (name, text) = text(&mut random, &tokens, options.bytes);
        let start = cpu_ns()?;
        let extraction = extractor.extract(language, text.as_bytes());
        let spent = cpu_ns()? - start;
        let given_up = extraction.facts.error_bytes as usize == text.len() && extraction.facts.symbols.is_empty();
        found.push((spent / text.len() as u64, given_up, name));
    }
    found.sort_unstable_by(|one, next| next.cmp(one));
    let given_up = found.iter().filter(|(_, given_up, _)| *given_up).count();
    let median = found[found.len() / 2].0;
    println!("{language}: median {median} ns a byte, {given_up} of {} without a tree", found.len());
    for (spent, given_up, name) in found.iter().take(SHOWN) {
        println!("  {spent:6} ns a byte{}  {name}", if *given_up { ", no tree" } else { "" });
    }
    Ok(())
}

/// The tokens that texts are made of: words and signs of the grammar, and placeholders for names, numbers and white
/// space.
fn tokens(language: &str) -> Vec<String> {
    let mut tokens: Vec<String> = literals(language).into_iter().map(str::to_owned).collect();
    let often = [
        "a", "1", " ", "\n", "\n  ", "\t", "'", "\"", "`", "#", "//", "/*", "*/", "(", ")", "[", "]", "{", "}", "<",
        ">",
    ];
    tokens.extend(often.map(str::to_owned));
    tokens
}

/// A text of about `bytes`, and how it was made.
fn text(random: &mut Random, tokens: &[String], bytes: usize) -> (String, String) {
    let mut some = |most: usize| -> String {
        let count = 1 + random.below(most);
        let mut some = String::new();
        for _ in 0..count {
            some += &tokens[random.below(tokens.len())];
            if random.below(3) == 0 {
                some.push(' ');
            }
        }
        some
    };
    let (before, first, second, behind) = (some(3), some(4), some(3), some(3));
    // Rarely without line breaks: a text of one endless line is not parsed.
    let newline = ["\n", "\n", " "][random.below(3)];
    let times = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len().max(1));
    let first_line = format!("{first}{newline}");
    match random.below(4) {
        0 => (format!("{first_line:?} again and again"), times(&first_line, bytes)),
        1 => {
            let text = format!("{before}\n{}{behind}\n", times(&first_line, bytes));
            (format!("{before:?}, {first_line:?} again and again, {behind:?}"), text)
        }
        2 => {
            let text = [times(&first_line, bytes / 2), times(&second, bytes / 2)].concat();
            (format!("{first_line:?} again and again, {second:?} again and again"), text)
        }
        _ => {
            let mut text = String::new();
            while text.len() < bytes {
                for _ in 0..1 + random.below(8) {
                    text += &first;
                }
                text += &second;
                text += newline;
            }
            (format!("{first:?} a few times and {second:?} with {newline:?}"), text)
        }
    }
}

/// Pseudorandom numbers that are the same on each run (SplitMix64, Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}

/// CPU time of this thread so far, in nanoseconds.
fn cpu_ns() -> io::Result<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    nanoseconds.ok_or_else(|| io::Error::other("no schedstat"))
}
