//! The HTML page around a drawing.

use super::escape::{html as escaped, sentence};
use super::{DependencyKind, Heading};

/// The parts of a page.
pub(super) struct Page<'a> {
    pub(super) heading: &'a Heading,
    /// A fact or two about what is shown, such as `12 files import it`; plain text.
    pub(super) facts: Vec<String>,
    /// Markup before everything else.
    pub(super) lead: String,
    /// What the reader must know about the drawing; plain text, names in backticks.
    pub(super) notes: Vec<String>,
    /// Entries of the legend, in markup.
    pub(super) legend: Vec<String>,
    /// The drawing and its surroundings, as markup.
    pub(super) body: String,
    /// JSON data for the script.
    pub(super) embedded: Option<String>,
    /// Styles of this kind of page, added to the shared style sheet.
    pub(super) style: &'static str,
    /// The script of this kind of page.
    pub(super) script: &'static str,
}

/// Script for all kinds of pages: zoom, and unfolding everything before printing.
const SHARED_SCRIPT: &str = include_str!("page.js");

const STYLE: &str = include_str!("page.css");

/// Content security policy: the page may load and send nothing; only its own style and script run.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

impl Page<'_> {
    /// The whole file. Every element is closed, so that it is well-formed XML, apart from the script and style
    /// elements.
    pub(super) fn html(&self) -> String {
        let title = escaped(&self.heading.title);
        let embedded = self.embedded.as_ref().map_or(String::new(), |json| {
            let json = super::escape::script(json);
            format!("<script type=\"application/json\" id=\"embedded\">{json}</script>\n")
        });
        [
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n",
            "<meta name=\"color-scheme\" content=\"light dark\" />\n",
            "<meta name=\"referrer\" content=\"no-referrer\" />\n",
            &format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\" />\n"),
            &format!("<title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n", self.style),
            &self.header(&title),
            "<main>\n",
            &self.body,
            "</main>\n<footer>Drawn by icr from the content named above. This file needs no network.</footer>\n",
            &embedded,
            &format!("<script>\n\"use strict\";\n{{\n{SHARED_SCRIPT}{}}}\n</script>\n</body>\n</html>\n", self.script),
        ]
        .concat()
    }

    fn header(&self, title: &str) -> String {
        let heading = self.heading;
        let mut origin = vec![format!("<b>{}</b>", escaped(&heading.repo))];
        if !heading.commit.is_empty() {
            origin.push(format!("<code>{}</code>", escaped(&heading.commit)));
        }
        if heading.dirty {
            origin.push("<span class=\"dirty\">with uncommitted changes</span>".to_owned());
        }
        origin.extend(self.facts.iter().map(|fact| escaped(fact)));
        let origin = origin.join("<span class=\"dot\"> · </span>");
        let items = |class: &str, texts: &[String]| match texts {
            [] => String::new(),
            texts => {
                let items: String = texts.iter().map(|text| format!("<li>{}</li>", sentence(text))).collect();
                format!("<ul class=\"{class}\">{items}</ul>\n")
            }
        };
        format!(
            "<header>\n<h1>{title}</h1>\n<p class=\"origin\">{origin}</p>\n{}{}{}<ul class=\"legend\">{}</ul>\n</header>\n",
            self.lead,
            items("gaps", &heading.gaps),
            items("notes", &self.notes),
            self.legend.iter().map(|entry| format!("<li>{entry}</li>")).collect::<String>(),
        )
    }
}

/// Entries of a legend for the edges of `kinds`, each kind once, in order.
pub(super) fn legend_of_kinds(kinds: impl Iterator<Item = DependencyKind>) -> Vec<String> {
    let mut kinds: Vec<DependencyKind> = kinds.collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().map(|kind| legend_entry(&format!("edge {}", kind.class()), kind.name())).collect()
}

/// A legend entry: a short line in the style of edges of `class`, and `words`.
pub(super) fn legend_entry(class: &str, words: &str) -> String {
    format!(
        "<svg width=\"34\" height=\"10\" aria-hidden=\"true\"><path class=\"{class}\" d=\"M1 5H33\" /></svg>{}",
        escaped(words)
    )
}

/// A table folded away under its caption. Cells of `rows` are markup.
pub(super) fn folded_table(caption: &str, columns: &[&str], rows: &[Vec<String>]) -> String {
    table(caption, false, columns, rows)
}

/// A table under its caption, which folds it away unless it is `open`. Cells of `rows` are markup.
pub(super) fn table(caption: &str, open: bool, columns: &[&str], rows: &[Vec<String>]) -> String {
    let open = if open { " open=\"open\"" } else { "" };
    let heads: String = columns.iter().map(|column| format!("<th scope=\"col\">{column}</th>")).collect();
    let mut table = format!(
        "<details{open}><summary>{}</summary>\n<div class=\"scroll\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n",
        escaped(caption)
    );
    for row in rows {
        table.push_str("<tr>");
        for cell in row {
            table.push_str("<td>");
            table.push_str(cell);
            table.push_str("</td>");
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</tbody></table></div></details>\n");
    table
}

/// `1 file`, `2 files`.
pub(super) fn count_with_noun(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ if noun.ends_with('x') => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}
