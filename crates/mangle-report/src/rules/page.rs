//! Markdown pages of the documentation: one for each rule, and an index.

use std::fmt::Write as _;

use super::{by_group, fix_section, heading, is_about_replies, severity};
use crate::rules;
use mangle_syntax::lint::{FixKind, Rule};

/// The first line of all generated Markdown files.
const GENERATED: &str = "<!-- Generated from the registry of rules by `cargo xtask generate`. -->\n\n";

/// The introduction of the index, which applies to all rules.
const INTRODUCTION: &str = "\
# Rules

Each rule has a stable code and a name. Settings and comments accept both. `mangle-ls explain NAME` shows a page in the
terminal. The [glossary](../glossary.md) explains terms.

**Severity.** `[rules]` in `mangle-ls.toml` sets it for a rule, a group or a pattern:

```toml
[rules]
singleton-variable = \"off\"
\"MG8*\" = \"warning\"
```

**Suppression.** A comment [suppresses](../silencing.md) a finding at one place, or in a whole file with `ignore-file`:

```mangle
# mangle-ls: ignore singleton-variable -- why it is right here
```

In an envelope or its record the field `\"x_mangle_ls_ignore\": \"RULE\"` does, in Markdown and raw text the comment
`<!-- mangle-ls: ignore RULE -- why -->`. Findings in configuration files cannot be suppressed.

**Fixes.** A *safe* fix restores the author's evident intent; `check --fix` applies it. An *unsafe* fix is a guess; `check --fix --unsafe-fixes`
and the editor apply it. Fixes of captured replies edit evidence: `check --fix-transcripts` applies them, and the editor applies them one by one.
";

/// The most important rules: engine or runtime silently ignore the intended meaning.
const FIRST: [&str; 10] = [
    "negation-wildcard",
    "negated-var-unbound",
    "negation-reorder-hazard",
    "inequality-before-binding",
    "do-without-group-by",
    "wrong-kind",
    "no-period",
    "metachar",
    "decoy-accepted",
    "dead-target",
];

/// The Markdown page of a rule. Information that applies to all rules is in the index.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut out = String::from(GENERATED);
    let (group, severity) = (rule.group.as_str(), rule.default_word());
    put(&mut out, &format!("# {} ({})\n\n", rule.name, rule.code));
    put(
        &mut out,
        &format!(
            "Severity `{severity}` · group [{group}](README.md#{group}) · fix: {}\n\n",
            rule.fix.as_str()
        ),
    );
    put(&mut out, &format!("## Checks for\n\n{}.\n\n", heading(rule.summary)));
    put(&mut out, &format!("## Why it matters\n\n{}\n\n", rule.rationale.trim()));
    put(&mut out, &examples(rule, "Example", rule.bad));
    if !rule.finding.is_empty() {
        put(&mut out, &fenced("text", rule.finding.trim_end()));
    }
    put(&mut out, &examples(rule, "Instead", rule.good));
    if rule.fix != FixKind::None {
        put(&mut out, &format!("## Fix\n\n{}\n\n", fix_section(rule)));
    }
    put(&mut out, &particular(rule));
    put(&mut out, "[Settings, suppression, words](README.md)\n");
    out
}

/// The section about settings that differ from other rules.
fn particular(rule: &Rule) -> String {
    let off = rule.severity.is_none().then(|| severity(rule));
    let unreadable = rule
        .is_unreadable()
        .then(|| "A comment does not suppress it: the engine cannot load the file.".to_owned());
    let about: Vec<_> = off.into_iter().chain(unreadable).collect();
    if about.is_empty() { String::new() } else { format!("## Settings\n\n{}\n\n", about.join(" ")) }
}

/// The Markdown index of the pages.
#[must_use]
pub fn index(rules: &[&'static Rule]) -> String {
    let mut out = String::from(GENERATED);
    put(&mut out, INTRODUCTION);
    put(
        &mut out,
        "\n## The ten to know\n\nThe engine or the runtime silently ignores the code that these rules report.\n\n",
    );
    put(
        &mut out,
        &table(FIRST.iter().filter_map(|name| rules.iter().find(|rule| rule.name == *name).copied())),
    );
    for (group, rules) in by_group(rules) {
        put(&mut out, &format!("\n## {}\n\n{}.\n\n", group.as_str(), group.title()));
        put(&mut out, &table(rules));
    }
    out
}

fn table(rules: impl IntoIterator<Item = &'static Rule>) -> String {
    let mut out = String::from("| Code | Name | Severity | Fix | |\n|---|---|---|---|---|\n");
    for rule in rules {
        let Rule { code, name, summary, .. } = rule;
        let summary = heading(summary).replace('|', "\\|");
        let (severity, fix) = (rule.default_word(), rule.fix.as_str());
        put(&mut out, &format!("| {code} | [{name}]({name}.md) | {severity} | {fix} | {summary} |\n"));
    }
    out
}

/// The pages as entries of a table of contents.
#[must_use]
pub fn chapters(rules: &[&'static Rule]) -> String {
    let mut out = String::new();
    for (group, rules) in by_group(rules) {
        put(&mut out, &format!("  - [{}]()\n", group.as_str()));
        for Rule { code, name, .. } in rules {
            put(&mut out, &format!("    - [{code} {name}](rules/{name}.md)\n"));
        }
    }
    out
}

/// The files of an example under a heading, in Markdown; empty without an example.
pub(crate) fn examples(rule: &Rule, title: &str, example: &str) -> String {
    let mut out = String::new();
    for file in rules::example_files(example, is_about_replies(rule)) {
        if let Some(name) = file.name {
            put(&mut out, &format!("`{name}`:\n\n"));
        }
        put(&mut out, &fenced(file.language(), &file.text));
    }
    if out.is_empty() { out } else { format!("## {title}\n\n{out}") }
}

/// A code block. Its fence is longer than any run of backticks in the text.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

fn put(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = out.write_str(text);
}
