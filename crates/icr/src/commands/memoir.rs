//! `icr memoir`

use clap::{Args, Subcommand};
use icr_memory::Author;
use icr_memory::memoir::{
    self, Concept, ConceptRefinement, ConceptSearch, DistillationAction, DistillationRequest, ExportFormat, Label,
    LinkEnds, NamedLink, NeighbourhoodReach, NewConcept, Relation, labels_of,
};
use serde_json::json;

use crate::arguments::Global;
use crate::columns::{LINE_COLUMNS, wrapped};
use crate::commands::memory::memory_error;
use crate::memory_context::{MemoryContext, now_ms, text_or_input};
use crate::output::{Output, Style, count_text};
use crate::problem;

/// Keep knowledge as linked concepts
#[derive(Debug, Args)]
pub(crate) struct Memoir {
    #[command(subcommand)]
    command: MemoirCommand,
}

/// What to do with memoirs.
#[derive(Debug, Subcommand)]
enum MemoirCommand {
    /// Make a memoir
    Create {
        /// Its name
        #[arg(short, long)]
        name: String,
        /// What it is about
        #[arg(short, long, default_value = "")]
        description: String,
    },
    /// List memoirs
    List,
    /// Show a memoir with all of its concepts
    Show {
        /// Its name
        name: String,
    },
    /// Delete a memoir with all of its concepts; `icr undo` brings it back
    Delete {
        /// Its name
        name: String,
    },
    /// Add a concept
    AddConcept {
        /// The memoir
        #[arg(short, long)]
        memoir: String,
        /// Its name
        #[arg(short, long)]
        name: String,
        /// Definition of the concept; `-` reads standard input
        #[arg(short, long, allow_hyphen_values = true)]
        definition: String,
        /// Labels like `domain:storage`, separated by commas
        #[arg(short, long, default_value = "")]
        labels: String,
    },
    /// Replace the definition of a concept with a better one
    Refine {
        /// The memoir
        #[arg(short, long)]
        memoir: String,
        /// The concept
        #[arg(short, long)]
        name: String,
        /// New definition; `-` reads standard input
        #[arg(short, long, allow_hyphen_values = true)]
        definition: String,
    },
    /// Search the concepts of a memoir
    Search {
        /// The memoir
        #[arg(short, long)]
        memoir: String,
        /// What to look for
        query: String,
        /// Show only concepts with this label
        #[arg(short = 'L', long)]
        label: Option<String>,
        /// Most concepts shown
        #[arg(short, long, default_value_t = 10)]
        limit: usize,
    },
    /// Search the concepts of all memoirs
    SearchAll {
        /// What to look for
        query: String,
        /// Most concepts shown
        #[arg(short, long, default_value_t = 10)]
        limit: usize,
    },
    /// Link two concepts
    Link {
        /// The memoir
        #[arg(short, long)]
        memoir: String,
        /// The concept that the link starts at
        #[arg(long)]
        from: String,
        /// The concept that the link leads to
        #[arg(long)]
        to: String,
        #[arg(short, long, help = relation_help())]
        relation: String,
    },
    /// Show a concept and its surroundings
    Inspect {
        /// The memoir
        #[arg(short, long)]
        memoir: String,
        /// The concept
        name: String,
        /// Distance to follow, in links
        #[arg(short = 'D', long, default_value_t = 1)]
        depth: u32,
    },
    /// Export a memoir for programs, prompts or people
    Export {
        /// The memoir, as `memoir show` takes it
        #[arg(value_name = "MEMOIR", required_unless_present = "memoir", conflicts_with = "memoir")]
        name: Option<String>,
        /// The memoir, as the commands for concepts take it
        #[arg(short, long)]
        memoir: Option<String>,
        /// Output format: json, dot, ascii, ai or html
        #[arg(short, long, default_value = "json")]
        format: String,
    },
    /// Turn the memories of a topic into concepts
    Distill {
        /// The topic
        #[arg(long)]
        from_topic: String,
        /// The memoir; created if it does not exist
        #[arg(long)]
        into: String,
        /// Only show which concepts would be made
        #[arg(long)]
        dry_run: bool,
    },
}

