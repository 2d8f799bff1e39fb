//! Rule documentation: JSON, terminal text, and Markdown pages.
//!
//! The content comes only from the [`Rule`] declarations of the registry.

mod example;
mod json;
mod page;
mod text;

pub use json::json;
pub(super) use page::examples;
pub use page::{chapters, index, page};
pub use text::{list, single};

use mangle_syntax::lint::{FixKind, Group, Rule};
use piggyback::transcript::settings;

/// The effect of the fix of a rule, and the condition for its application.
fn fix_section(rule: &Rule) -> String {
    let gap = if rule.fix_text.is_empty() { "" } else { " " };
    format!("{}{gap}{}", rule.fix_text, fix(rule))
}

/// The sentence about the fix of a rule.
fn fix(rule: &Rule) -> &'static str {
    match rule.fix {
        FixKind::Suggestion => {
            "None that edits: what is to be written is not in the capture, or something would be deleted from it, and a \
             capture is evidence. The finding says what to do."
        }
        FixKind::Safe if is_about_captures(rule) => {
            "Safe where one is offered. It edits evidence: `check --fix-transcripts` applies it, and the editor one by one. \
             One that would put in a value or delete something is only suggested."
        }
        FixKind::Unsafe if is_about_captures(rule) => {
            "A guess where one is offered: look at it. It edits evidence: only `check --fix-transcripts --unsafe-fixes` applies \
             it, and the editor one by one. One that would put in a value or delete something is only suggested."
        }
        FixKind::None => "None: the right change depends on what the author meant.",
        FixKind::Safe => {
            "Safe where one is offered: afterwards the program means what was evidently meant. \
             `check --fix` applies it."
        }
        FixKind::Unsafe => {
            "A guess where one is offered: look at it. Only `check --fix --unsafe-fixes` and the editor apply it."
        }
    }
}

/// The sentences about the severity of a rule.
fn severity(rule: &Rule) -> String {
    match rule.severity {
        Some(severity) => format!("`{severity}`, unless `[rules]` in `mangle-ls.toml` says otherwise."),
        None => format!(
            "Off, because it is often right to write this. `{} = \"hint\"` under `[rules]` in `mangle-ls.toml` \
             switches it on.",
            rule.name
        ),
    }
}

/// True if a rule is about transcripts. Its examples are replies, and comments do not suppress it.
/// The exception `decl-regex-gap` is about declarations.
fn is_about_replies(rule: &Rule) -> bool {
    rule.code.starts_with("PB") && rule.name != "decl-regex-gap"
}

/// True if the fixes of a rule edit captured transcripts.
fn is_about_captures(rule: &Rule) -> bool {
    is_about_replies(rule) && !is_about_settings(rule)
}

/// True if a rule is about configuration files, which have no suppression comments.
fn is_about_settings(rule: &Rule) -> bool {
    rule.group == Group::Configuration || rule.bad.starts_with(&format!("#- {}", settings::PATH))
}

/// The summary without its period, for headings.
fn heading(summary: &str) -> &str {
    summary.trim_end().trim_end_matches('.')
}

/// The rules of each non-empty group.
fn by_group<'r>(rules: &'r [&'static Rule]) -> impl Iterator<Item = (Group, Vec<&'static Rule>)> + 'r {
    Group::ALL.into_iter().filter_map(|group| {
        let own: Vec<_> = rules.iter().copied().filter(|rule| rule.group == group).collect();
        (!own.is_empty()).then_some((group, own))
    })
}
