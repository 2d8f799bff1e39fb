//! Prompts as terminal text and as Markdown. In Markdown, each section is in a fence that its text cannot
//! close.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Note, PromptReport, SectionReport, percent};
use crate::sink::{self, line as visible, lines as visible_text};

const TITLE: Style = AnsiColor::BrightBlue.on_default().bold();
const FAINT: Style = Style::new().dimmed();
const KERNEL: Style = AnsiColor::Green.on_default();
const SESSION: Style = AnsiColor::Yellow.on_default();
const INTENT: Style = AnsiColor::Magenta.on_default();
const WRONG: Style = AnsiColor::BrightRed.on_default().bold();

/// The width of the bar in characters.
const BAR: usize = 30;

/// The column of origins, unless a line is longer.
const COLUMN: usize = 72;

/// Prompts as text with terminal colors. `provenance` shows the origin of each line.
#[must_use]
pub fn prompts_text(prompts: &[PromptReport], provenance: bool) -> String {
    let mut out = String::new();
    for (at, prompt) in prompts.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        write_prompt(&mut out, prompt, provenance);
    }
    if prompts.len() > 1 && prompts.iter().any(|prompt| !prompt.diagnostics.is_empty()) {
        out.push('\n');
    }
    // A finding about a file applies to all its prompts and is shown once.
    let mut told: Vec<&Note> = Vec::new();
    for note in prompts.iter().flat_map(|prompt| &prompt.diagnostics) {
        if !told.contains(&note) {
            told.push(note);
            let Note { severity, rule, place, message, .. } = note;
            let (place, message) = (visible(place), visible(message));
            let _ = writeln!(out, "{WRONG}{severity}{WRONG:#}[{rule}] {place} {message}");
        }
    }
    out
}

fn write_prompt(out: &mut String, prompt: &PromptReport, provenance: bool) {
    let PromptReport { name, shard, shard_type, mode, .. } = prompt;
    let [name, shard, shard_type] = [name, shard, shard_type].map(|text| visible(text));
    let _ = writeln!(out, "{TITLE}{name}{TITLE:#}  {shard} ({shard_type}), {mode}");
    if let Some(why) = &prompt.fallback {
        let _ = writeln!(out, "{WRONG}jit_fallback(/{shard_type}, {why:?}){WRONG:#}");
    }
    if let Some(sticky) = &prompt.sticky {
        let _ = writeln!(out, "{FAINT}{}{FAINT:#}", visible(&sticky.sentence()));
    }
    for remark in &prompt.remarks {
        let _ = writeln!(out, "{FAINT}{}{FAINT:#}", visible(remark));
    }
    for section in &prompt.sections {
        lines(out, section, provenance);
    }
    totals(out, prompt);
    left_out(out, prompt, provenance);
}

fn lines(out: &mut String, section: &SectionReport, provenance: bool) {
    let style = match section.from {
        "kernel" | "atoms" => KERNEL,
        "session" => SESSION,
        "intent" => INTENT,
        _ => Style::new(),
    };
    let name = section.name.as_ref().map_or(String::new(), |name| format!(" {}", visible(name)));
    let tokens = section.tokens;
    let _ =
        writeln!(out, "{FAINT}── {} · {}{name} · {tokens} tokens{FAINT:#}", section.section, section.from);
    let mut before = String::new();
    for line in &section.lines {
        // Consecutive lines with the same origin show it once.
        let short = if provenance && line.role == "text" { line.origin.short() } else { String::new() };
        let mut origin = if short == before { String::new() } else { short.clone() };
        if line.is_new {
            origin = if short.is_empty() { "new".to_owned() } else { format!("new, {short}") };
        }
        if line.role == "text" {
            before = short;
        }
        for (at, text) in line.text.split('\n').enumerate() {
            let (text, style) = (visible_text(text), if line.role == "text" { style } else { FAINT });
            if origin.is_empty() || at > 0 {
                let _ = writeln!(out, "{style}{text}{style:#}");
            } else {
                let gap = " ".repeat(COLUMN.saturating_sub(text.chars().count()).max(2));
                let faint = if line.is_new { SESSION } else { FAINT };
                let _ = writeln!(out, "{style}{text}{style:#}{gap}{faint}← {}{faint:#}", visible(&origin));
            }
        }
        for proof in line.origin.proof.iter().filter(|_| provenance) {
            for step in proof.lines() {
                let _ = writeln!(out, "{FAINT}      {}{FAINT:#}", visible(step));
            }
        }
    }
}

/// The excluded atoms with reasons.
fn left_out(out: &mut String, prompt: &PromptReport, all: bool) {
    let lines = prompt.left_out_lines(all);
    if !lines.is_empty() {
        let _ = writeln!(out, "  atoms left out: {}", prompt.left_out.len());
    }
    for line in lines {
        let _ = writeln!(out, "    {FAINT}{}{FAINT:#}", visible(&line));
    }
}

