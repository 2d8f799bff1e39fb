//! The predicates whose facts influence permissions or commands through the rules of a policy.
//!
//! For permissions, the inputs are a program and the predicate names in `[replay]`. The result
//! contains, for each predicate, the rule that uses it. For commands, `prose_only(/P)` exempts the
//! strings of `P` from the check for shell characters, unless a rule leads from `P` to an
//! `exec_sink`.

use rustc_hash::FxHashSet;

use super::DeclarationPlace;
use mangle_engine::program::{Influences, Predicate, PredicateId, PredicateKey, Program};
use mangle_settings::ReplaySettings;
use mangle_syntax::syntax::ast::TermKind;
use mangle_syntax::text::Symbol;

/// The arity of a permission: action, target, payload.
pub const PERMISSION: u16 = 3;

/// The predicates whose facts bypass the gate before the constitution.
const APPEALS: [&str; 2] = ["has_active_override", "active_override"];

/// The predicates that permit and deny.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// The predicate that permits a request.
    pub permit: Option<PredicateId>,
    /// The predicates that bypass the gate before the constitution.
    pub appeals: Vec<PredicateId>,
    /// The predicates that deny a whole reply.
    pub block: Vec<PredicateId>,
    /// The predicates with reasons for denied requests.
    pub deny: Vec<PredicateId>,
}

/// A rule that uses a predicate before a request is permitted.
#[derive(Debug, Clone, Copy)]
pub struct PermissionDependency {
    /// The location of the premise. `None` if the gate itself uses the predicate.
    pub place: Option<DeclarationPlace>,
    /// The predicate that the rule derives.
    pub by: &'static str,
    /// The predicate that finally permits or denies.
    pub root: &'static str,
    /// True if a fact can cause a permission or remove a reason against it.
    pub grants: bool,
}

impl Roots {
    /// Returns the predicates of a program that permit and deny.
    #[must_use]
    pub fn from_program(program: &Program, settings: &ReplaySettings) -> Self {
        let all = |name: &str| {
            let named = program.named(Symbol::new(name));
            named.filter_map(|predicate| program.id(predicate.key)).collect::<Vec<_>>()
        };
        let any = |names: &mut dyn Iterator<Item = &str>| names.flat_map(all).collect();
        Self {
            permit: program.id(PredicateKey { name: Symbol::new(&settings.permit), arity: PERMISSION }),
            appeals: any(&mut APPEALS.into_iter()),
            block: all(&settings.block),
            deny: any(&mut settings.deny.iter().map(String::as_str)),
        }
    }

    /// Returns the predicates that affect a permission, including reasons for denials.
    #[must_use]
    pub fn consulted(&self, program: &Program) -> Influences {
        let against: Vec<_> = self.block.iter().chain(&self.deny).copied().collect();
        Influences::new(program, &self.permits(), &against)
    }

    /// Returns the predicates that decide about permissions and blocks. Empty if the program has
    /// neither.
    fn decisive(&self, program: &Program) -> Influences {
        match self.permit.is_none() && self.block.is_empty() {
            true => Influences::default(),
            false => Influences::new(program, &self.permits(), &self.block),
        }
    }

    fn permits(&self) -> Vec<PredicateId> {
        self.permit.iter().chain(&self.appeals).copied().collect()
    }
}

/// The predicates that affect the permissions of a program.
#[derive(Debug, Default)]
pub(super) struct PermissionDependencies {
    consulted: Influences,
    /// True if no rule permits requests.
    ///
    /// Replies then assert the facts that rules block. Therefore only facts that remove a block are
    /// decisive.
    only_blocks: bool,
}

impl PermissionDependencies {
    pub(super) fn from_program(program: &Program, settings: &ReplaySettings) -> Self {
        let roots = Roots::from_program(program, settings);
        let permits = |id: PredicateId| program.clauses(program.get(id)).next().is_some();
        Self { consulted: roots.decisive(program), only_blocks: !roots.permit.is_some_and(permits) }
    }

    /// Returns the influence of a predicate on permissions, or `None`.
    pub(super) fn get(&self, program: &Program, predicate: PredicateId) -> Option<PermissionDependency> {
        let consult = self.consulted.get(predicate)?;
        let grants = consult.grants || consult.removes_obstacle;
        if self.only_blocks && !grants {
            return None;
        }
        let name = |predicate: PredicateId| program.get(predicate).key.name.as_str();
        let place = consult.edge.and_then(|edge| {
            let file = program.files.get(edge.file as usize)?;
            Some((file.id, file.items.get(edge.item as usize)?.statement.id, edge.range))
        });
        Some(PermissionDependency {
            place,
            by: name(consult.edge.map_or(consult.root, |edge| edge.from)),
            root: name(consult.root),
            grants,
        })
    }
}

/// The predicate that exempts other predicates from the string check.
const PROSE: &str = "prose_only";

/// The predicate that lists the predicates with an effect in the host.
const SINKS: &str = "exec_sink";

/// Returns the predicates of a program whose strings may contain shell characters.
pub(super) fn prose_predicates(program: &Program) -> FxHashSet<&'static str> {
    let sinks = sinks(program);
    let is_free = |name: &&'static str| reached(program, name).is_disjoint(&sinks);
    // If there is no sink, the runtime exempts no predicates.
    let declared = if sinks.is_empty() { Vec::new() } else { listed(program, PROSE) };
    declared.into_iter().filter(is_free).collect()
}

/// Returns the predicates that are declared `prose_only` although rules lead to an `exec_sink`,
/// each with the sink.
#[must_use]
pub fn contradicted_prose(program: &Program) -> Vec<(&'static str, &'static str)> {
    let sinks = sinks(program);
    let sink = |name: &'static str| Some((name, *reached(program, name).intersection(&sinks).min()?));
    listed(program, PROSE).into_iter().filter_map(sink).collect()
}

fn sinks(program: &Program) -> FxHashSet<&'static str> {
    listed(program, SINKS).into_iter().collect()
}

/// Returns the predicates named in the facts of a predicate.
fn listed(program: &Program, name: &str) -> Vec<&'static str> {
    let Some(predicate) = program.predicate(PredicateKey { name: Symbol::new(name), arity: 1 }) else {
        return Vec::new();
    };
    let named = program.clauses(predicate).filter_map(|site| {
        let clause = site.item.statement.clause().filter(|clause| clause.is_fact())?;
        match &clause.head.args.first()?.kind {
            TermKind::Name(name) => Some(name.as_str().trim_start_matches('/')),
            _ => None,
        }
    });
    named.collect()
}

/// Returns the predicates that rules derive from a predicate in any number of steps, including the
/// predicate itself.
fn reached(program: &Program, name: &'static str) -> FxHashSet<&'static str> {
    let mut reached = FxHashSet::from_iter([name]);
    let mut open: Vec<&Predicate> = program.named(Symbol::new(name)).collect();
    while let Some(predicate) = open.pop() {
        for (site, _) in program.uses(predicate) {
            let Some(clause) = site.item.statement.clause() else { continue };
            let head = clause.head.name.symbol;
            if reached.insert(head.as_str()) {
                open.extend(program.named(head));
            }
        }
    }
    reached
}
