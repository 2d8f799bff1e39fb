//! Prompts as Markdown: each section in a fence that its text cannot close.

use std::fmt::Write as _;

use super::{Note, PromptReport, SectionReport, percent};

/// Prompts as Markdown. `provenance` adds a table of origins to each section.
#[must_use]
pub fn prompts_markdown(prompts: &[PromptReport], provenance: bool) -> String {
    let mut out = String::new();
    for prompt in prompts {
        let PromptReport { name, shard, shard_type, mode, totals, .. } = prompt;
        let _ = writeln!(out, "# {}\n", escaped(name));
        let _ = writeln!(out, "`{}` (`{}`), {mode}\n", code(shard), code(shard_type));
        if let Some(why) = &prompt.fallback {
            let _ = writeln!(out, "Not compiled: {}\n", escaped(why));
        }
        if let Some(sticky) = &prompt.sticky {
            let _ = writeln!(out, "Compiled {}\n", escaped(&sticky.sentence()));
        }
        prompt.sections.iter().for_each(|section| write(&mut out, section, provenance));
        let available = usize::try_from(totals.available).unwrap_or(usize::MAX);
        let share = percent(totals.tokens, available);
        let _ = writeln!(
            out,
            "{} of {} tokens ({share}), by `{}`; {} by bytes/4, {} by characters/4.\n",
            totals.tokens, totals.available, totals.tokenizer, totals.bytes4, totals.chars4
        );
    }
    let mut told: Vec<&Note> = Vec::new();
    for note in prompts.iter().flat_map(|prompt| &prompt.diagnostics) {
        if !told.contains(&note) {
            told.push(note);
            let _ = writeln!(
                out,
                "- {} `{}` ({}): {}",
                note.severity,
                note.rule,
                note.place,
                escaped(&note.message)
            );
        }
    }
    out
}

fn write(out: &mut String, section: &SectionReport, provenance: bool) {
    let _ = writeln!(out, "## {} ({}, {} tokens)\n", escaped(&section.title), section.from, section.tokens);
    let text: Vec<_> = section.lines.iter().map(|line| line.text.as_str()).collect();
    let text = text.join("\n");
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let _ = writeln!(out, "{fence}text\n{text}\n{fence}\n");
    let told: Vec<_> = section.lines.iter().filter(|line| line.role == "text").collect();
    if !provenance || told.is_empty() {
        return;
    }
    out.push_str("| Line | From |\n|---|---|\n");
    for line in told {
        let first = line.text.lines().next().unwrap_or_default().trim();
        let _ = writeln!(out, "| {} | {} |", cell(first), cell(&line.origin.short()));
    }
    out.push('\n');
}

/// How many backticks stand in a row at most.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// What cannot be taken for Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii_punctuation() && !".,:;'/\"()=?".contains(char) {
            out.push('\\');
        }
        out.push(if char.is_control() { ' ' } else { char });
    }
    out
}

fn cell(text: &str) -> String {
    escaped(text).replace("\\|", "&#124;")
}

fn code(text: &str) -> String {
    text.chars().filter(|char| *char != '`' && !char.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_counts() {
        assert_eq!(escaped("<b> [x](y)\n# |"), "\\<b\\> \\[x\\](y) \\# \\|");
        assert_eq!(longest_run("a ``` b `` c"), 3);
        assert_eq!(cell("a|b"), "a&#124;b");
    }
}
