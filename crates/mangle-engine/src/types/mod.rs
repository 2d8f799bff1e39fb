//! Type expressions, type values and type inference.
//!
//! - [`faults`] checks the type expressions of `bound […]`, in the notations `.List<T>` and
//!   `fn:List(T)`.
//! - [`Type`] is a type value, the canonical form for both notations. Tuples are pairs nested to the
//!   right, and tagged unions are unions of structs. A union is flat and sorted, and no member covers
//!   another. Cloning is cheap because parts are shared.
//! - [`ProgramTypes`] has the column types of each relation of a program.
//! - [`ClauseTypes`] has the types and the type conflicts of one clause.
//!
//! The module has no message texts and no findings.

mod expression;
mod infer;
mod lattice;
mod notation;
mod program;
mod rows;

pub use expression::{CONSTRUCTORS, Constructor, Fault, FaultKind, faults, visit_types};
pub use infer::{ClauseTypes, Relation, TypeOrigin, TypeProblem, TypeProblemKind, TypeState};
pub use lattice::is_below;
pub use program::{ProgramTypes, TypeCache};
pub use rows::{Row, Rows};

use std::sync::Arc;

use mangle_syntax::text::Symbol;

/// The maximum nesting depth of a type. Deeper parts are [`Type::Any`]. Types of real programs nest
/// three or four levels, but a recursive rule could nest types without end.
const MAX_DEPTH: usize = 12;

/// The maximum nesting depth of a type with an unlimited number of parts.
const UNLIMITED_DEPTH: usize = 4;

/// The maximum number of parts of a type that nests deeper than [`UNLIMITED_DEPTH`]. Each rule with
/// `fn:pair(X, X)` doubles the number of parts.
const MAX_PARTS: usize = 256;

/// A set of values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Every value, `/any`. Also used for unknown types.
    Any,
    /// All values of one kind.
    Base(Base),
    /// The names strictly below a name: `/role` contains `/role/admin`, but not `/role`.
    Prefix(Symbol),
    /// One name from a declaration, `.Singleton</red>`.
    Singleton(Symbol),
    /// One name from a clause. The set is the same as for a singleton, but a singleton is declared
    /// and a literal is only observed.
    Literal(Symbol),
    /// A type variable. Bound only in the signatures of built-ins, elsewhere it means any type.
    Variable(Symbol),
    /// `.List<T>`
    List(Arc<Type>),
    /// `.Option<T>`
    Option(Arc<Type>),
    /// `.Pair<A, B>`. `.Tuple<A, B, C>` is `.Pair<A, .Pair<B, C>>`.
    Pair(Arc<(Type, Type)>),
    /// `.Map<K, V>`
    Map(Arc<(Type, Type)>),
    /// `.Struct<…>`, with the fields sorted by label.
    Struct(Arc<[StructField]>),
    /// The values of all members: zero members (`/bot`) or at least two.
    Union(Arc<[Type]>),
}

/// A kind of values without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// `/number`: 64-bit integers.
    Number,
    /// `/float64`
    Float,
    /// `/string`
    String,
    /// `/bytes`
    Bytes,
    /// `/name`
    Name,
    /// `/time`: instants.
    Time,
    /// `/duration`
    Duration,
}

impl Base {
    /// All base types.
    pub const ALL: [Self; 7] =
        [Self::Number, Self::Float, Self::String, Self::Bytes, Self::Name, Self::Time, Self::Duration];

    /// The name of the type, for example `/number`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "/number",
            Self::Float => "/float64",
            Self::String => "/string",
            Self::Bytes => "/bytes",
            Self::Name => "/name",
            Self::Time => "/time",
            Self::Duration => "/duration",
        }
    }

    /// The base type with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|base| base.as_str() == name)
    }
}

/// A field of a struct type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructField {
    /// The label of the field.
    pub label: Symbol,
    /// True if a struct may omit the field.
    pub optional: bool,
    /// The type of the value.
    pub ty: Type,
}

impl Type {
    /// The empty type, `/bot`.
    #[must_use]
    pub fn bottom() -> Self {
        Self::Union(Arc::from([]))
    }

    /// The type of integers.
    #[must_use]
    pub fn number() -> Self {
        Self::Base(Base::Number)
    }

    /// The type of names.
    #[must_use]
    pub fn name() -> Self {
        Self::Base(Base::Name)
    }

    /// The type of `/true` and `/false`.
    #[must_use]
    pub fn boolean() -> Self {
        Self::Union(Arc::from(["/false", "/true"].map(|name| Self::Singleton(Symbol::new(name)))))
    }

    /// The type of lists of `element`.
    #[must_use]
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// The type of pairs.
    #[must_use]
    pub fn pair(first: Self, second: Self) -> Self {
        Self::Pair(Arc::new((first, second)))
    }

