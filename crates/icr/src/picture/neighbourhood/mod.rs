//! The page about one file: who imports it to the left, what it imports to the right, what changes with it below.

mod layout;

use super::escape::{columns, html as escaped};
use super::page::{Page, count_with_noun, folded_table, legend_entry, legend_of_kinds};
use super::svg::{COLUMN_PX, Rectangle, SMALL_COLUMN_PX, course, directory_and_name, line, markers, opening, px};
use super::{DependencyKind, Neighbour, Neighbourhood};
use layout::{Column, DrawnEdge, EdgeEnd, NeighbourSide, NeighbourhoodLayout, PlacedNeighbour, edges, finite, layout};

/// How far edges within a column swing out to the left of it, in px.
const SWING: f64 = 44.0;

/// The whole page.
pub(super) fn html(neighbourhood: &Neighbourhood) -> String {
    let layout = layout(neighbourhood);
    let edges = edges(neighbourhood, &layout);
    let [importers, imports, together] = lists(neighbourhood).map(|(_, list)| list.len());
    let mut facts = vec![
        format!("imported by {}", count_with_noun(importers, "file")),
        format!("imports {}", count_with_noun(imports, "file")),
    ];
    if together > 0 {
        facts.push(format!("usually changed with {}", count_with_noun(together, "file")));
    }
    let mut notes: Vec<String> = neighbourhood.truncated.iter().cloned().collect();
    let drawn: usize = layout.columns.iter().map(|column| column.placed.len()).sum();
    let total = importers + imports + together;
    if drawn < total {
        notes.push(format!("{drawn} of {total} files are drawn, the rest stands in the tables."));
    }
    let mut legend = legend_of_kinds(edges.iter().map(|edge| edge.kind));
    if together > 0 {
        legend.push(legend_entry("edge together", "changed together"));
    }
    let body = [
        CONTROLS,
        "<div class=\"scroll\" id=\"stage\">\n",
        &drawing(neighbourhood, &layout, &edges),
        "</div>\n",
        &tables(neighbourhood),
    ]
    .concat();
    let script = include_str!("../neighbourhood.js");
    let page = Page {
        heading: &neighbourhood.heading,
        facts,
        lead: String::new(),
        notes,
        legend,
        body,
        embedded: None,
        style: "",
        script,
    };
    page.html()
}

/// Hidden until the script shows them, as they do nothing without it.
const CONTROLS: &str = "<div class=\"controls\" hidden=\"hidden\">\
    <input type=\"search\" id=\"search\" placeholder=\"Filter files\" aria-label=\"Filter files\" />\
    <button type=\"button\" id=\"unfold\">Show all</button>\
    <button type=\"button\" id=\"zoom\">Fit width</button>\
    <span id=\"said\" role=\"status\"></span></div>\n";

fn lists(neighbourhood: &Neighbourhood) -> [(NeighbourSide, &Vec<Neighbour>); 3] {
    [
        (NeighbourSide::Importers, &neighbourhood.importers),
        (NeighbourSide::Imports, &neighbourhood.imports),
        (NeighbourSide::Together, &neighbourhood.changed_together),
    ]
}

fn drawing(neighbourhood: &Neighbourhood, layout: &NeighbourhoodLayout<'_>, edges: &[DrawnEdge]) -> String {
    let centre = &neighbourhood.centre;
    let description = format!(
        "{centre} in the middle, {} to its left, {} to its right, {} below. The tables after the drawing list them.",
        count_with_noun(neighbourhood.importers.len(), "importer"),
        count_with_noun(neighbourhood.imports.len(), "import"),
        count_with_noun(neighbourhood.changed_together.len(), "file changed together"),
    );
    let mut svg = opening(layout.width, layout.height, &neighbourhood.heading.title, &description);
    svg.push_str(&markers(DependencyKind::ALL.into_iter().map(DependencyKind::class)));
    svg.push_str("<g id=\"edges\">\n");
    for edge in edges {
        svg.push_str(&edge_path(layout, edge));
    }
    svg.push_str("</g>\n");
    for (column_no, column) in layout.columns.iter().enumerate() {
        svg.push_str(&heading(layout, column));
        for (no, placed) in column.placed.iter().enumerate() {
            svg.push_str(&boxed(column, &id(EdgeEnd::Box(column_no, no)), placed));
        }
        svg.push_str(&undrawn_row(column, column_no));
    }
    svg.push_str(&centre_box(centre, &layout.centre));
    svg.push_str("</svg>\n");
    svg
}