impl Memoir {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        // Memoirs belong to no repository, and what is distilled has an id already.
        let context = MemoryContext::open_for_questions(global)?;
        let now = now_ms();
        match &self.command {
            MemoirCommand::Create { name, description } => {
                let made = memoir::create(&mut context.for_changes()?, name, description, Author::Person, now)
                    .map_err(memory_error)?;
                print_outcome(output, &json!(made), format_args!("Created memoir: {}", made.id))
            }
            MemoirCommand::List => list(&context, output),
            MemoirCommand::Show { name } => show(&context, output, name),
            MemoirCommand::Delete { name } => {
                let removal =
                    memoir::delete(&mut context.for_changes()?, name, Author::Person, now).map_err(memory_error)?;
                print_outcome(output, &json!(removal), format_args!("Deleted memoir: {name}"))
            }
            MemoirCommand::AddConcept { memoir, name, definition, labels } => {
                let concept = NewConcept {
                    name: name.clone(),
                    definition: text_or_input(definition)?,
                    labels: labels_of(labels).map_err(memory_error)?,
                    sources: Vec::new(),
                };
                add_concept(&context, output, memoir, &concept)
            }
            MemoirCommand::Refine { memoir, name, definition } => refine(&context, output, memoir, name, definition),
            MemoirCommand::Search { memoir, query, label, limit } => {
                let label = label.as_deref().map(Label::parse).transpose().map_err(memory_error)?;
                let request = ConceptSearch { query: query.clone(), label, limit: *limit };
                let hits = memoir::search(&context.readable()?, memoir, &request).map_err(memory_error)?;
                show_hits(output, &hits, false)
            }
            MemoirCommand::SearchAll { query, limit } => {
                let request = ConceptSearch { query: query.clone(), label: None, limit: *limit };
                let hits = memoir::search_all(&context.readable()?, &request).map_err(memory_error)?;
                show_hits(output, &hits, true)
            }
            MemoirCommand::Link { memoir, from, to, relation } => {
                let relation = Relation::parse(relation).map_err(memory_error)?;
                link(&context, output, memoir, LinkEnds { from: from.clone(), to: to.clone(), relation })
            }
            MemoirCommand::Inspect { memoir, name, depth } => inspect(&context, output, memoir, name, *depth),
            MemoirCommand::Export { name, memoir, format } => {
                let memoir = name.as_ref().or(memoir.as_ref()).map_or("", String::as_str);
                let format = ExportFormat::parse(format).map_err(memory_error)?;
                let graph = memoir::graph(&context.readable()?, memoir).map_err(memory_error)?;
                output.line(memoir::export(&graph, format).trim_end())?;
                Ok(problem::OK)
            }
            MemoirCommand::Distill { from_topic, into, dry_run } => {
                let request = DistillationRequest {
                    project: context.project.clone(),
                    topic: from_topic.clone(),
                    memoir: into.clone(),
                    create: true,
                };
                distill(&context, output, &request, *dry_run)
            }
        }
    }
}

fn list(context: &MemoryContext, output: &mut Output) -> anyhow::Result<u8> {
    let memoirs = memoir::list(&context.readable()?).map_err(memory_error)?;
    if output.is_json() {
        output.json(&json!({ "memoirs": memoirs }))?;
        return Ok(problem::OK);
    }
    if memoirs.is_empty() {
        output.line("No memoirs yet.")?;
    }
    for memoir in &memoirs {
        let name = output.styled(Style::Name, &memoir.name);
        let concepts = count_text(memoir.concepts, "concept", "concepts");
        output.line(format_args!("{name}  {concepts}  {}", first_line(&memoir.description)))?;
    }
    Ok(problem::OK)
}

fn show(context: &MemoryContext, output: &mut Output, name: &str) -> anyhow::Result<u8> {
    let database = context.readable()?;
    let statistics = memoir::show(&database, name).map_err(memory_error)?;
    let graph = memoir::graph(&database, name).map_err(memory_error)?;
    if output.is_json() {
        let mut value = serde_json::to_value(&statistics)?;
        value["concept_list"] = json!(graph.concepts);
        value["link_list"] = json!(graph.links);
        output.json(&value)?;
        return Ok(problem::OK);
    }
    let overview = &statistics.overview;
    output.line(format_args!("Memoir: {}", overview.name))?;
    write_wrapped(output, &format!("  {:<12} ", "description:"), &overview.description)?;
    for (name, value) in [
        ("created:", overview.created_at.to_string()),
        ("updated:", overview.updated_at.to_string()),
        ("concepts:", overview.concepts.to_string()),
        ("links:", overview.links.to_string()),
        ("avg conf:", format!("{:.2}", statistics.average_confidence)),
    ] {
        output.line(format_args!("  {name:<12} {value}"))?;
    }
    graph.concepts.iter().try_for_each(|concept| write_concept(output, concept))?;
    write_links(output, &graph.links)?;
    Ok(problem::OK)
}

fn add_concept(context: &MemoryContext, output: &mut Output, memoir: &str, concept: &NewConcept) -> anyhow::Result<u8> {
    let mut database = context.for_changes()?;
    let concept = memoir::add_concept(&mut database, memoir, concept, Author::Person, now_ms());
    let concept = concept.map_err(memory_error)?;
    print_outcome(output, &json!(concept), format_args!("Added concept: {}", concept.id))
}

fn refine(
    context: &MemoryContext,
    output: &mut Output,
    memoir: &str,
    name: &str,
    definition: &str,
) -> anyhow::Result<u8> {
    let refinement = ConceptRefinement { definition: text_or_input(definition)?, ..ConceptRefinement::default() };
    let mut database = context.for_changes()?;
    let concept = memoir::refine(&mut database, memoir, name, &refinement, Author::Person, now_ms());
    let concept = concept.map_err(memory_error)?;
    let (revision, confidence) = (concept.revision, concept.confidence);
    let line = format_args!("Refined: {name} (r{revision}, confidence={confidence:.2})");
    print_outcome(output, &json!(concept), line)
}

