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
            "No automatic fix: a capture is evidence, and a fix would delete text or invent missing text. The finding \
             suggests a change."
        }
        FixKind::Safe if is_about_captures(rule) => {
            "If a fix is offered, it is safe. It edits evidence: `check --fix-transcripts` applies it, and the editor \
             applies fixes one by one. A fix that inserts a value or deletes text is only suggested."
        }
        FixKind::Unsafe if is_about_captures(rule) => {
            "If a fix is offered, it is a guess: review it. It edits evidence: only `check --fix-transcripts \
             --unsafe-fixes` applies it, and the editor applies fixes one by one. A fix that inserts a value or \
             deletes text is only suggested."
        }
        FixKind::None => "None: the correct change depends on the author's intent.",
        FixKind::Safe => {
            "If a fix is offered, it is safe: it restores the author's evident intent. `check --fix` applies it."
        }
        FixKind::Unsafe => {
            "If a fix is offered, it is a guess: review it. Only `check --fix --unsafe-fixes` and the editor apply it."
        }
    }
}

/// The sentences about the severity of a rule.
fn severity(rule: &Rule) -> String {
    match rule.severity {
        Some(severity) => format!("`{severity}`. To change it, use `[rules]` in `mangle-ls.toml`."),
        None => format!(
            "Off by default, because this code is often intentional. To enable the rule, set `{} = \"hint\"` under \
             `[rules]` in `mangle-ls.toml`.",
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
