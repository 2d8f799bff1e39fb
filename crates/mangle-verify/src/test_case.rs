//! Conversion of the world of an answer to a policy test case, which passes when the policy is
//! corrected.

use mangle_check::policy_test::property::{Claim, Condition, Connective, Piece, Property};
use mangle_engine::kernel::{Ground, Proof, ProofNode, RuleId};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Item, Literal, Premise};
use mangle_syntax::text::{Symbol, slice};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Verdict};

/// Returns a test case with the facts of a world and its expected results. `None` if no world or no
/// expectation exists.
///
/// If several facts must not hold together, the case forbids the fact of the predicate `permit`, or
/// the first derived fact.
#[must_use]
pub fn test_case(property: &Property, answer: &Answer, permit: &str) -> Option<String> {
    let (world, (proof, _)) = (answer.world.as_ref()?, answer.proof.as_ref()?);
    let Ok(Claim::Condition(condition)) = &property.claim else { return None };
    let solution = Solution::new(condition, proof)?;
    let expected = match answer.verdict {
        Verdict::Possible => solution.expected(),
        Verdict::Violated => solution.prevented(condition, permit)?,
        _ => return None,
    };
    let facts: String = world.iter().map(|fact| format!("{fact}.\n")).collect();
    (!expected.is_empty()).then(|| format!("# @test name: {}\n{facts}{}", property.name, expected.join("\n")))
}

/// The solution of a body.
struct Solution<'p> {
    proof: &'p Proof,
    goal: &'p ProofNode,
    /// The values of the variables of the body, as text.
    bindings: FxHashMap<Symbol, String>,
}

impl<'p> Solution<'p> {
    fn new(condition: &Condition, proof: &'p Proof) -> Option<Self> {
        let goal = proof.nodes.first()?;
        // The proof does not identify the body if there are several.
        let [body] = condition.bodies.as_slice() else { return None };
        let mut solution = Self { proof, goal, bindings: FxHashMap::default() };
        let (source, _) = rule(body);
        let clause = clause(&source)?;
        for step in &goal.steps {
            let premise = clause.premises.get(step.premise as usize);
            if let (Some(Premise::Literal(literal)), Ground::Fact(fact)) = (premise, &step.ground) {
                solution.bind(literal, &proof.nodes.get(*fact)?.fact);
            }
        }
        Some(solution)
    }

    /// Binds the variables of a premise to the arguments of the matching fact.
    fn bind(&mut self, literal: &Literal, fact: &str) {
        let text = format!("{fact}.");
        let source = SourceFile::parse(text.as_str().into());
        let Some(head) = clause(&source).map(|clause| &clause.head) else { return };
        for (term, value) in literal.atom.args.iter().zip(&head.args) {
            if let Some(name) = term.variable() {
                self.bindings.insert(name, slice(&text, value.range).to_owned());
            }
        }
    }

    /// Returns the derived facts that match the premises.
    fn derived(&self) -> impl Iterator<Item = &str> {
        let facts = self.goal.steps.iter().filter_map(|step| match step.ground {
            Ground::Fact(fact) => self.proof.nodes.get(fact),
            _ => None,
        });
        facts.filter(|node| node.rule != RuleId::ASSERTED).map(|node| node.fact.as_str())
    }

    /// Returns the patterns of the negations of the body.
    fn absent(&self) -> impl Iterator<Item = &str> {
        let steps = self.goal.steps.iter();
        let patterns = steps.filter_map(|step| match &step.ground {
            Ground::Absent(pattern) => Some(pattern.as_str()),
            _ => None,
        });
        patterns.filter(|pattern| pattern.contains('('))
    }

    /// Returns the expectations that hold in the world.
    fn expected(&self) -> Vec<String> {
        let expected = self.derived().map(|fact| format!("# @expect {fact}"));
        expected.chain(self.absent().map(|pattern| format!("# @forbid {pattern}"))).collect()
    }

    /// Returns expectations that would prevent the violation.
    fn prevented(&self, condition: &Condition, permit: &str) -> Option<Vec<String>> {
        if let Some((Connective::Then, alternatives)) = &condition.connective {
            return Some(vec![format!("# @expect {}", self.alternative(alternatives.first()?)?)]);
        }
        let is_permission = |fact: &&str| fact.split('(').next() == Some(permit);
        let forbidden = self.derived().find(is_permission).or_else(|| self.derived().next());
        let forbidden = forbidden.map(|fact| format!("# @forbid {fact}"));
        let expected = || self.absent().next().map(|pattern| format!("# @expect {pattern}"));
        Some(vec![forbidden.or_else(expected)?])
    }

    /// Returns the first atom of an alternative, with the values of the solution.
    fn alternative(&self, piece: &Piece) -> Option<String> {
        let (source, text) = rule(piece);
        let literal = clause(&source)?
            .literals()
            .find(|literal| !literal.is_negated() && !literal.atom.is_builtin())?;
        let args = literal.atom.args.iter().map(|term| match term.variable() {
            Some(name) => self.bindings.get(&name).cloned().unwrap_or_else(|| "_".to_owned()),
            None => slice(&text, term.range).to_owned(),
        });
        Some(format!("{}({})", literal.atom.name.as_str(), args.collect::<Vec<_>>().join(", ")))
    }
}

/// Parses premises as a rule. Returns its source and text.
fn rule(piece: &Piece) -> (SourceFile, String) {
    let text = format!("solution() :- {} .", piece.text);
    (SourceFile::parse(text.as_str().into()), text)
}

fn clause(source: &SourceFile) -> Option<&Clause> {
    let item: &Item = source.items().first()?;
    item.statement.clause().filter(|_| !item.statement.damaged)
}
