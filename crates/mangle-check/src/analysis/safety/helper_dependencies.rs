//! Dependencies of helper fixes on other clauses, so that an edit only recomputes the affected
//! fixes.

use std::hash::{Hash as _, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use super::helper::{USES_SEARCHED, candidates, fresh_name, is_called_like_a_helper, stem};
use crate::analysis::CheckContext;
use mangle_engine::program::{Difference, Predicate, Program};
use mangle_syntax::syntax::ast::Clause;
use mangle_syntax::text::Symbol;

/// A hash of everything outside of a clause that determines the helpers of its fixes.
pub(crate) fn helper_fingerprint(context: &CheckContext<'_>, clause: &Clause) -> u64 {
    let mut hasher = FxHasher::default();
    for literal in clause.literals().filter(|literal| literal.is_negated()) {
        fresh_name(context, &literal.atom).hash(&mut hasher);
        for (item, clause) in
            context.predicate(&literal.atom).into_iter().flat_map(|it| candidates(context, it))
        {
            (item.statement.id, clause.head.name.symbol).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Adds the names that a clause negates, in the form of [`with_other_helpers`].
pub(crate) fn negated_names(context: &CheckContext<'_>, clause: &Clause, names: &mut FxHashSet<Symbol>) {
    for literal in clause.literals().filter(|literal| literal.is_negated()) {
        names.insert(Symbol::new(&stem(literal.atom.name.as_str())));
        names.extend(context.predicate(&literal.atom).map(|predicate| predicate.key.name));
    }
}

/// The predicates whose helpers can differ after a change of `program`, including name stems of
/// helpers.
pub(crate) fn with_other_helpers(program: &Program, difference: &Difference) -> FxHashSet<Symbol> {
    let touched = || difference.touched.iter().map(|id| program.get(*id));
    let mut names = FxHashSet::default();
    let mut has_helpers = false;
    for helper in touched() {
        let name = helper.key.name.as_str();
        let name = name.rsplit('.').next().unwrap_or(name);
        if !is_called_like_a_helper(name) {
            continue;
        }
        has_helpers = true;
        if let Some(numbered) = name.strip_prefix("has_") {
            names
                .extend([numbered, numbered.trim_end_matches(|c: char| c.is_ascii_digit())].map(Symbol::new));
        }
        for site in program.clauses(helper).take(2) {
            let literals = site.item.statement.clause().into_iter().flat_map(Clause::literals);
            let used = literals.filter_map(|literal| program.predicate_of(site.file, &literal.atom));
            names.extend(used.map(|predicate| predicate.key.name));
        }
    }
    // A removed rule no longer lists its uses. If a predicate has many uses, the searched part can
    // change.
    let is_searched_in_part = |predicate: &&Predicate| program.uses(predicate).nth(USES_SEARCHED).is_some();
    let others = touched().filter(|predicate| has_helpers || is_searched_in_part(predicate));
    names.extend(others.map(|predicate| predicate.key.name));
    names
}
