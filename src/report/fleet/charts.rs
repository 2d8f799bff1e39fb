//! Charts in the page: each at two widths, of which the style sheet shows one, with a name for screen readers and a legend.

use std::fmt::Write as _;

use super::markup::escaped;
use super::svg::{self, TimeChart, WIDTHS};
use crate::report::sink;

/// Columns over time, with a legend of the names of the series.
pub(super) fn columns(name: &str, chart: &TimeChart, legend: &[String], out: &mut String) {
    figure(name, |width| svg::columns(chart, width), out);
    self::legend(legend, out);
}

/// Curves over time, with a legend.
pub(super) fn curves(name: &str, chart: &TimeChart, legend: &[String], out: &mut String) {
    figure(name, |width| svg::curves(chart, width), out);
    self::legend(legend, out);
}

/// Bars, a name and a number each.
pub(super) fn bars(name: &str, rows: &[(String, u64)], out: &mut String) {
    // What draws them escapes them.
    let rows: Vec<_> = rows.iter().map(|(name, value)| (sink::line(name), *value)).collect();
    figure(name, |width| svg::bars(&rows, width), out);
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
