//! The pages of the documentation: one a rule, and their index.

use std::fmt::Write as _;

use super::{by_group, example, fix_section, heading, is_about_replies, is_about_settings, severity};
use mangle_syntax::lint::Rule;

/// The first line of everything in Markdown that is generated.
const GENERATED: &str = "<!-- Generated from the registry of rules by `cargo xtask generate`. -->\n\n";

/// The page about a rule, in Markdown.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut out = String::from(GENERATED);
    put(&mut out, &format!("# {} ({})\n\n", rule.name, rule.code));
    put(&mut out, &format!("## What it does\n\n{}.\n\n", heading(rule.summary)));
    put(&mut out, &format!("## Why\n\n{}\n\n", rule.rationale.trim()));
    put(&mut out, &examples(rule, "Wrong", rule.bad));
    put(&mut out, &examples(rule, "Right", rule.good));
    put(&mut out, &format!("## Fix\n\n{}\n\n", fix_section(rule)));
    put(
        &mut out,
        &format!("## Severity\n\n{} Group: [{1}](README.md#{1}).\n\n", severity(rule), rule.group.as_str()),
    );
    put(&mut out, &silencing(rule));
    out
}

/// The index of the pages, in Markdown.
#[must_use]
pub fn index(rules: &[&'static Rule]) -> String {
    let mut out = String::from(GENERATED);
    put(
        &mut out,
        "# Rules\n\nEach has a stable code and a name; settings and comments take either. \
         `mangle-ls rule NAME` shows a page in the terminal.\n",
    );
    for (group, rules) in by_group(rules) {
        put(&mut out, &format!("\n## {}\n\n{}.\n\n", group.as_str(), group.title()));
        put(&mut out, "| Code | Name | Severity | Fix | |\n|---|---|---|---|---|\n");
        for rule in rules {
            let Rule { code, name, summary, .. } = rule;
            let summary = heading(summary).replace('|', "\\|");
            let (severity, fix) = (rule.default_word(), rule.fix.as_str());
            put(&mut out, &format!("| {code} | [{name}]({name}.md) | {severity} | {fix} | {summary} |\n"));
        }
    }
    out
}

/// The files of an example under a heading, in Markdown; empty for a rule without example.
pub(in crate::report) fn examples(rule: &Rule, title: &str, example: &str) -> String {
    let mut out = String::new();
    for file in example::files(example, is_about_replies(rule)) {
        if let Some(name) = file.name {
            put(&mut out, &format!("`{name}`:\n\n"));
        }
        // Longer than any run of backticks in the text.
        let fence = "`".repeat(longest_run(&file.text).max(2) + 1);
        put(&mut out, &format!("{fence}{}\n{}\n{fence}\n\n", file.language(), file.text));
    }
    if out.is_empty() { out } else { format!("## {title}\n\n{out}") }
}

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

fn silencing(rule: &Rule) -> String {
    let setting =
        format!("For all files, in `mangle-ls.toml`:\n\n```toml\n[rules]\n{} = \"off\"\n```\n", rule.name);
    let comment = match rule {
        _ if rule.is_unreadable() => {
            "A comment does not silence it: the engine cannot load the file.\n\n".to_owned()
        }
        _ if is_about_settings(rule) => String::new(),
        _ if is_about_replies(rule) => format!(
            "At one place, with a member of the envelope, or of the record that holds it:\n\n\
             ```json\n\"x_mangle_ls_ignore\": \"{0}\"\n```\n\n\
             In Markdown and in raw text, with a comment on a line before it: \
             `<!-- mangle-ls: ignore {0} -- why it is right here -->`; [more](../silencing.md).\n\n",
            rule.name
        ),
        _ => format!(
            "At one place, with a comment on the line before it (or behind the code of the same line):\n\n\
             ```mangle\n# mangle-ls: ignore {0} -- why it is right here\n```\n\n\
             `ignore-file` instead of `ignore` silences it in the whole file; [more](../silencing.md).\n\n",
            rule.name
        ),
    };
    format!("## Silence it\n\n{comment}{setting}")
}

fn put(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = out.write_str(text);
}
