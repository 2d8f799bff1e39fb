//! Rules as JSON.

use serde::Serialize;

use mangle_syntax::lint::{FixKind, Rule};

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
