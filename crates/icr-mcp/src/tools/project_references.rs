//! `project_references`: the uses of a definition.

use icr_engine::{Gap, ReferencePlace, ReferencesRequest, add_uses};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::cursor::List;
use crate::page::Page;
use crate::paths::relative;
use crate::reply::Reply;
use crate::truncation::tokens_of;
use icr_serve::{CallFailure, Violation};

/// Files of code named in an answer because they are too large to search.
const UNSEEN_NAMED: usize = 5;

/// Most lines of a file whose text is shown. All line numbers are shown.
const USES_SHOWN: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectReferencesInput {
    /// `name` or `Class.name`
    #[schemars(length(min = 1, max = 256))]
    symbol: String,
    path: Option<String>,
    #[schemars(range(min = 1))]
    line: Option<u32>,
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Most definitions in an answer. If there are more, the caller should name `path`.
const DEFINITIONS_SHOWN: usize = 20;

/// Most items of a page where nobody says how many.
const LIMIT: u32 = 20;

pub(crate) fn run(call: &CallContext<'_>, input: ProjectReferencesInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let list = List::of("project_references", &input.symbol);
    if input.line.is_some() && input.path.is_none() {
        return Err(CallFailure::validation(Violation {
            field: "line",
            constraint: "path",
            value: &json!(input.line),
            allowed: json!("a line of the file that `path` names"),
            problem: "needs `path` as well".to_owned(),
        }));
    }
    let page = Page::of(list, input.cursor.as_deref(), input.limit, LIMIT)?;
    let path = input.path.as_deref().filter(|path| !path.is_empty());
    let request = ReferencesRequest {
        symbol: input.symbol.clone(),
        path: path.map(|path| relative(repository.root(), "path", path)).transpose()?,
        line: input.line,
    };
    let ((mut found, gaps, unseen), provenance) = call.ask(&repository, |snapshot| {
        let mut found = icr_engine::references(snapshot, &request)?;
        let total = found.references.len();
        let (from, to) = (page.offset().min(total), (page.offset() + page.limit()).min(total));
        let gaps = add_uses(snapshot, &found.symbol, &mut found.references[from..to], USES_SHOWN)?;
        // A use in one of them would be missing here.
        let has_unseen = snapshot.provenance().gaps.iter().any(|gap| matches!(gap, Gap::Oversize { .. }));
        let unseen = if has_unseen { icr_engine::oversize_code(snapshot, UNSEEN_NAMED)? } else { Vec::new() };
        Ok((found, gaps, unseen))
    })?;
    let definitions_total = found.definitions.len();
    let definitions: Vec<Value> = found
        .definitions
        .iter()
        .take(DEFINITIONS_SHOWN)
        .map(|definition| {
            json!({
                "path": definition.path,
                "start_line": definition.start_line,
                "end_line": definition.end_line,
                "type": definition.kind,
                "qualified_name": definition.qualified_name,
            })
        })
        .collect();
    let (files, uses) =
        (found.references.len() as u64, found.references.iter().map(|place| u64::from(place.count)).sum::<u64>());
    let items = found.references.drain(..).map(|place| item(&place)).collect();
    let page = page.with_tokens_beside(tokens_of(&json!(definitions)));
    let reply = page.reply("references", items, files, call.settings);
    let unseen = (!unseen.is_empty()).then(|| format!("too large to search: {}", unseen.join(", ")));
    let mut reply = reply.and("definitions", json!(definitions)).and("uses_total", json!(uses));
    reply = reply.noting(found.inexact_note());
    if definitions_total > DEFINITIONS_SHOWN {
        let notice = format!("{DEFINITIONS_SHOWN} of {definitions_total} definitions are named; `path` chooses one");
        reply = reply.noting([notice]);
    }
    if !found.unread_in.is_empty() {
        reply =
            reply.noting([format!("these files contain the name but do not parse: {}", found.unread_in.join(", "))]);
    }
    if found.calls_only {
        reply = reply.noting(["the name is so short that only calls and members were searched".to_owned()]);
    }
    if found.mentioned > 0 {
        let mentioned = json!({ "files": found.mentioned, "first": found.mentioned_in });
        reply = reply.and("mentioned_elsewhere", mentioned);
    }
    Ok(reply.from(provenance.with_gaps(&gaps)).noting(unseen))
}

fn item(place: &ReferencePlace) -> Value {
    // Some lines in between may have no text, so each text says its line.
    let text: Vec<String> = place
        .uses
        .iter()
        .map(|used| match &used.within {
            Some(within) => format!("{} in {within}: {}", used.line, used.text),
            None => format!("{}: {}", used.line, used.text),
        })
        .collect();
    let mut item = json!({
        "path": place.path,
        "count": place.count,
        "sureness": place.share,
        "lines": place.lines,
        "text": text,
    });
    if !place.less_sure.is_empty() {
        item["less_sure"] = json!(place.less_sure);
    }
    if place.uses.len() < place.lines.len() {
        item["text_left_out"] = json!(place.lines.len() - place.uses.len());
    }
    item
}
