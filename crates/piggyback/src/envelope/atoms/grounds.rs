//! What the permissions of a policy rest on: the predicates that its rules consult before they permit a request, and
//! those that keep it from denying one.
//!
//! Takes a program and what `[replay]` calls its predicates; gives for each predicate by which rule it is consulted.

use super::declaration_place::DeclarationPlace;
use mangle_engine::program::{Influences, PredicateId, PredicateKey, Program};
use mangle_settings::ReplaySettings;
use mangle_syntax::text::Symbol;

/// How many arguments a permission has: action, target, payload.
pub const PERMISSION: u16 = 3;

/// The predicates whose facts silence the gate in front of the constitution.
const APPEALS: [&str; 2] = ["has_active_override", "active_override"];

/// The predicates that permit and deny.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// What permits a request.
    pub permit: Option<PredicateId>,
    /// What silences the gate in front of the constitution.
    pub appeals: Vec<PredicateId>,
    /// What denies a reply as a whole.
    pub block: Vec<PredicateId>,
    /// What says why a request is denied.
    pub deny: Vec<PredicateId>,
}

/// A rule that consults a predicate before a request is permitted.
#[derive(Debug, Clone, Copy)]
pub struct Ground {
    /// The premise that reads it; `None` where the gate itself does.
    pub place: Option<DeclarationPlace>,
    /// The predicate that the rule derives.
    pub by: &'static str,
    /// The predicate that permits or denies in the end.
    pub root: &'static str,
    /// Whether a fact of it can make a permission hold, or lift what speaks against one.
    pub grants: bool,
}

impl Roots {
    /// The predicates of a program that permit and deny.
    #[must_use]
    pub fn of(program: &Program, settings: &ReplaySettings) -> Self {
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

    /// What a permission depends on, reasons for denials included.
    #[must_use]
    pub fn consulted(&self, program: &Program) -> Influences {
        let against: Vec<_> = self.block.iter().chain(&self.deny).copied().collect();
        Influences::new(program, &self.permits(), &against)
    }

    /// The predicates that decide whether something is permitted or blocked. None if the program does neither.
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

/// What the permissions of a program rest on.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    consulted: Influences,
    /// True if nothing permits requests. Replies then assert the facts that rules block, so only facts that lift a block decide.
    only_blocks: bool,
}

impl Grounds {
    pub(super) fn of(program: &Program, settings: &ReplaySettings) -> Self {
        let roots = Roots::of(program, settings);
        let permits = |id: PredicateId| program.clauses(program.get(id)).next().is_some();
        Self { consulted: roots.decisive(program), only_blocks: !roots.permit.is_some_and(permits) }
    }

    /// How a predicate decides about permissions; `None` where it does not.
    pub(super) fn get(&self, program: &Program, predicate: PredicateId) -> Option<Ground> {
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
        Some(Ground {
            place,
            by: name(consult.edge.map_or(consult.root, |edge| edge.from)),
            root: name(consult.root),
            grants,
        })
    }
}
