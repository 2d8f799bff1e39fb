//! The table of keys as the documentation shows it.

use super::Settings;
use super::keys::{Section, sections};
use super::output::SettingTable as _;

/// All keys as a table in Markdown.
#[must_use]
pub fn markdown() -> String {
    sections(Settings::SECTION).into_iter().fold(String::from(HEAD), |out, (_, section)| out + &rows(section))
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
