//! `env_peek`: lines of a file.

use icr_engine::ReadRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::paths::relative;
use crate::reply::{Reply, fenced, format_count};
use icr_serve::{CallFailure, ShownPlaces};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EnvPeekInput {
    path: String,
    #[schemars(range(min = 1))]
    start_line: u64,
    #[schemars(range(min = 1))]
    end_line: u64,
    #[serde(default = "max_lines")]
    #[schemars(range(min = 1, max = 400))]
    max_lines: u32,
}

fn max_lines() -> u32 {
    200
}

pub(crate) fn run(call: &CallContext<'_>, input: EnvPeekInput) -> Result<Reply, CallFailure> {
    // No file that is read has more lines.
    let [start_line, end_line] = [input.start_line, input.end_line].map(|line| u32::try_from(line).unwrap_or(u32::MAX));
    let max_lines = input.max_lines;
    if end_line < start_line {
        return Err(CallFailure::ends_before(start_line, end_line));
    }
    let repository = call.repository()?;
    let path = relative(repository.root(), "path", &input.path)?;
    let request = ReadRequest { path, start_line: Some(start_line), end_line: Some(end_line), max_lines };
    let (excerpt, provenance) = call.ask(&repository, |snapshot| icr_engine::read(snapshot, &request))?;
    let language = icr_engine::language_of(&excerpt.path);
    let text = fenced(&excerpt.path, excerpt.start_line, excerpt.end_line, language, &excerpt.content);
    let rest = excerpt.truncated.then(|| {
        let next = excerpt.end_line + 1;
        format!("`max_lines` are shown; continue with `start_line` {next} of {}", excerpt.total_file_lines)
    });
    let lines = format!("{} in the file", format_count(excerpt.total_file_lines, "line"));
    let shown = ShownPlaces::default().and(&excerpt.path, excerpt.start_line, excerpt.end_line, &excerpt.content);
    Ok(Reply::text(text).exact().fact(lines).from(provenance).cutting(rest).showing(shown))
}
