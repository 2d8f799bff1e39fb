//! Prompts as Markdown: each section in a fence that its text cannot close.

use std::fmt::Write as _;

use super::{Note, PromptReport, SectionReport, percent};
use crate::report::sink;

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
        prompt.sections.iter().for_each(|section| write(&mut out, section, provenance));
        let available = usize::try_from(totals.available).unwrap_or(usize::MAX);
        let share = percent(totals.tokens, available);
        let _ = writeln!(
            out,
            "{} of {} tokens ({share}), by {}; {} by bytes/4, {} by characters/4.\n",
            totals.tokens,
            totals.available,
            sink::code_span(totals.tokenizer),
            totals.bytes4,
            totals.chars4
        );
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

fn write(out: &mut String, section: &SectionReport, provenance: bool) {
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
