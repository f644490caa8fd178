//! Repositories of any size, as `git fast-import` streams.

use std::fmt::Write;

use crate::FIRST_COMMIT_TIME;

/// Files in one directory: near the median of the large public repositories.
const FILES_PER_DIRECTORY: usize = 50;

/// A stream of one commit on `main` with `files` files, two thirds Rust and one third Python, about 500 bytes each.
pub(crate) fn stream(files: usize) -> Vec<u8> {
    let mut out = String::with_capacity(files * 600);
    let _ = write!(
        out,
        "commit refs/heads/main\ncommitter Fixture <fixture@example.org> {FIRST_COMMIT_TIME} +0000\ndata 9\ngenerated\n"
    );
    for number in 0..files {
        let (extension, content) = if number % 3 == 2 { ("py", python(number)) } else { ("rs", rust(number)) };
        let directory = number / FILES_PER_DIRECTORY;
        let _ =
            writeln!(out, "M 100644 inline src/part_{}/group_{directory}/file_{number}.{extension}", directory % 20);
        let _ = write!(out, "data {}\n{content}\n", content.len());
    }
    out.into_bytes()
}

fn rust(number: usize) -> String {
    let other = number * 7919 % (number + 1);
    format!(
        "//! Part {number} of the generated program.\n\nuse crate::file_{other}::read_{other};\n\n\
         /// Rows that step {number} handles at once.\npub const ROWS_{number}: usize = {};\n\n\
         /// Reads row {number} and adds what step {other} found.\npub fn read_{number}(rows: &[u64]) -> u64 {{\n    \
         let mut total = read_{other}(rows);\n    for row in rows.iter().take(ROWS_{number}) {{\n        \
         total = total.wrapping_add(row ^ {});\n    }}\n    total\n}}\n",
        number % 97 + 1,
        number * 31,
    )
}

fn python(number: usize) -> String {
    let other = number * 7919 % (number + 1);
    format!(
        "\"\"\"Part {number} of the generated program.\"\"\"\n\nfrom file_{other} import load_{other}\n\n\n\
         class Table{number}:\n    \"\"\"Rows of step {number}.\"\"\"\n\n    limit = {}\n\n    \
         def load_{number}(self, rows):\n        \"\"\"Adds what step {other} found.\"\"\"\n        \
         total = load_{other}(rows)\n        for row in rows[: self.limit]:\n            total += row * {}\n        \
         return total\n",
        number % 89 + 1,
        number * 17,
    )
}
