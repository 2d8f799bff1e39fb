//! Report of rules and negations without effect in small worlds, as text and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::sink::line;
use mangle_verify::IdleKind;

/// The result for the rules of programs.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct RuleSurveyReport {
    /// The rules and negations without effect, sorted by file and line.
    pub rules: Vec<IdleRuleReport>,
    /// The number of rules for each result.
    pub summary: RuleSurveySummary,
}

/// The number of rules for each result.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleSurveySummary {
    pub rules: usize,
    /// Rules and negations without effect.
    pub idle: usize,
    /// Undecided questions.
    pub not_decided: usize,
    /// The elapsed time in milliseconds.
    pub elapsed_ms: u64,
}

/// A rule or negation without effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdleRuleReport {
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The predicate of the head.
    pub predicate: String,
    /// `never_fires`, `without_effect` or `negation_without_effect`.
    pub kind: &'static str,
    /// The result as a sentence without a period.
    pub message: String,
    /// The maximum number of facts of the examined worlds; `None` for any number.
    pub facts: Option<usize>,
}

impl IdleRuleReport {
    /// The report of a rule at a location.
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
