//! Table with the figures of a chart.

use std::fmt::Write as _;

use super::markup::escaped;

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
