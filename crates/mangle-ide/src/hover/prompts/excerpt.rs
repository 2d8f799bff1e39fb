//! Excerpts of prompts with context lines.

use super::{SampleProvenance, called};
use crate::markup::Markup;
use agent_prompt::PromptProvenance;
use mangle_report::sink::code_span;

/// Number of context lines before and after a line.
const AROUND: usize = 1;

/// Maximum number of lines per excerpt.
const MAX_LINES: usize = 10;

/// Maximum line length, in characters.
const WIDEST: usize = 100;

/// Adds lines of a prompt with context. Selected lines are marked with `>`.
pub(super) fn lines(
    markup: Markup,
    by: &SampleProvenance<'_>,
    prompt: &PromptProvenance,
    meant: &[usize],
) -> Markup {
    let mut sections: Vec<&str> = Vec::new();
    let mut tokens = 0;
    for line in meant.iter().filter_map(|at| prompt.lines.get(*at)) {
        tokens += line.tokens;
        let section = prompt.sections.get(line.section).map_or("", String::as_str);
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    let says = format!(
        "In the prompt {} of {}, mode `{}`, section {}: {tokens} of {} tokens.",
        called(prompt),
        word(by.sample),
        prompt.mode,
        sections.iter().map(|section| word(section)).collect::<Vec<_>>().join(", "),
        prompt.tokens,
    );
    markup.text(says).excerpt(excerpt(prompt, meant))
}

fn excerpt(prompt: &PromptProvenance, meant: &[usize]) -> String {
    let is_near = |at: usize| meant.iter().any(|line| line.abs_diff(at) <= AROUND);
    let mut rows: Vec<String> = Vec::new();
    let mut last = None;
    for (at, line) in prompt.lines.iter().enumerate().filter(|(at, _)| is_near(*at)) {
        if last.is_some_and(|last: usize| last + 1 < at) {
            rows.push("  …".to_owned());
        }
        last = Some(at);
        let mark = if meant.contains(&at) { "> " } else { "  " };
        rows.extend(line.text.split('\n').map(|text| format!("{mark}{}", cut(text))));
        if rows.len() >= MAX_LINES {
            rows.truncate(MAX_LINES);
            rows.push("  …".to_owned());
            break;
        }
    }
    let is_blank = |row: &String| row.trim().is_empty();
    let first = rows.iter().position(|row| !is_blank(row)).unwrap_or(0);
    let end = rows.iter().rposition(|row| !is_blank(row)).map_or(0, |last| last + 1);
    rows.get(first..end).unwrap_or_default().join("\n")
}

fn cut(text: &str) -> String {
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    match text.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// Formats quoted text as code.
pub(super) fn word(text: &str) -> String {
    code_span(&cut(text))
}

/// Formats a message of the runtime about an atom, which may quote its file.
pub(super) fn plain(text: &str) -> String {
    cut(&text.replace('`', "'"))
}
