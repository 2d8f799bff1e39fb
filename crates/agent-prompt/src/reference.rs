//! Generated reference of prompt inputs, as Markdown tables: keys of session files and atoms,
//! categories, selectors, headings.
//!
//! The source of the generated parts of `docs/prompt-files.md` and `docs/prompt-atoms.md`.

use std::fmt::Write as _;

use super::jit::{ATOM_KEYS, Category, Dimension};
use super::session::keys::{OTHER_KEYS, SESSION, SessionField, Shape};
use mangle_settings::PHRASES;

/// The generated parts of the reference: the name of each part in the page, and its text.
#[must_use]
pub fn reference() -> Vec<(&'static str, String)> {
    vec![
        ("session keys", keys(SESSION)),
        ("preview keys", keys(OTHER_KEYS)),
        ("atom keys", atom_keys()),
        ("categories", categories()),
        ("selectors", selectors()),
        ("phrases", phrases()),
    ]
}

/// The keys of session files. Keys of nested tables follow their parent.
fn keys(fields: &[SessionField]) -> String {
    let mut out = String::from("| Key | Value | Purpose | Shown by `legacy` |\n|---|---|---|---|\n");
    for field in fields {
        let shown = if field.shown.is_some() { "yes" } else { "" };
        let _ = writeln!(out, "| `{}` | {} | {} | {shown} |", field.name, holds(field.shape), field.doc);
        for inner in inner(field.shape) {
            let _ = writeln!(
                out,
                "| `{}.{}` | {} | {} | |",
                field.name,
                inner.name,
                holds(inner.shape),
                inner.doc
            );
        }
    }
    out
}

/// The keys of the nested tables of a key.
fn inner(shape: Shape) -> &'static [SessionField] {
    match shape {
        Shape::Table(fields) | Shape::Tables(fields) | Shape::Budget(fields) => fields,
        _ => &[],
    }
}

fn holds(shape: Shape) -> &'static str {
    match shape {
        Shape::Budget(_) => "a number, or a table",
        shape => shape.words(),
    }
}

fn atom_keys() -> String {
    let mut out = String::from("| Key | Value | Purpose |\n|---|---|---|\n");
    for key in &ATOM_KEYS {
        let _ = writeln!(out, "| `{}` | {} | {} |", key.name, key.value_type, key.doc);
    }
    out
}

/// The categories in the order of the prompt.
fn categories() -> String {
    let all = Category::ALL.iter().zip(1..).map(|(category, number)| {
        let skeleton = if category.is_skeleton() { " (skeleton)" } else { "" };
        format!("{number}. `{}`{skeleton}\n", category.as_str())
    });
    all.collect()
}

fn selectors() -> String {
    let mut out = String::from("| Key | Values |\n|---|---|\n");
    for dimension in Dimension::ALL {
        let slash = if dimension == Dimension::WorldStates { "" } else { "/" };
        let values: Vec<_> = dimension.values().iter().map(|value| format!("`{slash}{value}`")).collect();
        let values =
            if values.is_empty() { "any name, for example `/coder`".to_owned() } else { values.join(", ") };
        let _ = writeln!(out, "| `{}` | {values} |", dimension.key());
    }
    out
}

/// Texts of several lines follow the table.
fn phrases() -> String {
    let mut out = String::from("| Name | Built-in text | Place |\n|---|---|---|\n");
    let mut below = String::new();
    for phrase in PHRASES {
        let text = if phrase.text.contains('\n') {
            let _ = write!(below, "\n`{}`:\n\n```text\n{}\n```\n", phrase.name, phrase.text);
            "below".to_owned()
        } else {
            format!("`{}`", phrase.text.replace('|', "\\|"))
        };
        let _ = writeln!(out, "| `{}` | {text} | {} |", phrase.name, phrase.place);
    }
    out + &below
}
