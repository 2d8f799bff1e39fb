//! Charts of the page, each with a table of its figures. plotters draws them as SVG; the style sheet of
//! the page replaces the colors.
//!
//! Each chart is drawn in two widths, and the style sheet shows one of them. Charts have an
//! accessible name and a legend.

use std::fmt::Write as _;

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use unicode_width::UnicodeWidthStr as _;

use crate::html_page::{escaped, grouped};
use crate::sink;

/// Writes a column chart over time with a legend.
pub(super) fn columns(name: &str, chart: &TimeChart, legend: &[String], out: &mut String) {
    figure(name, |width| svg_columns(chart, width), out);
    self::legend(legend, out);
}

/// Writes a line chart over time with a legend.
pub(super) fn curves(name: &str, chart: &TimeChart, legend: &[String], out: &mut String) {
    figure(name, |width| svg_curves(chart, width), out);
    self::legend(legend, out);
}

/// Writes a bar chart with a name and a number for each bar.
pub(super) fn bars(name: &str, rows: &[(String, u64)], out: &mut String) {
    // The renderer escapes the names.
    let rows: Vec<_> = rows.iter().map(|(name, value)| (sink::line(name), *value)).collect();
    figure(name, |width| svg_bars(&rows, width), out);
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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// Writes the collapsed table. Cells are unescaped texts.
    pub(super) fn folded(&self, out: &mut String) {
        let _ = write!(
            out,
            "<details><summary>{} as a table</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" \
             aria-label=\"{}\"><table><caption>{}</caption><thead><tr>",
            escaped(&self.caption),
            escaped(&self.caption),
            escaped(&self.caption)
        );
        for cell in &self.head {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(cell));
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (at, cell) in row.iter().enumerate() {
                let cell = escaped(cell);
                let _ = match at {
                    0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                    _ => write!(out, "<td>{cell}</td>"),
                };
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div></details>\n");
    }
}

/// The widths of each chart in pixels: for phones and for desktops.
const WIDTHS: [u32; 2] = [330, 880];

/// Colors with a rule in `fleet.css`: text, lines, and the series.
const INK: RGBColor = RGBColor(0x11, 0x11, 0x11);
const RULE: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
const SERIES: [RGBColor; 6] = [
    RGBColor(0x4C, 0x78, 0xA8),
    RGBColor(0xF5, 0x85, 0x18),
    RGBColor(0x54, 0xA2, 0x4B),
    RGBColor(0xB2, 0x79, 0xA2),
    RGBColor(0xE4, 0x57, 0x56),
    RGBColor(0x9D, 0x9D, 0x9D),
];

/// The maximum number of series with different colors.
pub(super) const MAX_SERIES: usize = SERIES.len();

/// The text size for plotters, which divides it by 1.24: 13 pixels.
const TEXT: i32 = 16;

/// The maximum average width of a character in pixels.
const CHARACTER: usize = 8;

/// The space for the numbers of the vertical axis and the times below a chart, in pixels.
const LEFT: u32 = 56;
const BELOW: u32 = 26;

/// The height of a chart over time, and of a row of bars, in pixels.
const HEIGHT: u32 = 240;
const ROW: i32 = 36;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The result of drawing. After an error, the table still has the figures.
type Drawn = Result<(), Box<dyn std::error::Error>>;

#[derive(Debug, Clone, Default)]
pub(super) struct TimeChart {
    /// The label of each span.
    pub(super) labels: Vec<String>,
    /// The values of each series, one number for each span.
    pub(super) series: Vec<Vec<u64>>,
}

/// Stacked columns, one for each time span.
fn svg_columns(chart: &TimeChart, width: u32) -> String {
    svg(width, HEIGHT, |area| draw_columns(chart, area))
}

/// A line for each series, on a logarithmic axis.
fn svg_curves(chart: &TimeChart, width: u32) -> String {
    svg(width, HEIGHT, |area| draw_curves(chart, area))
}

fn svg_bars(rows: &[(String, u64)], width: u32) -> String {
    let height = u32::try_from(rows.len()).unwrap_or(1).max(1) * ROW.unsigned_abs();
    svg(width, height, |area| draw_bars(rows, area))
}

fn svg(width: u32, height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut out = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut out, (width, height)).into_drawing_area();
        draw(&area).and_then(|()| area.present().map_err(Into::into))
    };
    match drawn {
        Ok(()) => out,
        Err(why) => {
            tracing::error!(%why, "a chart cannot be drawn");
            String::new()
        }
    }
}

fn ink(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    ("sans-serif", TEXT).into_font().color(&INK).pos(Pos::new(horizontal, vertical))
}

