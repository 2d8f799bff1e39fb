//! Rules and negations that matter in no small world: as text and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::sink::line;
use mangle_verify::IdleKind;

/// What was found out about the rules of programs.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct RuleSurveyReport {
    /// The rules and negations that do not matter, in the order of files and lines.
    pub rules: Vec<IdleRuleReport>,
    /// How many rules came to what.
    pub summary: RuleSurveySummary,
}

/// How many rules came to what.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleSurveySummary {
    /// Rules that were looked at.
    pub rules: usize,
    /// Rules and negations that do not matter.
    pub idle: usize,
    /// Questions that were not decided.
    pub not_decided: usize,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// A rule, or a negation of one, that does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdleRuleReport {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What the rule defines.
    pub predicate: String,
    /// `never_fires`, `without_effect` or `negation_without_effect`.
    pub kind: &'static str,
    /// The same as a sentence without its full stop.
    pub message: String,
    /// The most facts of the worlds that were looked at; `None` for any number.
    pub facts: Option<usize>,
}

impl IdleRuleReport {
    /// The report of a rule at a place.
    #[must_use]
    pub fn new(file: String, line: usize, predicate: String, idle: &IdleKind, facts: Option<usize>) -> Self {
        let worlds = match facts {
            None => "any world".to_owned(),
            Some(1) => "any world of up to 1 fact".to_owned(),
            Some(facts) => format!("any world of up to {facts} facts"),
        };
        let (kind, message) = match idle {
            IdleKind::NeverFires => ("never_fires", format!("the rule does not fire in {worlds}")),
            IdleKind::WithoutEffect => {
                ("without_effect", format!("without the rule, `{predicate}` is the same in {worlds}"))
            }
            IdleKind::Negation(text) => (
                "negation_without_effect",
                format!("without `{}`, `{predicate}` is the same in {worlds}", line_of(text)),
            ),
        };
        Self { file, line, predicate, kind, message, facts }
    }
}

fn line_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl RuleSurveyReport {
    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for idle in &self.rules {
            let _ = writeln!(out, "{}:{}: {}", line(&idle.file), idle.line, line(&idle.message));
        }
        let RuleSurveySummary { rules, idle, not_decided, .. } = self.summary;
        let _ =
            writeln!(out, "{rules} rules looked at, {idle} findings, {not_decided} questions not decided");
        out
    }
}
