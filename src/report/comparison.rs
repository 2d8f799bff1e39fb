//! What two policies give differently: as text, as Markdown for a pull request, and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::sink::{self, line};

/// Two policies, compared.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// One for each atom that was asked about.
    pub comparisons: Vec<AtomComparison>,
    /// How many came to what.
    pub summary: ComparisonSummary,
}

/// How many atoms came to what.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComparisonSummary {
    /// No world of the scope tells the policies apart.
    pub equivalent: usize,
    /// Some world does.
    pub different: usize,
    /// It is not known.
    pub not_decided: usize,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// What two policies give for an atom.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtomComparison {
    /// The atom, `permitted(Action, Target)`.
    pub predicate: String,
    /// `equivalent`, `adds`, `removes`, `both` or `not_decided`.
    pub answer: &'static str,
    /// What only the new policy gives, once for each statement that makes a difference.
    pub added: Vec<DifferenceReport>,
    /// What only the old policy gives.
    pub removed: Vec<DifferenceReport>,
    /// Why no world tells the policies apart, however large.
    pub argument: Option<String>,
    /// Why there may be more differences.
    pub undecided: Option<String>,
    /// How many facts a world had at most.
    pub facts: usize,
    /// The solver that decided, if one did.
    pub solver: Option<&'static str>,
    /// True if the direction without a difference is not decided.
    #[serde(skip)]
    pub is_one_way_open: bool,
}

/// A fact that one policy gives and the other does not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceReport {
    /// The fact.
    pub atom: String,
    /// The place of the statement that makes the difference, `constitution.mg:44`.
    pub rule: Option<String>,
    /// Which policy has that statement: `new`, `old` or `both`.
    pub rule_in: Option<&'static str>,
    /// The facts of the world.
    pub world: Vec<String>,
    /// What derives the fact.
    pub proof: String,
}

impl ComparisonReport {
    /// Adds a comparison.
    pub fn add(&mut self, comparison: AtomComparison) {
        match comparison.answer {
            "equivalent" => self.summary.equivalent += 1,
            "not_decided" => self.summary.not_decided += 1,
            _ => self.summary.different += 1,
        }
        self.comparisons.push(comparison);
    }

    /// For people.
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

    /// For a pull request. `names` are those of the old and of the new policy.
    #[must_use]
    pub fn markdown(&self, (old, new): (&str, &str)) -> String {
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
    /// The answer as a sentence without its full stop.
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

    /// The rule that makes the difference, as `show` writes its name.
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
