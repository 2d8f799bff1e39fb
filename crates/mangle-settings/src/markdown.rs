//! Keys as the documentation shows them.

use super::Settings;
use super::keys::{Key, Section, sections};
use super::output::SettingTable as _;

/// The keys of some tables of the file, with the tables in them, as a list in Markdown. Without a name, the keys outside of
/// tables.
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

/// The keys of one section, likewise.
#[must_use]
pub fn markdown_of(section: &Section) -> String {
    items(section)
}

/// Columns of a line of Markdown.
const COLUMNS: usize = 100;

fn items(section: &Section) -> String {
    let item = |key: &Key| {
        let default = key.default_text().map_or(String::new(), |default| format!(" (default `{default}`)"));
        list_item("- ", &format!("`{}`{default}: {}", section.notation(key), key.doc))
    };
    section.keys.iter().map(item).collect()
}

/// An item of a list in Markdown: lines of at most 100 columns, the following ones indented below the first.
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
