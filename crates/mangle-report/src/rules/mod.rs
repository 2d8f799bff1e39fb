//! Rule documentation: JSON, terminal text, and Markdown pages.
//!
//! The content comes only from the [`Rule`] declarations of the registry.

mod page;

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use mangle_syntax::lint::{FixKind, Group, Rule, Severity};
use piggyback::transcript::settings;

pub(super) use page::examples;
pub use page::{chapters, index, page};

#[derive(Serialize)]
struct RuleEntry<'a> {
    code: &'a str,
    name: &'a str,
    group: &'a str,
    severity: &'a str,
    summary: &'a str,
    rationale: &'a str,
    bad: &'a str,
    finding: &'a str,
    good: &'a str,
    fix: &'a str,
    url: String,
}

/// The rules as a list of `{code, name, group, severity, summary, rationale, bad, finding, good,
/// fix, url}`, with a line end. `severity` is `off` for rules that are disabled by default.
#[must_use]
pub fn json(rules: &[&'static Rule]) -> String {
    let entry = |rule: &&'static Rule| RuleEntry {
        code: rule.code,
        name: rule.name,
        group: rule.group.as_str(),
        severity: rule.default_word(),
        summary: rule.summary,
        rationale: rule.rationale,
        bad: rule.bad,
        finding: rule.finding,
        good: rule.good,
        fix: fix_word(rule.fix),
        url: rule.url(),
    };
    let entries: Vec<_> = rules.iter().map(entry).collect();
    // Serialization of strings cannot fail. The fallback is an empty text.
    serde_json::to_string_pretty(&entries).unwrap_or_default() + "\n"
}

/// The fix kind for programs. Suggestions edit nothing and count as `none`.
fn fix_word(kind: FixKind) -> &'static str {
    match kind {
        FixKind::Suggestion => FixKind::None.as_str(),
        FixKind::None | FixKind::Safe | FixKind::Unsafe => kind.as_str(),
    }
}

/// The line width of prose in characters.
const WIDTH: usize = 88;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// All rules, one on each line, grouped and colored. Callers can strip the colors.
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
    for file in example_files(example, is_about_replies(rule)) {
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

/// A file of an example.
struct ExampleFile<'a> {
    /// The name, if the example has one.
    name: Option<&'a str>,
    /// The text without trailing white space.
    text: String,
    /// The default language.
    default: &'static str,
}

impl ExampleFile<'_> {
    /// The language for the code fence.
    fn language(&self) -> &'static str {
        let name = self.name.map(|name| name.split(' ').next().unwrap_or(name));
        match name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end) {
            Some("toml") => "toml",
            Some("yaml") => "yaml",
            Some("json" | "jsonl") => "json",
            Some("md") => "markdown",
            Some("log" | "txt") => "text",
            _ => self.default,
        }
    }
}

/// The files of an example, separated by lines `#- NAME`. Empty without an example. For rules about
/// replies, a text that is not Mangle is a reply.
fn example_files(example: &str, is_reply: bool) -> Vec<ExampleFile<'_>> {
    let default = match is_reply {
        false => "mangle",
        true if example.starts_with(['{', '[']) => "json",
        true => "text",
    };
    let mut files: Vec<ExampleFile<'_>> = Vec::new();
    for line in example.lines() {
        if let Some(name) = line.strip_prefix("#- ") {
            files.push(ExampleFile { name: Some(name.trim()), text: String::new(), default: "mangle" });
            continue;
        }
        if files.is_empty() {
            files.push(ExampleFile { name: None, text: String::new(), default });
        }
        if let Some(file) = files.last_mut() {
            file.text.push_str(&visible(line));
            file.text.push('\n');
        }
    }
    for file in &mut files {
        file.text.truncate(file.text.trim_end().len());
    }
    files
}

/// Invisible characters as `⟨U+FEFF⟩`, because some rules are about such characters.
fn visible(line: &str) -> String {
    let show = |char: char| {
        let hidden = char.is_control() && char != '\t'
            || matches!(char, '\u{feff}' | '\u{a0}' | '\u{200b}'..='\u{200f}');
        if hidden { format!("⟨U+{:04X}⟩", u32::from(char)) } else { char.to_string() }
    };
    line.chars().map(show).collect()
}