fn draw_columns(chart: &TimeChart, area: &Area<'_>) -> Drawn {
    let spans = i32::try_from(chart.labels.len())?;
    let sum = |at: usize| {
        chart
            .series
            .iter()
            .filter_map(|values| values.get(at))
            .fold(0u64, |sum, value| sum.saturating_add(*value))
    };
    let most = (0..chart.labels.len()).map(sum).max().unwrap_or_default().max(1);
    let mut builder = ChartBuilder::on(area);
    builder.margin_top(10).margin_right(10).x_label_area_size(BELOW).y_label_area_size(LEFT);
    // A single segment of plotters has no width.
    let mut context = builder.build_cartesian_2d(0..spans.max(1), 0..most.saturating_add(most / 20))?;
    mesh(&mut context)?;
    times(chart, area, |at| context.backend_coord(&(at, 0)))?;
    let column_width = context.plotting_area().dim_in_pixel().0 / spans.max(1).unsigned_abs();
    // Wide columns have a gap.
    let margin = u32::from(column_width > 3);
    let mut base = vec![0_u64; chart.labels.len()];
    for (values, color) in chart.series.iter().zip(SERIES) {
        let columns = (0..spans).zip(base.iter_mut().zip(values)).filter(|(_, (_, value))| **value > 0);
        let columns = columns.map(|(at, (base, value))| {
            let from = *base;
            *base = base.saturating_add(*value);
            let mut column = Rectangle::new([(at, from), (at + 1, *base)], color.filled());
            column.set_margin(0, 0, margin, margin);
            column
        });
        context.draw_series(columns.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn mesh<'a, X, Y>(context: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>) -> Drawn
where
    X: Ranged + ValueFormatter<<X as Ranged>::ValueType>,
    Y: Ranged<ValueType = u64> + ValueFormatter<u64>,
{
    context
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RULE)
        .axis_style(RULE)
        // `times` writes the labels. Plotters overflows without any.
        .x_labels(2)
        .x_label_formatter(&|_| String::new())
        .y_labels(6)
        .y_label_formatter(&|value| short(*value))
        .label_style(("sans-serif", TEXT).into_font().color(&INK))
        .draw()?;
    Ok(())
}

fn draw_curves(chart: &TimeChart, area: &Area<'_>) -> Drawn {
    let spans = i32::try_from(chart.labels.len())?;
    let most = chart.series.iter().flatten().copied().max().unwrap_or_default().max(10);
    let mut builder = ChartBuilder::on(area);
    builder.margin_top(10).margin_right(10).x_label_area_size(BELOW).y_label_area_size(LEFT + 16);
    let mut context = builder.build_cartesian_2d(0..(spans - 1).max(1), (1..most).log_scale())?;
    mesh(&mut context)?;
    times(chart, area, |at| context.backend_coord(&(at, 1)))?;
    for (values, color) in chart.series.iter().zip(SERIES) {
        let points: Vec<(i32, u64)> = (0..spans).zip(values.iter().map(|value| (*value).max(1))).collect();
        context.draw_series(points.iter().map(|point| Circle::new(*point, 2, color.filled())))?;
        context.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
    }
    Ok(())
}

fn draw_bars(rows: &[(String, u64)], area: &Area<'_>) -> Drawn {
    let width = i32::try_from(area.dim_in_pixel().0)?;
    let most = rows.iter().map(|(_, value)| *value).max().unwrap_or_default().max(1);
    for (at, (name, value)) in (0..).zip(rows) {
        let top = at * ROW;
        let number = grouped(*value);
        let room = usize::try_from(width - 16)? / CHARACTER;
        let name = fitting(name, room.saturating_sub(number.width()));
        area.draw(&Text::new(name, (0, top + 2), ink(HPos::Left, VPos::Top)))?;
        area.draw(&Text::new(number, (width - 1, top + 2), ink(HPos::Right, VPos::Top)))?;
        let track = [(0, top + 20), (width - 1, top + 28)];
        area.draw(&Rectangle::new(track, RULE.filled()))?;
        let share = u128::from(*value) * u128::from(width.unsigned_abs()) / u128::from(most);
        let end = i32::try_from(share)?.max(i32::from(*value > 0) * 2).min(width - 1);
        area.draw(&Rectangle::new([(0, top + 20), (end, top + 28)], SERIES[0].filled()))?;
    }
    Ok(())
}

/// Writes the start times of spans below a chart, as many as fit. `place` returns the pixel
/// position of a span.
fn times(chart: &TimeChart, area: &Area<'_>, place: impl Fn(i32) -> (i32, i32)) -> Drawn {
    let width = i32::try_from(area.dim_in_pixel().0)?;
    let longest = chart.labels.iter().map(String::len).max().unwrap_or_default();
    let room = i32::try_from(longest * CHARACTER)?;
    let mut free = 0;
    for (at, label) in (0..).zip(&chart.labels) {
        let (x, y) = place(at);
        if x >= free && x + room <= width {
            area.draw(&PathElement::new([(x, y), (x, y + 5)], RULE))?;
            area.draw(&Text::new(label.clone(), (x, y + 7), ink(HPos::Left, VPos::Top)))?;
            free = x + room + 16;
        }
    }
    Ok(())
}

/// A short form of a number for an axis.
fn short(number: u64) -> String {
    match number {
        0..100_000 => grouped(number),
        100_000..10_000_000 => format!("{}k", grouped(number / 1_000)),
        _ => format!("{}M", grouped(number / 1_000_000)),
    }
}

/// Truncates a text to a display width in columns.
fn fitting(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for char in text.chars() {
        if out.width() + 2 > columns {
            break;
        }
        out.push(char);
    }
    out + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_in_a_chart() {
        let rows = [("<script>alert(1)</script> & \"x\"".to_owned(), 3), ("y".repeat(500), 0)];
        for width in WIDTHS {
            let svg = svg_bars(&rows, width);
            let document = roxmltree::Document::parse(&svg).expect("a chart is XML");
            assert!(document.descendants().all(|node| node.tag_name().name() != "script"));
            assert!(svg.len() < 4_000, "{}", svg.len());
        }
    }

    #[test]
    fn charts_have_only_colours_that_the_style_sheet_knows() {
        let style = include_str!("fleet.css");
        let chart = TimeChart {
            labels: (1..=40).map(|day| format!("day {day}")).collect(),
            series: vec![(0..40).collect(); MAX_SERIES],
        };
        for svg in [svg_columns(&chart, 330), svg_curves(&chart, 880), svg_bars(&[("a".into(), 1)], 330)] {
            let colors = svg.split("=\"#").skip(1).filter_map(|rest| rest.split('"').next());
            let colors: std::collections::BTreeSet<_> = colors.collect();
            assert!(colors.len() > 2, "{svg}");
            for color in colors {
                assert!(style.contains(&format!("#{color}")), "{color}");
            }
        }
    }

    /// Checks the lengths and coordinates of a chart.
    fn check_numbers(svg: &str) {
        let document = roxmltree::Document::parse(svg).expect("a chart is XML");
        let is_length = |name: &str| matches!(name, "width" | "height" | "r" | "stroke-width" | "font-size");
        let is_number = |name: &str| {
            is_length(name) || matches!(name, "x" | "y" | "x1" | "x2" | "y1" | "y2" | "cx" | "cy")
        };
        for node in document.descendants() {
            for attribute in node.attributes().filter(|attribute| is_number(attribute.name())) {
                let value: f64 = attribute.value().parse().expect("a number");
                assert!(value.is_finite(), "{svg}");
                assert!(
                    !is_length(attribute.name()) || value >= 0.0,
                    "{} is {value} in {svg}",
                    attribute.name()
                );
            }
            let points = node.attribute("points").unwrap_or_default().split([',', ' ']);
            points.filter(|point| !point.is_empty()).for_each(|point| {
                assert!(point.parse::<f64>().is_ok_and(f64::is_finite), "{svg}");
            });
        }
    }

    #[test]
    fn no_length_is_negative() {
        let values = [0, 1, 2, 7, 1_000, 123_456_789, u64::MAX / 8, u64::MAX];
        for spans in (0..=61).chain([500, 2_000]) {
            for first in 0..values.len() {
                let value = |series: usize, at: usize| values[(first + series * 3 + at * 5) % values.len()];
                let series = |series| (0..spans).map(|at| value(series, at)).collect();
                let chart = TimeChart {
                    labels: (0..spans).map(|at| format!("day {at}")).collect(),
                    series: (0..first.min(MAX_SERIES)).map(series).collect(),
                };
                let rows: Vec<_> = (0..spans.min(40)).map(|at| ("x".repeat(at * 7), value(0, at))).collect();
                for width in WIDTHS {
                    for svg in [svg_columns(&chart, width), svg_curves(&chart, width), svg_bars(&rows, width)]
                    {
                        if !svg.is_empty() {
                            check_numbers(&svg);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn one_span_is_a_chart() {
        let chart = TimeChart { labels: vec!["now".into()], series: vec![vec![7]] };
        assert!(svg_columns(&chart, 330).contains("4C78A8") && svg_curves(&chart, 330).contains("4C78A8"));
    }
}