fn id(end: EdgeEnd) -> String {
    match end {
        EdgeEnd::Centre => "c".to_owned(),
        EdgeEnd::Box(column, no) => format!("b{column}-{no}"),
    }
}

fn edge_path(layout: &NeighbourhoodLayout<'_>, edge: &DrawnEdge) -> String {
    let place = |end: EdgeEnd| match end {
        EdgeEnd::Centre => (layout.centre, false),
        EdgeEnd::Box(column, no) => {
            let placed = &layout.columns[column].placed[no];
            (placed.rectangle, placed.folded)
        }
    };
    let ((from, from_folded), (to, to_folded)) = (place(edge.from), place(edge.to));
    let folded = if from_folded || to_folded { " folded" } else { "" };
    let kind = edge.kind.class();
    format!(
        "<path class=\"edge {kind}{folded}\" data-from=\"{}\" data-to=\"{}\" d=\"{}\" marker-end=\"url(#arrow-{kind})\" />\n",
        id(edge.from),
        id(edge.to),
        course(&from, &to, SWING),
    )
}

fn heading(layout: &NeighbourhoodLayout<'_>, column: &Column<'_>) -> String {
    let total = column.total;
    let words = match (column.side, column.steps) {
        (NeighbourSide::Importers, 1) => "Imported by".to_owned(),
        (NeighbourSide::Imports, 1) => "Imports".to_owned(),
        (NeighbourSide::Importers | NeighbourSide::Imports, steps) if steps < layout::STEPS => {
            format!("{steps} steps away")
        }
        (NeighbourSide::Importers | NeighbourSide::Imports, steps) => format!("{steps} or more steps away"),
        (NeighbourSide::Together, _) => "Usually changed together".to_owned(),
    };
    let x = px(column.x);
    if column.side == NeighbourSide::Together {
        let centre = &layout.centre;
        let (middle, rule) = (px(centre.x + centre.width / 2.0), px(column.y - layout::HEADING_HEIGHT - 4.0));
        let right = px(layout.width - layout::MARGIN);
        return format!(
            "<path id=\"rule\" class=\"edge together\" d=\"M{middle} {}V{rule}M{x} {rule}H{right}\" />\n\
             <text id=\"together\" class=\"heading\" x=\"{x}\" y=\"{}\">{words} <tspan class=\"count\">{total}</tspan></text>\n",
            px(centre.y + centre.height),
            px(column.y - 12.0),
        );
    }
    let y = px(layout::MARGIN + 12.0);
    let empty = match column.side {
        _ if total > 0 => String::new(),
        NeighbourSide::Importers => empty_column(column, "No file imports it."),
        _ => empty_column(column, "It imports no file."),
    };
    format!(
        "<text class=\"heading\" x=\"{x}\" y=\"{y}\">{words} <tspan class=\"count\">{total}</tspan></text>\n{empty}"
    )
}

fn empty_column(column: &Column<'_>, words: &str) -> String {
    let y = px(column.y + layout::BOX_HEIGHT / 2.0 + 4.0);
    format!("<text class=\"faint none\" x=\"{}\" y=\"{y}\">{words}</text>\n", px(column.x))
}

