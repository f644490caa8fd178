//! The dependency structure matrix: a row and a column for each box, a cell for each edge.

use super::fold::{GraphPart, PartEdge};
use super::overview::short_name;
use super::svg::{SMALL_COLUMN_PX, line, px};

/// Side of a cell in px.
const CELL: f64 = 16.0;

/// Width for the name of a row, in px.
const NAMES: f64 = 260.0;

/// The drawing. `order` lists the parts from top to bottom, each above what it depends on as far as possible. Then the
/// cells to the lower left of the diagonal are those that make cycles.
pub(super) fn matrix(parts: &[GraphPart], names: &[String], edges: &[PartEdge], order: &[usize]) -> String {
    let mut place = vec![None; parts.len()];
    for (at, no) in order.iter().enumerate() {
        place[*no] = Some(at as f64);
    }
    // Column heads are the numbers in front of the row names.
    let side = order.len() as f64 * CELL;
    let (width, height) = (px(NAMES + side + 8.0), px(CELL + side + 8.0));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"Matrix of the same edges\" class=\"matrix\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
    );
    for (at, no) in order.iter().enumerate() {
        let y = CELL + at as f64 * CELL;
        let x = NAMES + at as f64 * CELL;
        let number = at + 1;
        svg.push_str(&line(
            "faint",
            4.0,
            y + 12.0,
            &format!("{number:>2} {}", names[*no]),
            NAMES - 12.0,
            SMALL_COLUMN_PX,
        ));
        svg.push_str(&format!("<text class=\"column\" x=\"{}\" y=\"12\">{number}</text>", px(x + CELL / 2.0)));
        let (x, y) = (px(x), px(y));
        svg.push_str(&format!("<rect class=\"diagonal\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" />\n"));
    }
    let largest = edges.iter().map(PartEdge::count).max().unwrap_or(1).max(1);
    for edge in edges {
        let (Some(from), Some(to)) = (place[edge.from], place[edge.to]) else { continue };
        let back = if to < from { " back" } else { "" };
        svg.push_str(&format!(
            "<rect class=\"cell{back}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{}\"><title>{} → {}: {}</title></rect>\n",
            px(NAMES + to * CELL + 1.0),
            px(CELL + from * CELL + 1.0),
            CELL - 2.0,
            CELL - 2.0,
            shade(edge.count(), largest),
            short_name(&names[edge.from]),
            short_name(&names[edge.to]),
            edge.count(),
        ));
    }
    let lines: String = (0..=order.len())
        .map(|at| {
            let at = at as f64 * CELL;
            let (x, y) = (px(NAMES + at), px(CELL + at));
            format!("M{x} {CELL}v{}M{NAMES} {y}h{}", px(side), px(side))
        })
        .collect();
    svg.push_str(&format!("<path class=\"grid\" d=\"{lines}\" />\n</svg>\n"));
    svg
}

/// Shade from light to full colour by the logarithm of the count, because few edges have most of the counts.
fn shade(count: u64, largest: u64) -> String {
    let share = ((count + 1) as f64).ln() / ((largest + 1) as f64).ln();
    format!("{:.2}", 0.25 + 0.75 * share.clamp(0.0, 1.0))
}
