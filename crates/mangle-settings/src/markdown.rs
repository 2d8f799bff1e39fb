//! Markdown documentation of the configuration keys.

use super::Settings;
use super::keys::{Key, Section, sections};
use super::output::SettingTable as _;

/// The keys of some tables, including nested tables, as a Markdown list. If `tables` is empty, the
/// keys of the top level.
#[must_use]
pub fn markdown(tables: &[&str]) -> String {
    let is_wanted = |header: &str| {
        let path = header.trim_matches(['[', ']']);
        let table = path.split('.').next().unwrap_or(path);
        if tables.is_empty() { path.is_empty() } else { tables.contains(&table) }
    };
    let sections = sections(Settings::SECTION).into_iter().filter(|(header, _)| is_wanted(header));
    sections.fold(String::new(), |out, (_, section)| out + &items(section))
}

/// The keys of one section, as a Markdown list.
#[must_use]
pub fn section_markdown(section: &Section) -> String {
    items(section)
}

/// Line width of Markdown.
const COLUMNS: usize = 100;

fn items(section: &Section) -> String {
    let item = |key: &Key| {
        let default = key.default_text().map_or(String::new(), |default| format!(" (default `{default}`)"));
        list_item("- ", &format!("`{}`{default}: {}", section.notation(key), key.doc))
    };
    section.keys.iter().map(item).collect()
}

/// An item of a Markdown list, wrapped to 100 columns. Continuation lines are indented.
#[must_use]
pub fn list_item(bullet: &str, text: &str) -> String {
    let indent = " ".repeat(bullet.len());
    let mut out = bullet.to_owned();
    let mut column = bullet.len();
    for (at, word) in text.split_whitespace().enumerate() {
        let width = word.chars().count();
        if at > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            out.push_str(&indent);
            column = indent.len();
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
    out
}
