//! The table of keys as the documentation shows it.

use super::keys::{Kind, SECTIONS, Section};

/// All keys as a table in Markdown.
#[must_use]
pub fn markdown() -> String {
    SECTIONS.iter().fold(String::from(HEAD), |out, section| out + &rows(section))
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
        let default = if key.default.is_empty() { String::new() } else { format!("`{}`", key.default) };
        let doc = key.doc.replace('|', "\\|");
        out.push_str(&format!("| `{}` | {default} | {doc} |\n", path(section, key.name, key.kind)));
    }
    out
}

/// How a key is written, with its table.
fn path(section: &Section, name: &str, kind: Kind) -> String {
    match kind {
        Kind::Tables => format!("[[{}]]", section.path(name)),
        Kind::Named => format!("[{}.NAME]", section.path(name)),
        Kind::TextsByName => format!("{}.NAME", section.path(name)),
        Kind::Table => format!("[{}]", section.path(name)),
        _ => section.path(name),
    }
}
