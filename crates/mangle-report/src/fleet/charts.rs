//! Charts of the page.
//!
//! Each chart is drawn in two widths, and the style sheet shows one of them. Charts have an
//! accessible name and a legend.

use std::fmt::Write as _;

use super::markup::escaped;
use super::svg::{self, TimeChart, WIDTHS};
use crate::sink;

/// Writes a column chart over time with a legend.
pub(super) fn columns(name: &str, chart: &TimeChart, legend: &[String], out: &mut String) {
    figure(name, |width| svg::svg_columns(chart, width), out);
    self::legend(legend, out);
}

/// Writes a line chart over time with a legend.
pub(super) fn curves(name: &str, chart: &TimeChart, legend: &[String], out: &mut String) {
    figure(name, |width| svg::svg_curves(chart, width), out);
    self::legend(legend, out);
}

/// Writes a bar chart with a name and a number for each bar.
pub(super) fn bars(name: &str, rows: &[(String, u64)], out: &mut String) {
    // The renderer escapes the names.
    let rows: Vec<_> = rows.iter().map(|(name, value)| (sink::line(name), *value)).collect();
    figure(name, |width| svg::svg_bars(&rows, width), out);
}

fn figure(name: &str, draw: impl Fn(u32) -> String, out: &mut String) {
    let _ = write!(out, "<div class=\"chart\" role=\"img\" aria-label=\"{}\">", escaped(name));
    for (width, class) in WIDTHS.into_iter().zip(["narrow", "broad"]) {
        let _ = write!(out, "<div class=\"{class}\">{}</div>", draw(width));
    }
    out.push_str("</div>\n");
}

fn legend(names: &[String], out: &mut String) {
    if names.is_empty() {
        return;
    }
    out.push_str("<ul class=\"legend\">");
    for (at, name) in names.iter().enumerate() {
        let _ = write!(out, "<li class=\"s{}\">{}</li>", at + 1, escaped(name));
    }
    out.push_str("</ul>\n");
}
