//! Parts of drawings.

use super::escape::{elide_middle, html as escaped};

/// Widest advance of a character of the fixed-width fonts that systems bring, at 12 px: 7.42 px in SF Mono.
pub(super) const COLUMN_PX: f64 = 7.5;

/// Width of a character at 10.5 px, for second lines.
pub(super) const SMALL_COLUMN_PX: f64 = 6.6;

/// An axis-parallel rectangle in px; `x` and `y` are its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rectangle {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rectangle {
    /// Whether the two have a common inner point; a shared edge does not count.
    #[cfg(test)]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// `number` with at most one decimal, as SVG writes it.
pub(super) fn px(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A line of text that is at most `width` wide, shortened in the middle if it is longer; `column` is the width of a
/// character.
pub(super) fn line(class: &str, x: f64, y: f64, text: &str, width: f64, column: f64) -> String {
    // A box is at most some hundred px wide, so the cast cannot lose anything.
    let columns = (width / column).max(1.0) as usize;
    let text = escaped(&elide_middle(text, columns));
    format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>", px(x), px(y))
}

/// A curve through `points` that is horizontal at each of them.
pub(super) fn curve(points: &[(f64, f64)]) -> String {
    let Some((first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{} {}", px(first.0), px(first.1));
    let mut before = first;
    for point in rest {
        let middle = px((before.0 + point.0) / 2.0);
        path.push_str(&format!("C{middle} {} {middle} {} {} {}", px(before.1), px(point.1), px(point.0), px(point.1)));
        before = point;
    }
    path
}

/// Path of an edge from the side of one box to the side of another. Boxes of one column are connected around their left
/// side, at most `swing` away from it and inside of the picture.
pub(super) fn course(from: &Rectangle, to: &Rectangle, swing: f64) -> String {
    let (from_y, to_y) = (from.y + from.height / 2.0, to.y + to.height / 2.0);
    if from.x + from.width <= to.x {
        curve(&[(from.x + from.width, from_y), (to.x, to_y)])
    } else if to.x + to.width <= from.x {
        curve(&[(from.x, from_y), (to.x + to.width, to_y)])
    } else {
        let bend = px((from.x.min(to.x) - swing).max(2.0));
        let (from_x, to_x) = (px(from.x), px(to.x));
        format!("M{from_x} {}C{bend} {} {bend} {} {to_x} {}", px(from_y), px(from_y), px(to_y), px(to_y))
    }
}

/// Arrow heads, one for each class of edges, as not every browser lets a marker have the colour of its line.
pub(super) fn markers<'a>(classes: impl Iterator<Item = &'a str>) -> String {
    let markers: String = classes
        .map(|class| {
            format!(
                "<marker id=\"arrow-{class}\" class=\"arrow {class}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
                 markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
                 <path d=\"M0.5 0.8L7.5 4L0.5 7.2Z\" /></marker>"
            )
        })
        .collect();
    format!("<defs>{markers}</defs>\n")
}

/// The opening tag of a drawing, with a name and description for screen readers.
pub(super) fn opening(width: f64, height: f64, title: &str, description: &str) -> String {
    let (width, height) = (px(width.ceil()), px(height.ceil()));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"drawing\" role=\"group\" aria-labelledby=\"drawing-title\" \
         aria-describedby=\"drawing-desc\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title id=\"drawing-title\">{}</title>\n<desc id=\"drawing-desc\">{}</desc>\n",
        escaped(title),
        escaped(description)
    )
}

/// `path` as its directory, with the slash, and its name.
pub(super) fn directory_and_name(path: &str) -> (&str, &str) {
    path.rsplit_once('/').map_or(("", path), |(directory, name)| (&path[..directory.len() + 1], name))
}
