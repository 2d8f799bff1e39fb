//! Prompts as Markdown. Each section is in a fence that its text cannot close.

use std::fmt::Write as _;

use super::{Note, PromptReport, SectionReport};
use crate::sink;

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
