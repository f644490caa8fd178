//! Texts of few words, so that terms, identifiers and whole files collide.

use icr_tests::Draws;

/// Paths that files are written to: several languages, directories, ordinary and odd names.
pub(crate) const PATHS: [&str; 14] = [
    "src/lib.rs",
    "src/parser.rs",
    "src/stream/open.rs",
    "src/stream/open.c",
    "src/stream/open.h",
    "lib/tool.py",
    "lib/tool.txt",
    "lib/deep/er/read_token.py",
    "tests/test_open.py",
    "docs/notes.md",
    "Cargo.toml",
    "a b/é file.py",
    "plain",
    "src/parse_token.rs",
];

const WORDS: [&str; 10] = ["parse", "token", "open", "file", "stream", "read", "tool", "close", "notes", "write"];

/// How many different texts there are; few, so that two paths often have the same.
pub(crate) const TEXTS: usize = 24;

/// Text number `number`, the same in every run: Rust, Python, C or prose, whatever its path will say.
pub(crate) fn text(number: usize) -> String {
    let mut draws = Draws::new(number as u64 * 7 + 1);
    let mut word = || WORDS[draws.below(WORDS.len())];
    match number % 6 {
        0 => format!(
            "//! The {} {}.\n\nuse crate::{}::{}_file;\n\n/// {} a {}.\npub struct Open{} {{\n    {}: u32,\n}}\n\nimpl OpenStream {{\n    \
             /// Parses the {} {}.\n    pub fn parse_token(&self) -> u32 {{\n        self.{}.{}()\n    }}\n}}\n",
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            ["Stream", "File"][number / 6 % 2],
            word(),
            word(),
            word(),
            word(),
            word(),
        ),
        1 => format!(
            "import {}\nfrom . import {}\nfrom lib.tool import {}_file\n\n\ndef {}_{}({}):\n    \"\"\"{} the {}.\"\"\"\n    return {}_{}({})\n\n\nclass Token:\n    def parse_token(self):\n        {} = 1\n",
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
            word(),
        ),
        2 => format!(
            "#include \"{}.h\"\n\nint {}_{}(int {}) {{\n    return {}({});\n}}\n",
            word(),
            word(),
            word(),
            word(),
            word(),
            word()
        ),
        3 => format!("# {} {}\n\nWhere the {} {} is {}: {}.\n", word(), word(), word(), word(), word(), word()),
        // Longer than one chunk.
        4 => (0..30 + number)
            .map(|at| format!("fn {}_{}_{at}() {{\n    {}({});\n}}\n\n", word(), word(), word(), word()))
            .collect(),
        _ => match number {
            5 => String::new(),
            11 => "\0\u{1}binary token\0".to_owned(),
            17 => format!("{} {}\r\n{}\r\n", word(), word(), word()),
            _ => format!("fn {}_file() {{}}", word()),
        },
    }
}