fn boxed(column: &Column<'_>, id: &str, placed: &PlacedNeighbour<'_>) -> String {
    let PlacedNeighbour { neighbour, extra, rectangle, folded } = placed;
    let together = column.side == NeighbourSide::Together;
    let kind = if together { "together" } else { DependencyKind::of_labels(&neighbour.labels).class() };
    let folded = if *folded { " folded" } else { "" };
    let (directory, name) = directory_and_name(&neighbour.path);
    let (width, height) = (px(rectangle.width), px(rectangle.height));
    let side = match column.side {
        NeighbourSide::Importers => "importers",
        NeighbourSide::Imports => "imports",
        NeighbourSide::Together => "together",
    };
    let inner_width = rectangle.width - 24.0;
    let labels: Vec<&str> = neighbour.labels.iter().map(String::as_str).chain(*extra).collect();
    let title: Vec<String> = [neighbour.path.as_str()].into_iter().chain(labels.iter().copied()).map(escaped).collect();
    let title = title.join("\n");
    let mut parts = vec![
        format!(
            "<g id=\"{id}\" class=\"box {kind}{folded}\" data-column=\"{side}{}\" transform=\"translate({} {})\">",
            column.steps,
            px(rectangle.x),
            px(rectangle.y)
        ),
        format!("<title>{title}</title><rect class=\"frame\" width=\"{width}\" height=\"{height}\" rx=\"6\" />"),
        format!(
            "<rect class=\"accent\" x=\"0.5\" y=\"8\" width=\"4\" height=\"{}\" rx=\"2\" />",
            px(rectangle.height - 16.0)
        ),
        line("name", 14.0, 18.0, name, inner_width, COLUMN_PX),
        line("faint", 14.0, 33.0, if directory.is_empty() { "./" } else { directory }, inner_width, SMALL_COLUMN_PX),
    ];
    if kind == DependencyKind::Reexport.class() {
        let (width, height) = (px(rectangle.width - 6.0), px(rectangle.height - 6.0));
        parts.insert(
            2,
            format!("<rect class=\"second\" x=\"3\" y=\"3\" width=\"{width}\" height=\"{height}\" rx=\"4\" />"),
        );
    }
    if rectangle.height > layout::BOX_HEIGHT {
        parts.push(label_row(&labels, inner_width));
    }
    if together {
        let share = finite(neighbour.weight).clamp(0.0, 1.0);
        let (y, full) = (px(rectangle.height - 5.0), rectangle.width - 28.0);
        parts.push(format!("<rect class=\"bar\" x=\"14\" y=\"{y}\" width=\"{}\" height=\"2\" />", px(full)));
        parts.push(format!("<rect class=\"share\" x=\"14\" y=\"{y}\" width=\"{}\" height=\"2\" />", px(full * share)));
    }
    parts.push("</g>\n".to_owned());
    parts.concat()
}

/// Labels next to each other as far as they fit in `width`; the others are counted.
fn label_row(labels: &[&str], width: f64) -> String {
    /// Room for `+9`, in px.
    const REST_PX: f64 = 26.0;
    let y = layout::BOX_HEIGHT - 2.0;
    let mut x = 14.0;
    let mut drawn = String::new();
    for (no, label) in labels.iter().enumerate() {
        // A count of columns is small, so the cast cannot lose anything.
        let needed = columns(label) as f64 * SMALL_COLUMN_PX + 12.0;
        let room = width + 14.0 - x - if no + 1 < labels.len() { REST_PX } else { 0.0 };
        if needed > room && (no > 0 || room < 40.0) {
            let rest = labels.len() - no;
            drawn.push_str(&format!(
                "<text class=\"pill\" x=\"{}\" y=\"{}\">+{rest}</text>",
                px(x + 2.0),
                px(y + 10.5)
            ));
            break;
        }
        let needed = needed.min(room);
        drawn.push_str(&format!(
            "<rect class=\"pill\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" rx=\"7\" />",
            px(x),
            px(y),
            px(needed)
        ));
        drawn.push_str(&line("pill", x + 6.0, y + 10.5, label, needed - 12.0, SMALL_COLUMN_PX));
        x += needed + 4.0;
    }
    drawn
}

