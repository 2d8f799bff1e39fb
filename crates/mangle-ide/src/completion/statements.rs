//! Completions of fact and rule heads.

use rustc_hash::FxHashMap;

use super::predicates::{is_here, local_key, local_name, push};
use super::ranking::CandidateCollector;
use super::{Completion, Request};
use mangle_engine::program::{Predicate, PredicateKey, key_of};
use mangle_syntax::syntax::ast::StatementKind;

/// Number of statements before and after the cursor that are examined.
const AROUND: usize = 40;

/// Adds all predicates that can have clauses.
pub(super) fn heads(request: &Request<'_>, items: &mut Vec<Completion>) {
    let program = request.place.program();
    let weights = around(request);
    let mut candidates = CandidateCollector::new(request.typed);
    // Clauses belong to the package of their file.
    let own = request.place.file.package.map_or("", |package| package.as_str());
    for predicate in program.predicates.iter() {
        if !candidates.may_let_through(predicate.letters) || predicate.key.package() != own {
            continue;
        }
        let is_meant = |name: &&str| candidates.accepts(name) && request.is_wanted(name);
        let Some(name) = local_name(request, predicate).filter(is_meant) else { continue };
        if !is_only_here(request, predicate) {
            candidates.add(name, predicate);
        }
    }
    push(request, candidates, |name, predicate| likelihood(request, &weights, name, predicate), items);
}

/// Returns the likelihood of a clause. `weights` contains the nearby predicates.
fn likelihood(
    request: &Request<'_>,
    weights: &FxHashMap<PredicateKey, f64>,
    name: &str,
    predicate: &Predicate,
) -> f64 {
    let signature = &predicate.signature;
    let near = weights.get(&predicate.key).copied().unwrap_or(0.0);
    let here = request.place.file.predicates.get(&local_key(predicate, name));
    let mut score = near;
    score += here.map_or(0.0, |there| if there.defines() { 0.3 } else { 0.15 });
    score += match (signature.declared.is_some(), signature.defined.is_some()) {
        (true, false) => 0.1,
        (true, true) => 0.05,
        (false, _) => 0.02,
    };
    // Premises use the predicate, but no clause defines it yet.
    if signature.defined.is_none() {
        score *= 1.5;
    }
    score *= request.fit(predicate.key.arity);
    // External facts have no clauses in the program.
    if signature.external || signature.host || signature.extensional && near == 0.0 {
        score *= 0.3;
    }
    score / (score + 1.0)
}

/// True if only the statement at the cursor mentions a predicate: the name is probably unfinished.
fn is_only_here(request: &Request<'_>, predicate: &Predicate) -> bool {
    let program = request.place.program();
    let signature = &predicate.signature;
    !signature.host
        && signature.declared.is_none()
        && program.clauses(predicate).all(|site| is_here(request, site.file, site.item))
        && program.uses(predicate).all(|(site, _)| is_here(request, site.file, site.item))
}

/// Returns the weighted predicates of nearby statements.
fn around(request: &Request<'_>) -> FxHashMap<PredicateKey, f64> {
    let (program, file) = (request.place.program(), request.place.file);
    let at = file.items.partition_point(|item| item.start < request.cursor.start);
    let mut weights: FxHashMap<PredicateKey, f64> = FxHashMap::default();
    for (index, item) in file.items.iter().enumerate().skip(at.saturating_sub(AROUND)).take(2 * AROUND) {
        if is_here(request, file, item) {
            continue;
        }
        let distance = f64::from(u32::try_from(index.abs_diff(at)).unwrap_or(u32::MAX));
        // Earlier statements weigh more than later ones.
        let weight =
            if index < at { 6.0 / (distance * distance + 1.0) } else { 4.0 / (distance * distance + 2.0) };
        match &item.statement.kind {
            StatementKind::Clause(clause) => {
                *weights.entry(program.meaning(file, key_of(&clause.head))).or_default() += weight;
                for literal in clause.literals() {
                    let key = program.meaning(file, key_of(&literal.atom));
                    *weights.entry(key).or_default() += 0.12 * weight;
                }
            }
            StatementKind::Declaration(declaration) => {
                let key = program.meaning(file, key_of(&declaration.atom));
                *weights.entry(key).or_default() += 0.3 * weight;
            }
            _ => {}
        }
    }
    weights
}
