//! Report of a generated reply grammar: enforced and unenforced constraints, as text and as JSON.

use serde_json::{Value, json};

/// The properties of a generated grammar or schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyGrammarReport {
    pub target: &'static str,
    pub dialect: &'static str,
    pub profile: &'static str,
    pub consumer: String,
    /// The predicates of updates, for example `task_status/2`, most relevant first.
    pub predicates: Vec<String>,
    /// Omitted predicates with reasons.
    pub omitted: Vec<(String, String)>,
    /// Constraints that the target does not enforce, with the rules that check them.
    pub dropped: Vec<(String, &'static str)>,
    /// Constraints that no target enforces, with the rules that check them.
    pub remaining: Vec<(String, &'static str)>,
    /// The exceeded limits of the provider.
    pub exceeded: Vec<String>,
    pub longest: LongestEnvelope,
}

/// The size of the longest envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestEnvelope {
    /// True if the grammar enforces the limit.
    pub is_enforced: bool,
    /// The length in bytes, which is also the maximum number of tokens.
    pub bytes: usize,
    /// The number of tokens of an English envelope with the same number of characters, measured
    /// with `o200k_base`.
    pub english_tokens: usize,
}

/// The codes and names of notes about grammars.
const OMITTED: &str = "PB803 pred-omitted";
const DROPPED: &str = "PB804 constraint-dropped";

/// The maximum number of displayed predicates and constraints.
const SHOWN: usize = 10;

impl ReplyGrammarReport {
    #[must_use]
    pub fn text(&self) -> String {
        let Self { longest, .. } = self;
        let is_strict = if longest.is_enforced {
            "the longest envelope has"
        } else {
            "without the limits that the target lacks, the longest envelope has"
        };
        let count = self.predicates.len();
        let mut text = format!(
            "{}: {count} {}; {is_strict} {} bytes, and no more tokens than bytes: \
             {} in `o200k_base` where its texts are English\n",
            self.target,
            if count == 1 { "predicate" } else { "predicates" },
            longest.bytes,
            longest.english_tokens,
        );
        let omitted: Vec<_> =
            self.omitted.iter().map(|(predicate, why)| format!("`{predicate}`: {why}")).collect();
        text += &listed(OMITTED, ["predicate is not generated", "predicates are not generated"], &omitted);
        let dropped: Vec<_> = self
            .dropped
            .iter()
            .chain(&self.remaining)
            .map(|(what, rule)| format!("{what} ({rule})"))
            .collect();
        text +=
            &listed(DROPPED, ["constraint is left to `check`", "constraints are left to `check`"], &dropped);
        text
    }

    /// The metadata file of the grammar.
    #[must_use]
    pub fn json(&self) -> Value {
        let rules = |all: &[(String, &'static str)]| {
            all.iter().map(|(what, rule)| json!({"what": what, "rule": rule})).collect::<Vec<_>>()
        };
        let omitted = self.omitted.iter().map(|(predicate, why)| json!({"predicate": predicate, "why": why}));
        json!({
            "target": self.target,
            "dialect": self.dialect,
            "profile": self.profile,
            "consumer": self.consumer,
            "predicates": self.predicates,
            "omitted": omitted.collect::<Vec<_>>(),
            "dropped": rules(&self.dropped),
            "remaining": rules(&self.remaining),
            "exceeded": self.exceeded,
            "longest": {
                "enforced": self.longest.is_enforced,
                "bytes": self.longest.bytes,
                "most_tokens": self.longest.bytes,
                "english_tokens": self.longest.english_tokens,
            },
        })
    }
}

/// A note with the first lines; empty without lines.
fn listed(code: &str, [one, many]: [&str; 2], lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let what = if lines.len() == 1 { one } else { many };
    let mut text = format!("note[{code}]: {} {what}\n", lines.len());
    for line in lines.iter().take(SHOWN) {
        text += &format!("  {line}\n");
    }
    if lines.len() > SHOWN {
        text += &format!("  and {} more\n", lines.len() - SHOWN);
    }
    text
}