    /// The type of tuples: pairs nested to the right. A single part is returned unchanged. Without
    /// parts, the type is `/any`.
    #[must_use]
    pub fn tuple(parts: impl DoubleEndedIterator<Item = Self>) -> Self {
        parts.rev().reduce(|rest, part| Self::pair(part, rest)).unwrap_or(Self::Any)
    }

    /// The type of maps.
    #[must_use]
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// The type of structs with these fields. If a label is repeated, its first field is used.
    #[must_use]
    pub fn structure(mut fields: Vec<StructField>) -> Self {
        fields.sort_by_key(|field| field.label);
        fields.dedup_by_key(|field| field.label);
        Self::Struct(fields.into())
    }

    /// True if no value has the type.
    #[must_use]
    pub fn is_bottom(&self) -> bool {
        matches!(self, Self::Union(members) if members.is_empty())
    }

    /// True if the type is unknown.
    #[must_use]
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Any | Self::Variable(_))
    }

    /// The members of a union. Any other type is its own only member.
    #[must_use]
    pub fn members(&self) -> &[Self] {
        match self {
            Self::Union(members) => members,
            other => std::slice::from_ref(other),
        }
    }

    /// True if all values are names.
    #[must_use]
    pub fn is_name(&self) -> bool {
        let name = |member: &Self| {
            matches!(member, Self::Base(Base::Name) | Self::Prefix(_) | Self::Singleton(_) | Self::Literal(_))
        };
        !self.is_bottom() && self.members().iter().all(name)
    }

    /// The only value, if the type is a single name.
    #[must_use]
    pub fn constant(&self) -> Option<Symbol> {
        match self {
            Self::Singleton(name) | Self::Literal(name) => Some(*name),
            _ => None,
        }
    }

    /// Replaces parts deeper than `depth` by `/any`. If the type has too many parts, the depth is
    /// reduced further.
    #[must_use]
    fn bounded(self, depth: usize) -> Self {
        let fits = |depth: &usize| {
            let mut left = MAX_PARTS;
            *depth <= UNLIMITED_DEPTH || self.has_room(*depth, &mut left)
        };
        let depth = (0..=depth).rev().find(fits).unwrap_or(0);
        if self.is_shallow(depth) { self } else { self.cut(depth) }
    }

    /// True if the parts down to a depth are at most `left`. Subtracts them from `left`.
    fn has_room(&self, depth: usize, left: &mut usize) -> bool {
        let Some(below) = depth.checked_sub(1) else { return true };
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        match self {
            Self::List(of) | Self::Option(of) => of.has_room(below, left),
            Self::Pair(parts) | Self::Map(parts) => {
                parts.0.has_room(below, left) && parts.1.has_room(below, left)
            }
            Self::Struct(fields) => fields.iter().all(|field| field.ty.has_room(below, left)),
            Self::Union(members) => members.iter().all(|member| member.has_room(below, left)),
            _ => true,
        }
    }

    fn is_shallow(&self, depth: usize) -> bool {
        let Some(below) = depth.checked_sub(1) else { return matches!(self, Self::Any) };
        match self {
            Self::List(of) | Self::Option(of) => of.is_shallow(below),
            Self::Pair(parts) | Self::Map(parts) => parts.0.is_shallow(below) && parts.1.is_shallow(below),
            Self::Struct(fields) => fields.iter().all(|field| field.ty.is_shallow(below)),
            Self::Union(members) => members.iter().all(|member| member.is_shallow(below)),
            _ => true,
        }
    }

    fn cut(&self, depth: usize) -> Self {
        let Some(below) = depth.checked_sub(1) else { return Self::Any };
        match self {
            Self::List(of) => Self::list(of.cut(below)),
            Self::Option(of) => Self::Option(Arc::new(of.cut(below))),
            Self::Pair(parts) => Self::pair(parts.0.cut(below), parts.1.cut(below)),
            Self::Map(parts) => Self::map(parts.0.cut(below), parts.1.cut(below)),
            Self::Struct(fields) => {
                let cut = |field: &StructField| StructField { ty: field.ty.cut(below), ..field.clone() };
                Self::Struct(fields.iter().map(cut).collect())
            }
            Self::Union(members) => Self::union(members.iter().map(|member| member.cut(below))),
            other => other.clone(),
        }
    }

    /// Replaces each type variable by the result of `of`.
    #[must_use]
    fn substitute(&self, of: &impl Fn(Symbol) -> Self) -> Self {
        match self {
            Self::Variable(name) => of(*name),
            Self::List(element) => Self::list(element.substitute(of)),
            Self::Option(value) => Self::Option(Arc::new(value.substitute(of))),
            Self::Pair(parts) => Self::pair(parts.0.substitute(of), parts.1.substitute(of)),
            Self::Map(parts) => Self::map(parts.0.substitute(of), parts.1.substitute(of)),
            Self::Struct(fields) => {
                let field =
                    |field: &StructField| StructField { ty: field.ty.substitute(of), ..field.clone() };
                Self::Struct(fields.iter().map(field).collect())
            }
            Self::Union(members) => Self::union(members.iter().map(|member| member.substitute(of))),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
