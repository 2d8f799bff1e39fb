//! Rules as colored terminal text. Callers can strip the colors.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{by_group, example, fix_section, heading, is_about_replies, is_about_settings, severity};
use mangle_syntax::lint::{Rule, Severity};

/// The line width of prose in characters.
const WIDTH: usize = 88;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// All rules, one on each line, grouped.
#[must_use]
pub fn list(rules: &[&'static Rule]) -> String {
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (group, rules) in by_group(rules) {
        let gap = if out.is_empty() { "" } else { "\n" };
        put(&mut out, &format!("{gap}{BOLD}{}{BOLD:#} {DIM}{}{DIM:#}\n", group.as_str(), group.title()));
        for rule in rules {
            let colour = colour(rule.severity);
            let (code, name, word) = (rule.code, rule.name, rule.default_word());
            put(
                &mut out,
                &format!("  {code}  {name:width$}  {colour}{word:11}{colour:#}  {}\n", heading(rule.summary)),
            );
        }
    }
    put(&mut out, &format!("\n{DIM}`mangle-ls explain NAME` says more of one.{DIM:#}\n"));
    out
}

#[must_use]
pub fn single(rule: &Rule) -> String {
    let mut out = String::new();
    let (code, name, group) = (rule.code, rule.name, rule.group.as_str());
    let (colour, word) = (colour(rule.severity), rule.default_word());
    put(&mut out, &format!("{BOLD}{name}{BOLD:#} {code} · {group} · {colour}{word}{colour:#}\n"));
    section(&mut out, "Checks for", &wrap(&format!("{}.", heading(rule.summary)), "  "));
    section(&mut out, "Why it matters", &wrap(rule.rationale, "  "));
    section(&mut out, "Example", &code_of(rule, rule.bad, AnsiColor::Red));
    section(&mut out, "Finding", &indented(rule.finding));
    section(&mut out, "Instead", &code_of(rule, rule.good, AnsiColor::Green));
    section(&mut out, "Fix", &wrap(&fix_section(rule), "  "));
    section(&mut out, "Severity", &wrap(&severity(rule), "  "));
    section(&mut out, "Suppress it", &wrap(&silencing(rule), "  "));
    put(&mut out, &format!("\n{DIM}{}{DIM:#}\n", rule.url()));
    out
}

fn section(out: &mut String, title: &str, body: &str) {
    if !body.is_empty() {
        put(out, &format!("\n{BOLD}{title}{BOLD:#}\n{body}"));
    }
}

fn colour(severity: Option<Severity>) -> Style {
    match severity {
        Some(Severity::Error) => AnsiColor::BrightRed.on_default(),
        Some(Severity::Warning) => AnsiColor::Yellow.on_default(),
        Some(Severity::Information) => AnsiColor::BrightBlue.on_default(),
        Some(Severity::Hint) => AnsiColor::BrightCyan.on_default(),
        None => DIM,
    }
}

fn code_of(rule: &Rule, example: &str, colour: AnsiColor) -> String {
    let bar = colour.on_default();
    let mut out = String::new();
    for file in example::example_files(example, is_about_replies(rule)) {
        if let Some(name) = file.name {
            put(&mut out, &format!("  {DIM}{name}{DIM:#}\n"));
        }
        for line in file.text.lines() {
            put(&mut out, &format!("  {bar}│{bar:#} {line}\n"));
        }
    }
    out
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn silencing(rule: &Rule) -> String {
    let setting = format!("`{} = \"off\"` under `[rules]` in mangle-ls.toml", rule.name);
    match rule {
        _ if rule.is_unreadable() => {
            format!("{setting}. A comment does not: the engine cannot load the file.")
        }
        _ if is_about_settings(rule) => format!("{setting}."),
        _ if is_about_replies(rule) => format!(
            "the member `\"x_mangle_ls_ignore\": \"{}\"` in the envelope or in its record, in Markdown a comment \
             `<!-- mangle-ls: ignore {} -- reason -->` before it, or {setting}.",
            rule.name, rule.name
        ),
        _ => format!(
            "`# mangle-ls: ignore {} -- reason` on the line before it or behind its code, or {setting}.",
            rule.name
        ),
    }
}

/// Wraps `text` to lines of at most [`WIDTH`] characters with an indent.
fn wrap(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let width = indent.len() + line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && width > WIDTH {
            put(&mut out, &format!("{indent}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        put(&mut out, &format!("{indent}{line}\n"));
    }
    out
}

fn put(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = out.write_str(text);
}
