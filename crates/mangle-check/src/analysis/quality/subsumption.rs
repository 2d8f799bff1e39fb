//! Check for rules that another rule makes redundant.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::matching::{ClauseText, Matching};
use crate::analysis::ProgramFindings;
use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Literal, Premise};

pub(super) static SUBSUMED_RULE: Rule = rule!("subsumed-rule.md");

/// Maximum number of rule pairs per predicate, and of premise pairs. Real programs need some
/// hundreds. The limit keeps checks of predicates with very many rules fast enough for typing.
const PAIRS: u32 = 1_000_000;
const PREMISES: u32 = 200_000;

/// The remaining work for one predicate.
struct Budget {
    pairs: u32,
    premises: u32,
}

pub(super) fn check(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    if predicate.signature.has_rules {
        let mut budget = Budget { pairs: PAIRS, premises: PREMISES };
        check_predicate(program, predicate, &mut budget, out);
    }
}

/// A rule and its requirements as bits. If a rule has a bit that another rule lacks, it cannot
/// subsume that rule.
struct Candidate<'p> {
    site: Site<'p>,
    rule: ClauseText<'p>,
    requirements: u64,
}

fn check_predicate(program: &Program, predicate: &Predicate, budget: &mut Budget, out: &mut ProgramFindings) {
    let mut sites = program.rules(predicate);
    let Some(first) = sites.next() else { return };
    let Some(second) = sites.next() else { return };
    let candidates: Vec<_> = [first, second].into_iter().chain(sites).filter_map(candidate).collect();
    for (at, special) in candidates.iter().enumerate() {
        if budget.pairs == 0 || budget.premises == 0 {
            return;
        }
        let general = candidates.iter().enumerate().find(|(other, general)| {
            let Some(left) = budget.pairs.checked_sub(1) else { return false };
            budget.pairs = left;
            if general.requirements & !special.requirements != 0 || *other == at || budget.premises == 0 {
                return false;
            }
            let subsumes = |one: &Candidate<'_>, two: &Candidate<'_>, left: &mut u32| {
                // `duplicate-clause` reports clauses with equal text.
                one.site.item.statement.digest != two.site.item.statement.digest
                    && Matching::subsumes(one.rule, two.rule, left)
            };
            // Of two equivalent rules, the later one is reported.
            subsumes(general, special, &mut budget.premises)
                && (*other < at || !subsumes(special, general, &mut budget.premises))
        });
        if let Some((_, general)) = general {
            report(general, special, out);
        }
    }
}

/// A comparable rule: not temporal, without a transform.
fn candidate(site: Site<'_>) -> Option<Candidate<'_>> {
    let rule = ClauseText::from_item(site.file, site.item)?;
    let clause = rule.clause;
    if clause.interval.is_some()
        || !clause.transforms.is_empty()
        || clause.literals().any(Literal::is_temporal)
    {
        return None;
    }
    let mut asks = 0;
    for premise in &clause.premises {
        if let Premise::Literal(literal) = premise {
            let mut hasher = FxHasher::default();
            (literal.atom.name.symbol, literal.is_negated()).hash(&mut hasher);
            asks |= 1 << (hasher.finish() >> 58);
        }
    }
    Some(Candidate { site, rule, requirements: asks })
}

fn report(general: &Candidate<'_>, special: &Candidate<'_>, out: &mut ProgramFindings) {
    let same = general.rule.clause.premises.len() == special.rule.clause.premises.len();
    let note = if same {
        "another rule derives the same facts from the same premises"
    } else {
        "another rule derives the same facts with fewer conditions"
    };
    let (file, statement, range) = general.site.place();
    let head = &special.rule.clause.head;
    let message = format!("redundant rule for `{}`", head.name.as_str());
    let finding = Finding::new(&SUBSUMED_RULE, head.range, message)
        .related(Span::new(file, statement, range), "other rule")
        .note(note);
    out.push(special.site.file.id, special.site.item.statement.id, finding);
}