/// The row below a column that counts the neighbours which are not drawn; empty if all are drawn.
fn undrawn_row(column: &Column<'_>, column_no: usize) -> String {
    let Some(place) = column.more else { return String::new() };
    let undrawn = column.total - column.placed.len();
    let side = match column.side {
        NeighbourSide::Importers => "importers",
        NeighbourSide::Imports => "imports",
        NeighbourSide::Together => "together",
    };
    format!(
        "<g id=\"more{column_no}\" class=\"more\" data-column=\"{side}{}\" data-undrawn=\"{undrawn}\" transform=\"translate({} {})\">\
         <rect class=\"frame\" width=\"{}\" height=\"{}\" rx=\"6\" /><text class=\"words\" x=\"14\" y=\"18\">and {} more</text></g>\n",
        column.steps,
        px(place.x),
        px(place.y),
        px(place.width),
        px(place.height),
        column.hidden(),
    )
}

fn centre_box(path: &str, place: &Rectangle) -> String {
    let (directory, name) = directory_and_name(path);
    let inner_width = place.width - 32.0;
    [
        &format!(
            "<g id=\"c\" class=\"box centre\" data-column=\"centre\" transform=\"translate({} {})\"><title>{}</title>",
            px(place.x),
            px(place.y),
            escaped(path)
        ),
        &format!("<rect class=\"frame\" width=\"{}\" height=\"{}\" rx=\"8\" />", px(place.width), px(place.height)),
        // 14 px text is a sixth wider than 12 px text.
        &line("name", 16.0, 32.0, name, inner_width, COLUMN_PX * 14.0 / 12.0),
        &line("faint", 16.0, 52.0, if directory.is_empty() { "./" } else { directory }, inner_width, SMALL_COLUMN_PX),
        "</g>\n",
    ]
    .concat()
}

fn tables(neighbourhood: &Neighbourhood) -> String {
    let captions = ["Imported by", "Imports", "Usually changed together"];
    let mut text = String::new();
    for ((side, list), caption) in lists(neighbourhood).into_iter().zip(captions) {
        if list.is_empty() {
            continue;
        }
        let mut sorted: Vec<&Neighbour> = list.iter().collect();
        sorted.sort_by(|a, b| {
            let by_weight = finite(b.weight).total_cmp(&finite(a.weight));
            let by_depth = a.depth.max(1).cmp(&b.depth.max(1));
            by_depth.then(by_weight).then_with(|| (&a.path, &a.via, &a.labels).cmp(&(&b.path, &b.via, &b.labels)))
        });
        let code = |text: &str| format!("<code>{}</code>", escaped(text));
        let row = |neighbour: &&Neighbour| {
            let labels = escaped(&neighbour.labels.join(", "));
            if side == NeighbourSide::Together {
                let share = format!("{:.0} %", finite(neighbour.weight).clamp(0.0, 1.0) * 100.0);
                return vec![code(&neighbour.path), share, labels];
            }
            let via = neighbour.via.as_deref().map_or(String::new(), code);
            vec![code(&neighbour.path), neighbour.depth.max(1).to_string(), via, labels]
        };
        let rows: Vec<Vec<String>> = sorted.iter().map(row).collect();
        let columns: &[&str] = if side == NeighbourSide::Together {
            &["File", "Share", "What"]
        } else {
            &["File", "Steps", "Through", "What"]
        };
        text.push_str(&folded_table(&format!("{caption}: {}", count_with_noun(list.len(), "file")), columns, &rows));
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The part of a drawing that is visible at first: its boxes and the lines that say how many are hidden. Also its
    /// width and height.
    pub(in super::super) fn rectangles_and_size(neighbourhood: &Neighbourhood) -> (Vec<Rectangle>, f64, f64) {
        let layout = layout(neighbourhood);
        let mut rectangles = vec![layout.centre];
        for column in &layout.columns {
            let shown = column.placed.iter().filter(|placed| !placed.folded);
            rectangles.extend(shown.map(|placed| placed.rectangle).chain(column.more));
        }
        (rectangles, layout.width, layout.height)
    }
}
