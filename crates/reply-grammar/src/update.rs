//! Updates of an envelope: one fact each, of a predicate that the model can assert.

use piggyback::envelope::atoms::{DeclaredPredicate, is_delicate};
use piggyback::envelope::runtime::{accepts, consumer_of};

use crate::argument::{UnenforcedConstraint, argument, rows};
use crate::expr::Expr;
use crate::policy::{Policy, candidates};
use crate::term::TermLimits;

/// A predicate, by name and arity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Predicate {
    /// The name of the predicate.
    pub name: String,
    /// The number of arguments.
    pub arity: usize,
}

/// A candidate predicate that is not generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omitted {
    /// The predicate.
    pub predicate: Predicate,
    /// The reason, as the end of a sentence.
    pub why: String,
}

/// The set of allowed updates.
#[derive(Debug)]
pub(crate) struct Updates {
    /// The text of an update; `None` if no updates are allowed.
    pub(crate) expr: Option<Expr>,
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) omitted: Vec<Omitted>,
    /// The unenforced constraints of arguments, without duplicates.
    pub(crate) gaps: Vec<(UnenforcedConstraint, Predicate)>,
}

/// The arguments of a predicate, one list for each row of bounds.
struct Fact<'d> {
    name: &'d str,
    arguments: Vec<Vec<Expr>>,
}

impl Updates {
    pub(crate) fn from_policy(policy: &Policy<'_>) -> Self {
        let mut updates = Self { expr: None, predicates: Vec::new(), omitted: Vec::new(), gaps: Vec::new() };
        let mut facts = Vec::new();
        let runtime = policy.transcripts.caps.runtime;
        let limits = TermLimits { decoding: policy.decoding, runtime };
        for declared in candidates(policy) {
            let predicate = || Predicate { name: declared.name.to_owned(), arity: declared.arity };
            if updates.predicates.len() >= policy.decoding.max_predicates {
                let why = format!("`max_predicates` is {}", policy.decoding.max_predicates);
                updates.omitted.push(Omitted { predicate: predicate(), why });
                continue;
            }
            match fact(declared, limits) {
                Ok((fact, gaps)) => {
                    updates.gaps.extend(gaps.into_iter().map(|gap| (gap, predicate())));
                    updates.predicates.push(predicate());
                    facts.push(fact);
                }
                Err(why) => updates.omitted.push(Omitted { predicate: predicate(), why }),
            }
        }
        updates.omit_deciding(policy);
        if !facts.is_empty() && policy.most_updates() > 0 {
            updates.expr = Some(expression(&facts, policy.has_full_stops()));
        }
        updates
    }

    /// Adds the predicates that are omitted only because they permit requests or override a block.
    fn omit_deciding(&mut self, policy: &Policy<'_>) {
        let Policy { declarations, transcripts, .. } = policy;
        for declared in declarations.all() {
            let Some(ground) = declared.ground.filter(|ground| ground.grants) else { continue };
            let predicate = Predicate { name: declared.name.to_owned(), arity: declared.arity };
            let is_free = declared.derived.is_none()
                && !declared.is_external
                && accepts(consumer_of(transcripts), declared.name)
                && !is_delicate(declared.name, &transcripts.atoms);
            let is_known = self.predicates.contains(&predicate)
                || self.omitted.iter().any(|omitted| omitted.predicate == predicate);
            if is_free && !is_known {
                let why = format!("a fact of it decides about `{}`", ground.root);
                self.omitted.push(Omitted { predicate, why });
            }
        }
    }
}

/// The facts of a predicate, or the reason why it is not generated.
fn fact<'d>(
    declared: &'d DeclaredPredicate,
    limits: TermLimits<'_>,
) -> Result<(Fact<'d>, Vec<UnenforcedConstraint>), String> {
    let mut fact = Fact { name: declared.name, arguments: Vec::new() };
    let (mut gaps, mut problem) = (Vec::new(), None);
    for row in rows(declared) {
        match arguments(declared, &row, limits) {
            Ok((arguments, more)) => {
                gaps.extend(more);
                if !fact.arguments.contains(&arguments) {
                    fact.arguments.push(arguments);
                }
            }
            Err(why) => problem = Some(why),
        }
    }
    if fact.arguments.is_empty() {
        return Err(problem.unwrap_or_else(|| "its bounds fit no constant".to_owned()));
    }
    if problem.is_some() {
        gaps.push(UnenforcedConstraint::Parts);
    }
    gaps.sort_unstable();
    gaps.dedup();
    Ok((fact, gaps))
}

/// The arguments of a predicate under one row of bounds.
fn arguments(
    declared: &DeclaredPredicate,
    row: &[mangle_engine::types::Type],
    limits: TermLimits<'_>,
) -> Result<(Vec<Expr>, Vec<UnenforcedConstraint>), String> {
    let mut gaps = Vec::new();
    let mut all = Vec::new();
    for (at, ty) in row.iter().enumerate() {
        let listed = declared.names.get(at).and_then(Option::as_ref);
        let found = argument(ty, listed, limits).map_err(|ty| {
            format!("no update can hold a value of `{ty}` in argument {}", declared.parameter(at))
        })?;
        gaps.extend(found.gaps);
        all.push(found.expr);
    }
    Ok((all, gaps))
}

/// The updates of all predicates. Predicates with the same arguments share them, which keeps
/// patterns short.
fn expression(facts: &[Fact<'_>], has_full_stops: bool) -> Expr {
    let mut groups: Vec<(Vec<&str>, &Vec<Vec<Expr>>)> = Vec::new();
    for fact in facts {
        match groups.iter_mut().find(|(_, arguments)| **arguments == fact.arguments) {
            Some((names, _)) => names.push(fact.name),
            None => groups.push((vec![fact.name], &fact.arguments)),
        }
    }
    let end = if has_full_stops { ")." } else { ")" };
    let group = |(names, rows): (Vec<&str>, &Vec<Vec<Expr>>)| {
        let names = Expr::choice(names.into_iter().map(Expr::literal).collect());
        let rows = Expr::choice(rows.iter().map(|row| listed(row)).collect());
        Expr::Sequence(vec![names, Expr::literal("("), rows, Expr::literal(end)])
    };
    Expr::choice(groups.into_iter().map(group).collect())
}

/// Arguments separated by a comma and a blank.
fn listed(arguments: &[Expr]) -> Expr {
    let mut parts = Vec::new();
    for argument in arguments {
        if !parts.is_empty() {
            parts.push(Expr::literal(", "));
        }
        parts.push(argument.clone());
    }
    Expr::Sequence(parts)
}
