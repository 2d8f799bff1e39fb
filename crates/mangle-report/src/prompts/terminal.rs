//! Prompts as terminal text: colored sections, origins next to the lines, the budget as a bar.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Note, PromptReport, SectionReport, percent};
use crate::sink::{line as visible, lines as visible_text};

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
