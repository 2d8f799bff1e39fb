//! Truth of a ground atom, with a one-line explanation.

use super::{Evaluation, PlaceNames, cut};
use mangle_engine::kernel::{Ground, Miss, Obstacle, Proof, RuleId, evaluate};
use mangle_engine::program::{FileSummary, PredicateId};
use mangle_report::sink::code_span;
use mangle_syntax::syntax::ast::{Atom, Clause};

/// Maximum number of premises or rules in an explanation.
const NAMED: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomTruth {
    pub holds: bool,
    /// Explanation as the end of a sentence, at most one line. Empty if no explanation is
    /// available.
    pub because: String,
}

impl Evaluation {
    /// Returns the truth of a ground atom in `file`. The ranges of the atom refer to `text`. `None`
    /// for atoms with variables, built-ins, unknown predicates, and predicates that are deferred or
    /// external.
    #[must_use]
    pub fn holds(
        &self,
        file: &FileSummary,
        atom: &Atom,
        text: &str,
        places: PlaceNames<'_>,
    ) -> Option<AtomTruth> {
        let predicate = self.program.id(self.program.meaning(file, mangle_engine::program::key_of(atom)))?;
        let signature = &self.program.get(predicate).signature;
        if atom.is_builtin() || signature.deferred || signature.external {
            return None;
        }
        let mut model = self.model.write();
        let mut wanted = Vec::with_capacity(atom.args.len());
        for term in &atom.args {
            let value = evaluate(term, text, &mut model.values, Some(&self.clock)).ok().flatten()?;
            wanted.push(value);
        }
        // For a temporal predicate, any interval matches.
        let fits = |tuple: &[_]| tuple.get(..wanted.len()) == Some(wanted.as_slice());
        let relation = model.relation(predicate)?;
        let number = (0u32..).zip(relation.tuples()).find(|(_, tuple)| fits(tuple)).map(|(number, _)| number);
        Some(match number {
            Some(number) => {
                let proof = model.explain(&self.compiled, self.clock, predicate, number);
                AtomTruth { holds: true, because: self.why(&proof, places) }
            }
            None => {
                let wanted: Vec<_> = wanted.into_iter().map(Some).collect();
                let misses = model.why_not(&self.compiled, self.clock, predicate, &wanted);
                AtomTruth { holds: false, because: self.why_not(&misses, predicate, places) }
            }
        })
    }

    fn why(&self, proof: &Proof, places: PlaceNames<'_>) -> String {
        let Some(root) = proof.nodes.first() else { return String::new() };
        if root.rule == RuleId::ASSERTED {
            return "a fact of the sample".to_owned();
        }
        let place = self.place(root.rule, places);
        let clause = self.evaluated(root.rule).and_then(|(_, item)| item.statement.clause());
        let is_fact = clause.is_some_and(Clause::is_fact);
        if is_fact {
            return format!("a fact at {place}");
        }
        let grounds = root.steps.iter().map(|step| match &step.ground {
            Ground::Fact(at) => {
                let fact = proof.nodes.get(*at).map_or_else(String::new, |node| cut(node.fact.clone()));
                code_span(&fact)
            }
            Ground::Absent(fact) => format!("no {}", code_span(&cut(fact.clone()))),
            Ground::Dropped(text) => format!("{}, which the engine ignores", code_span(&cut(text.clone()))),
            Ground::Holds(text) => code_span(&cut(text.clone())),
            Ground::Rows { count, .. } => format!("a group of {count}"),
        });
        let grounds: Vec<_> = grounds.collect();
        let mut said = format!("by the rule at {place}");
        if !grounds.is_empty() {
            said.push_str(" from ");
            said.push_str(&grounds.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "));
        }
        if grounds.len() > NAMED {
            said.push_str(&format!(" and {} more", grounds.len() - NAMED));
        }
        said
    }

    /// The rule that came closest is unknown, so the first few rules are named.
    fn why_not(&self, misses: &[Miss], predicate: PredicateId, places: PlaceNames<'_>) -> String {
        if misses.is_empty() {
            let has_rules = self.program.get(predicate).signature.has_rules;
            let says = if has_rules {
                "no rule derives it"
            } else {
                "this fact does not exist, and the predicate has no rules"
            };
            return says.to_owned();
        }
        let of = |miss: &Miss| {
            let place = self.place(miss.rule, places);
            match &miss.obstacle {
                Obstacle::Head { argument, has } => {
                    format!("{place} derives {} as argument {}", code_span(&cut(has.clone())), argument + 1)
                }
                Obstacle::Premise { asked, .. } if asked.starts_with('!') => {
                    format!("{place} requires {}", code_span(&cut(asked.clone())))
                }
                Obstacle::Premise { asked, .. } => {
                    format!("{place} finds no {}", code_span(&cut(asked.clone())))
                }
                Obstacle::Groups { .. } => format!("{place} has no matching group"),
                Obstacle::TooMany => format!("{place} has too many combinations to check"),
            }
        };
        let mut said: Vec<_> = misses.iter().take(NAMED).map(of).collect();
        if misses.len() > NAMED {
            said.push(format!("{} more rules do not derive it", misses.len() - NAMED));
        }
        said.join("; ")
    }
}
