//! The types of the variables of a clause during inference, and type problems as data without message
//! text.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::types::Type;
use mangle_syntax::syntax::ast::Term;
use mangle_syntax::text::{Symbol, TextRange};

/// The source of the type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeOrigin {
    /// An argument of a premise.
    Argument {
        /// The index of the premise.
        premise: u32,
        /// The index of the argument.
        argument: u32,
    },
    /// The opposite side of `=`, or the right side of a `let`, at this range.
    Value(TextRange),
    /// A bound of an interval, at this range.
    Interval(TextRange),
    /// The declaration of an input argument of the head, by index.
    Head(u32),
}

/// The minimum number of variables for lookup with a hash map.
const MIN_HASHED_VARIABLES: usize = 24;

#[derive(Debug, Clone)]
struct Slot {
    ty: Type,
    origin: Option<TypeOrigin>,
}

/// The types of the variables of a clause in one alternative.
#[derive(Debug, Clone, Default)]
pub struct TypeState {
    /// The slot of each variable. `V = W` assigns the same slot to both.
    names: SmallVec<[(Symbol, u32); 8]>,
    /// The index of each variable in `names`. Empty below [`MIN_HASHED_VARIABLES`] variables.
    places: FxHashMap<Symbol, usize>,
    slots: SmallVec<[Slot; 8]>,
}

/// A failed narrowing of a variable.
#[derive(Debug, Clone)]
pub(super) struct Conflict {
    /// The type of the variable before the step.
    pub(super) found: Type,
    pub(super) origin: Option<TypeOrigin>,
    /// True if the types differ only in the names that clauses happen to contain.
    pub(super) names: bool,
}

impl TypeState {
    fn slot(&self, name: Symbol) -> Option<usize> {
        let found = match self.names.len() < MIN_HASHED_VARIABLES {
            true => self.names.iter().find(|(known, _)| *known == name),
            false => self.names.get(*self.places.get(&name)?),
        };
        found.map(|(_, slot)| *slot as usize)
    }

    /// The type of a variable, or `/any` if it is unknown.
    #[must_use]
    pub fn get(&self, name: Symbol) -> Type {
        self.known(name).map_or(Type::Any, |slot| slot.ty.clone())
    }

    /// The type of a term, or `/any` if the engine would stop at the term.
    #[must_use]
    pub fn type_of(&self, term: &Term) -> Type {
        super::expression::type_or_any(term, self)
    }

    /// The source of the type of a variable.
    #[must_use]
    pub fn origin(&self, name: Symbol) -> Option<TypeOrigin> {
        self.known(name)?.origin
    }

    fn known(&self, name: Symbol) -> Option<&Slot> {
        self.slots.get(self.slot(name)?)
    }

    fn slot_or_new(&mut self, name: Symbol) -> usize {
        self.slot(name).unwrap_or_else(|| {
            let slot = self.slots.len();
            self.slots.push(Slot { ty: Type::Any, origin: None });
            self.names.push((name, u32::try_from(slot).unwrap_or(u32::MAX)));
            let at = self.names.len() - 1;
            if at + 1 == MIN_HASHED_VARIABLES {
                self.places = self.names.iter().enumerate().map(|(at, (name, _))| (*name, at)).collect();
            } else if at + 1 > MIN_HASHED_VARIABLES {
                self.places.insert(name, at);
            }
            slot
        })
    }

    /// Narrows a variable to `ty`.
    pub(super) fn narrow(&mut self, name: Symbol, ty: &Type, origin: TypeOrigin) -> Result<(), Conflict> {
        let slot = self.slot_or_new(name);
        let Some(slot) = self.slots.get_mut(slot) else { return Ok(()) };
        let meet = slot.ty.meet(ty);
        if meet.is_bottom() && !slot.ty.is_bottom() && !ty.is_bottom() {
            return Err(conflict(&slot.ty, slot.origin, ty));
        }
        if meet != slot.ty {
            slot.ty = meet;
            slot.origin = Some(origin);
        } else if slot.origin.is_none() {
            slot.origin = Some(origin);
        }
        Ok(())
    }