fn link(context: &MemoryContext, output: &mut Output, memoir: &str, ends: LinkEnds) -> anyhow::Result<u8> {
    let mut database = context.for_changes()?;
    let outcome = memoir::link(&mut database, memoir, &ends, Author::Person, now_ms()).map_err(memory_error)?;
    let LinkEnds { from, to, relation } = &ends;
    let (id, relation) = (&outcome.link.id, relation.name());
    let done = if outcome.is_new { "Linked" } else { "Linked already" };
    print_outcome(output, &json!(outcome), format_args!("{done}: {from} --{relation}--> {to} ({id})"))
}

fn inspect(context: &MemoryContext, output: &mut Output, memoir: &str, name: &str, depth: u32) -> anyhow::Result<u8> {
    let reach = NeighbourhoodReach { depth, relation: None };
    let around = memoir::inspect(&context.readable()?, memoir, name, reach).map_err(memory_error)?;
    if output.is_json() {
        output.json(&json!(around))?;
        return Ok(problem::OK);
    }
    write_concept(output, &around.concept)?;
    if around.links.is_empty() {
        output.line("  (no links)")?;
    }
    write_links(output, &around.links)?;
    if !around.neighbours.is_empty() {
        output.line("\nConcepts around it:")?;
    }
    for neighbour in &around.neighbours {
        write_concept(output, &neighbour.concept)?;
    }
    around.note().map_or(Ok(()), |note| output.line(note))?;
    Ok(problem::OK)
}

fn distill(
    context: &MemoryContext,
    output: &mut Output,
    request: &DistillationRequest,
    dry_run: bool,
) -> anyhow::Result<u8> {
    let distillation = match dry_run {
        true => memoir::distill_preview(&context.readable()?, request, now_ms()),
        false => memoir::distill(&mut context.for_changes()?, request, Author::Person, now_ms()),
    };
    let distillation = distillation.map_err(memory_error)?;
    if output.is_json() {
        output.json(&json!(distillation))?;
        return Ok(problem::OK);
    }
    for concept in &distillation.concepts {
        let action = match (concept.action, dry_run) {
            (DistillationAction::Added, false) => "Created",
            (DistillationAction::Added, true) => "Would create",
            (DistillationAction::Refined, false) => "Refined",
            (DistillationAction::Refined, true) => "Would refine",
        };
        output.line(format_args!("  {action}: {}", concept.name))?;
    }
    let count = count_text(distillation.concepts.len() as u64, "concept", "concepts");
    let verb = if dry_run { "Would distil" } else { "Distilled" };
    let (topic, memoir) = (&request.topic, &request.memoir);
    output.line(format_args!("{verb} '{topic}' into memoir '{memoir}' ({count})."))?;
    Ok(problem::OK)
}

fn print_outcome(output: &mut Output, value: &serde_json::Value, line: std::fmt::Arguments<'_>) -> anyhow::Result<u8> {
    if output.is_json() {
        output.json(value)?
    } else {
        output.line(line)?
    }
    Ok(problem::OK)
}

fn show_hits(output: &mut Output, hits: &[memoir::ConceptHit], with_memoir: bool) -> anyhow::Result<u8> {
    let code = if hits.is_empty() { problem::FINDING } else { problem::OK };
    if output.is_json() {
        output.json(&json!({ "concepts": hits }))?;
        return Ok(code);
    }
    for hit in hits {
        if with_memoir {
            output.line(output.styled(Style::Faint, format_args!("in {}", hit.memoir)))?;
        }
        write_concept(output, &hit.concept)?;
    }
    if hits.is_empty() {
        output.nothing_found();
    }
    Ok(code)
}

fn write_concept(output: &mut Output, concept: &Concept) -> std::io::Result<()> {
    let name = output.styled(Style::Name, &concept.name);
    let labels: Vec<&str> = concept.labels.iter().map(Label::as_str).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("  {}", labels.join(", ")) };
    let (revision, confidence) = (concept.revision, concept.confidence);
    let about = format_args!("revision {revision}, confidence {confidence:.2}{labels}");
    let about = output.styled(Style::Faint, about);
    output.line(format_args!("{name}  {about}"))?;
    concept.definition.lines().try_for_each(|line| write_wrapped(output, "  ", line))
}

/// Writes `text` after `begin`, wrapped if it is too long; all parts begin in the same column.
fn write_wrapped(output: &mut Output, begin: &str, text: &str) -> std::io::Result<()> {
    let mut begin = begin.to_owned();
    for part in wrapped(text, LINE_COLUMNS - begin.len()) {
        output.line(format_args!("{begin}{part}"))?;
        begin = " ".repeat(begin.len());
    }
    Ok(())
}

/// Writes links below a heading, if there are any.
fn write_links(output: &mut Output, links: &[NamedLink]) -> std::io::Result<()> {
    if !links.is_empty() {
        output.line("\nLinks:")?;
    }
    links
        .iter()
        .try_for_each(|link| output.line(format_args!("  {} --{}--> {}", link.from, link.relation.name(), link.to)))
}

fn relation_help() -> String {
    format!("How they belong together: {}", Relation::ALL.map(Relation::name).join(", "))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
