//! Differences between two policies: text, Markdown for pull requests, and JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::sink::{self, line};

/// The comparison of two policies.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// One comparison for each queried atom.
    pub comparisons: Vec<AtomComparison>,
    /// The number of atoms for each result.
    pub summary: ComparisonSummary,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComparisonSummary {
    /// No world of the scope distinguishes the policies.
    pub equivalent: usize,
    /// A world distinguishes the policies.
    pub different: usize,
    /// Undecided.
    pub not_decided: usize,
    /// The elapsed time in milliseconds.
    pub elapsed_ms: u64,
}

/// The results of two policies for an atom.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtomComparison {
    pub predicate: String,
    /// `equivalent`, `adds`, `removes`, `both` or `not_decided`.
    pub answer: &'static str,
    /// Facts of only the new policy, one for each statement that causes a difference.
    pub added: Vec<DifferenceReport>,
    /// Facts of only the old policy.
    pub removed: Vec<DifferenceReport>,
    /// The reason why worlds of any size do not distinguish the policies.
    pub argument: Option<String>,
    /// The reason why more differences are possible.
    pub undecided: Option<String>,
    /// The maximum number of facts of a world.
    pub facts: usize,
    /// The solver that decided, if any.
    pub solver: Option<&'static str>,
    /// True if the direction without a difference is undecided.
    #[serde(skip)]
    pub is_one_way_open: bool,
}

/// A fact that only one policy derives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceReport {
    pub atom: String,
    /// The location of the statement that causes the difference, for example `constitution.mg:44`.
    pub rule: Option<String>,
    /// The policy with the statement: `new`, `old` or `both`.
    pub rule_in: Option<&'static str>,
    pub world: Vec<String>,
    /// The derivation of the fact.
    pub proof: String,
}

impl ComparisonReport {
    pub fn add(&mut self, comparison: AtomComparison) {
        match comparison.answer {
            "equivalent" => self.summary.equivalent += 1,
            "not_decided" => self.summary.not_decided += 1,
            _ => self.summary.different += 1,
        }
        self.comparisons.push(comparison);
    }

    /// Human-readable text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for comparison in &self.comparisons {
            let _ = writeln!(out, "{}: {}", line(&comparison.predicate), comparison.sentence());
            for (side, differences) in comparison.sides() {
                for difference in differences {
                    difference.text(side, &mut out);
                }
            }
            out.push('\n');
        }
        let ComparisonSummary { equivalent, different, not_decided, .. } = self.summary;
        let _ = writeln!(out, "{equivalent} equivalent, {different} different, {not_decided} not decided");
        out
    }

    /// Markdown for a pull request. `old` and `new` are the names of the policies.
    #[must_use]
    pub fn markdown(&self, old: &str, new: &str) -> String {
        let (old, new) = (sink::code_span(old), sink::code_span(new));
        let mut out = format!("### What the policy gives: {old} against {new}\n\n");
        out.push_str("| Predicate | Answer |\n|---|---|\n");
        for comparison in &self.comparisons {
            let _ = writeln!(
                out,
                "| {} | {} |",
                sink::markdown_code(&comparison.predicate),
                sink::markdown_cell(&comparison.sentence())
            );
        }
        for comparison in &self.comparisons {
            for (side, differences) in comparison.sides() {
                for difference in differences {
                    difference.markdown(side, &mut out);
                }
            }
        }
        out
    }
}

impl AtomComparison {
    /// The answer as a sentence without a period.
    fn sentence(&self) -> String {
        let facts = if self.facts == 1 { "1 fact".to_owned() } else { format!("{} facts", self.facts) };
        let sentence = match self.answer {
            "equivalent" => match (&self.argument, self.solver) {
                (Some(why), _) => format!("no world tells the policies apart: {why}"),
                (None, None) => format!("no world of up to {facts} tells the policies apart"),
                (None, Some(solver)) => {
                    format!("no world of up to {facts} tells the policies apart, decided with {solver}")
                }
            },
            "adds" if self.is_one_way_open => "the new policy gives more".to_owned(),
            "adds" => "the new policy gives more, and nothing less".to_owned(),
            "removes" if self.is_one_way_open => "the new policy gives less".to_owned(),
            "removes" => "the new policy gives less, and nothing more".to_owned(),
            "both" => "the new policy gives facts that the old one does not give, and the reverse".to_owned(),
            _ => "not decided".to_owned(),
        };
        match &self.undecided {
            Some(why) if self.answer == "not_decided" => format!("{sentence}: {why}"),
            Some(why) => format!("{sentence}; there may be more differences: {why}"),
            None => sentence,
        }
    }

    fn sides(&self) -> [(&'static str, &[DifferenceReport]); 2] {
        [("new", &self.added), ("old", &self.removed)]
    }
}

impl DifferenceReport {
    fn text(&self, side: &str, out: &mut String) {
        let _ = writeln!(out, "  only the {side} policy gives {}", line(&self.atom));
        if let Some(why) = self.why(line) {
            let _ = writeln!(out, "    {why}");
        }
        let _ = writeln!(out, "    {}", self.world_header());
        self.world.iter().for_each(|fact| _ = writeln!(out, "      {}.", line(fact)));
        let _ = writeln!(out, "    proof:");
        self.proof.lines().for_each(|each| _ = writeln!(out, "      {each}"));
    }

    fn markdown(&self, side: &str, out: &mut String) {
        let _ = writeln!(out, "\n<details><summary>Only the {side} policy gives <code>", side = side);
        out.truncate(out.trim_end().len());
        let _ = write!(out, "{}</code>", sink::html_line(&self.atom));
        let code = |rule: &str| format!("<code>{}</code>", sink::html_line(rule));
        if let Some(why) = self.why(code) {
            let _ = write!(out, ": {why}");
        }
        let world: String = self.world.iter().map(|fact| format!("{}.\n", line(fact))).collect();
        let (header, world) = (capital(&self.world_header()), sink::markdown_fence(&world));
        let _ = writeln!(out, "</summary>\n\n{header}\n\n{world}");
        let _ = writeln!(out, "Proof:\n\n{}\n</details>", sink::markdown_fence(&self.proof));
    }

    /// The rule that causes the difference, formatted with `show`.
    fn why(&self, show: impl Fn(&str) -> String) -> Option<String> {
        let rule = show(self.rule.as_ref()?);
        Some(match self.rule_in {
            Some("both") => format!("because of {rule}"),
            Some(side) => format!("because of {rule}, which only the {side} policy has"),
            None => format!("because of {rule}"),
        })
    }

    fn world_header(&self) -> String {
        match self.world.len() {
            0 => "in the world without facts".to_owned(),
            1 => "in a world of 1 fact:".to_owned(),
            facts => format!("in a world of {facts} facts:"),
        }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