    /// Replaces the type of a variable.
    pub(super) fn set(&mut self, name: Symbol, ty: Type, origin: Option<TypeOrigin>) {
        let slot = self.slot_or_new(name);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Slot { ty, origin };
        }
    }

    /// Makes two variables share one slot.
    pub(super) fn equate(&mut self, one: Symbol, other: Symbol, origin: TypeOrigin) -> Result<(), Conflict> {
        let (kept, gone) = (self.slot_or_new(one), self.slot_or_new(other));
        if kept == gone {
            return Ok(());
        }
        let Some(lost) = self.slots.get(gone).cloned() else { return Ok(()) };
        let origin = lost.origin.unwrap_or(origin);
        if !lost.ty.is_any() {
            self.narrow(one, &lost.ty, origin)?;
        }
        for (_, slot) in &mut self.names {
            if *slot as usize == gone {
                *slot = u32::try_from(kept).unwrap_or(u32::MAX);
            }
        }
        Ok(())
    }

    /// Widens every variable to include its type in `other`, a state after the same premises.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (slot, twin) in self.slots.iter_mut().zip(&other.slots) {
            slot.ty = slot.ty.join(&twin.ty);
        }
    }
}

/// The conflict between a value of type `found` and the expected type `wanted`.
pub(super) fn conflict(found: &Type, origin: Option<TypeOrigin>, wanted: &Type) -> Conflict {
    // A literal of this clause is exact. Literals of other clauses are only examples of values.
    let examples = match origin {
        Some(TypeOrigin::Argument { .. }) => found.generalised(),
        _ => found.clone(),
    };
    let names = examples.overlaps(&wanted.generalised());
    Conflict { found: found.clone(), origin, names }
}

/// A type conflict in a clause.
#[derive(Debug, Clone)]
pub struct TypeProblem {
    /// The kind of conflict.
    pub kind: TypeProblemKind,
    /// The term, argument or operator at fault, relative to the start of the statement.
    pub range: TextRange,
    /// The variable at fault, if the term is a variable.
    pub variable: Option<Symbol>,
    /// The type of the term.
    pub found: Type,
    /// The source of the type of the term.
    pub origin: Option<TypeOrigin>,
    /// The expected type. For a comparison, the type of the opposite side.
    pub wanted: Type,
    /// True if the types differ only in the names that clauses happen to contain.
    pub differs_only_in_names: bool,
}

/// The kind of a type conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeProblemKind {
    /// An argument of a premise does not fit the column of its relation.
    Premise {
        /// The index of the premise.
        premise: u32,
        /// The index of the argument.
        argument: u32,
        /// True if the premise is negated. A negated premise with a conflict always holds.
        negated: bool,
    },
    /// An argument of a function does not fit its parameter. The engine stops there.
    Argument {
        /// The function, as spelled in the clause.
        function: Symbol,
        /// The index of the argument.
        argument: u32,
    },
    /// The struct has no field with this label.
    Field(Symbol),
    /// The argument of a reducer has the wrong type.
    Reducer {
        /// The reducer.
        function: Symbol,
    },
    /// The two sides of `=` or `!=` have no value in common.
    Equality {
        /// The index of the premise.
        premise: u32,
        /// True for `!=`.
        negated: bool,
    },
    /// A side of `<`, `<=`, `>` or `>=` is not a number.
    Ordering {
        /// The index of the premise.
        premise: u32,
        /// True for the left side.
        left: bool,
    },
    /// A variable that bounds an interval is not an instant.
    Interval,
    /// An argument of the head does not fit its declaration.
    Head {
        /// The index of the argument.
        argument: u32,
        /// The index of the nearest declared row.
        row: u32,
    },
}

impl TypeProblemKind {
    /// True if the rule derives nothing because of the problem, or stops the evaluation. The types
    /// of its head are then unknown.
    #[must_use]
    pub fn is_fatal(self) -> bool {
        !matches!(
            self,
            Self::Equality { negated: true, .. } | Self::Premise { negated: true, .. } | Self::Head { .. }
        )
    }
}