fn totals(out: &mut String, prompt: &PromptReport) {
    let totals = &prompt.totals;
    let filled =
        if totals.over() > 0 { BAR } else { (totals.tokens * BAR).div_ceil(totals.most().max(1)).min(BAR) };
    let style = if totals.over() > 0 { WRONG } else { KERNEL };
    let gone = match prompt.gone {
        0 => String::new(),
        1 => " 1 line is gone".to_owned(),
        lines => format!(" {lines} lines are gone"),
    };
    let _ = writeln!(out, "{FAINT}──{gone}{FAINT:#}");
    let _ = writeln!(
        out,
        "[{style}{}{style:#}{}] {} (bytes/4: {}, characters/4: {})",
        "█".repeat(filled),
        "░".repeat(BAR - filled),
        totals.share(),
        totals.bytes4,
        totals.chars4,
    );
    let _ = writeln!(out, "  {FAINT}{}{FAINT:#}", totals.parts());
    if let Some(context) = totals.context {
        let kind = visible(&prompt.shard_type);
        let share = percent(totals.tokens, usize::try_from(context).unwrap_or(usize::MAX));
        let share = if context == 0 { "more than".to_owned() } else { format!("{share} of") };
        let _ =
            writeln!(out, "  {share} the {context} tokens that the agent's configuration gives a `{kind}`");
    }
    for section in prompt.sections.iter().filter(|section| section.tokens > 0) {
        let share = percent(section.tokens, totals.tokens.max(1));
        let _ = writeln!(out, "  {:<12} {:>8}  {share:>7}", section.section, section.tokens);
    }
}

/// Prompts as Markdown. `provenance` adds a table of origins to each section.
#[must_use]
pub fn prompts_markdown(prompts: &[PromptReport], provenance: bool) -> String {
    let mut out = String::new();
    for prompt in prompts {
        let PromptReport { name, shard, shard_type, mode, totals, .. } = prompt;
        let _ = writeln!(out, "# {}\n", sink::markdown(name));
        let _ = writeln!(out, "{} ({}), {mode}\n", sink::code_span(shard), sink::code_span(shard_type));
        if let Some(why) = &prompt.fallback {
            let _ = writeln!(out, "Not compiled: {}\n", sink::markdown(why));
        }
        if let Some(sticky) = &prompt.sticky {
            let _ = writeln!(out, "Compiled {}\n", sink::markdown(&sticky.sentence()));
        }
        for remark in &prompt.remarks {
            let _ = writeln!(out, "{}.\n", sink::markdown(remark));
        }
        prompt.sections.iter().for_each(|section| write_section(&mut out, section, provenance));
        let _ = writeln!(
            out,
            "{}, by {}; {} by bytes/4, {} by characters/4.\n\n{}.\n",
            totals.share(),
            sink::code_span(totals.tokenizer),
            totals.bytes4,
            totals.chars4,
            totals.parts()
        );
        let left_out = prompt.left_out_lines(provenance);
        if !left_out.is_empty() {
            let _ = writeln!(out, "Atoms left out: {}.\n", prompt.left_out.len());
            left_out.iter().for_each(|line| out.push_str(&format!("- {}\n", sink::markdown(line))));
            out.push('\n');
        }
    }
    let mut told: Vec<&Note> = Vec::new();
    for note in prompts.iter().flat_map(|prompt| &prompt.diagnostics) {
        if !told.contains(&note) {
            told.push(note);
            let _ = writeln!(
                out,
                "- {} {} ({}): {}",
                note.severity,
                sink::code_span(note.rule),
                sink::markdown(&note.place),
                sink::markdown(&note.message)
            );
        }
    }
    out
}

fn write_section(out: &mut String, section: &SectionReport, provenance: bool) {
    let _ = writeln!(
        out,
        "## {} ({}, {} tokens)\n",
        sink::markdown(&section.title),
        section.from,
        section.tokens
    );
    let text: Vec<_> = section.lines.iter().map(|line| line.text.as_str()).collect();
    let text = text.join("\n");
    let _ = writeln!(out, "{}", sink::markdown_fence(&text));
    let told: Vec<_> = section.lines.iter().filter(|line| line.role == "text").collect();
    if !provenance || told.is_empty() {
        return;
    }
    out.push_str("| Line | From |\n|---|---|\n");
    for line in told {
        let first = line.text.lines().next().unwrap_or_default().trim();
        let _ = writeln!(
            out,
            "| {} | {} |",
            sink::markdown_cell(first),
            sink::markdown_cell(&line.origin.short())
        );
    }
    out.push('\n');
}
