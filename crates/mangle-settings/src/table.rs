//! The tables of keys as the documentation shows them.

use super::Settings;
use super::keys::{Section, sections};
use super::output::SettingTable as _;

/// The keys of some tables of the file, with the tables in them, as one table in Markdown. Without a name, the keys outside of tables.
#[must_use]
pub fn markdown(tables: &[&str]) -> String {
    let is_wanted = |header: &str| {
        let path = header.trim_matches(['[', ']']);
        let table = path.split('.').next().unwrap_or(path);
        if tables.is_empty() { path.is_empty() } else { tables.contains(&table) }
    };
    let sections = sections(Settings::SECTION).into_iter().filter(|(header, _)| is_wanted(header));
    sections.fold(String::from(HEAD), |out, (_, section)| out + &rows(section))
}

/// The keys of one section, likewise.
#[must_use]
pub fn markdown_of(section: &Section) -> String {
    HEAD.to_owned() + &rows(section)
}

const HEAD: &str = "| Key | Default | |\n|---|---|---|\n";

fn rows(section: &Section) -> String {
    let mut out = String::new();
    for key in section.keys {
        let default = key.default_text().map_or(String::new(), |default| format!("`{default}`"));
        let doc = key.doc.replace('|', "\\|");
        out.push_str(&format!("| `{}` | {default} | {doc} |\n", section.notation(key)));
    }
    out
}
