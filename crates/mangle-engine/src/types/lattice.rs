//! The lattice of types: subtypes, meet, join and union.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{Base, StructField, Type};
use mangle_syntax::text::Symbol;

/// The maximum number of names in a union. More names become a prefix or `/name`. Enumerations of
/// real programs have a dozen values, tables of names have hundreds.
const MAX_LITERALS: usize = 64;

/// The maximum number of other members in a union. A larger union becomes `/any`.
const MAX_MEMBERS: usize = 24;

/// True if `name` is strictly below `prefix`, compared by segments.
#[must_use]
pub fn is_below(name: Symbol, prefix: Symbol) -> bool {
    name.as_str().strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

impl Type {
    /// True if `other` contains every value of this type.
    #[must_use]
    pub fn is_subtype(&self, other: &Self) -> bool {
        covered(self, other, false)
    }

    /// True if a value of this type can be used as a value of `other`.
    ///
    /// Same as [`Type::is_subtype`], but an unknown type fits everywhere.
    #[must_use]
    pub fn fits(&self, other: &Self) -> bool {
        covered(self, other, true)
    }

    /// The intersection of both types.
    ///
    /// Lists, maps and pairs with disjoint parts are disjoint: the empty list, which is a value of
    /// both list types, is ignored. Two structs are disjoint if each has a required field that the
    /// second one lacks.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        if self == other || other.is_any() || self.is_subtype(other) {
            return self.clone();
        }
        if self.is_any() || other.is_subtype(self) {
            return other.clone();
        }
        match (self, other) {
            (Self::Union(members), _) => Self::union(members.iter().map(|member| member.meet(other))),
            (_, Self::Union(members)) => Self::union(members.iter().map(|member| self.meet(member))),
            (Self::List(a), Self::List(b)) => build_unless_bottom(a.meet(b), Self::list),
            (Self::Option(a), Self::Option(b)) => {
                build_unless_bottom(a.meet(b), |of| Self::Option(Arc::new(of)))
            }
            (Self::Pair(a), Self::Pair(b)) => build_unless_bottom(a.0.meet(&b.0), |first| {
                build_unless_bottom(a.1.meet(&b.1), |second| Self::pair(first, second))
            }),
            // The key type lists the keys that lookups accept, so the meet accepts both.
            (Self::Map(a), Self::Map(b)) if !a.0.overlaps(&b.0) => Self::bottom(),
            (Self::Map(a), Self::Map(b)) => {
                build_unless_bottom(a.1.meet(&b.1), |value| Self::map(a.0.join(&b.0), value))
            }
            (Self::Struct(a), Self::Struct(b)) => meet_structs(a, b),
            _ => Self::bottom(),
        }
    }

    /// True if the types have a value in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        !self.meet(other).is_bottom()
    }

    /// A type that contains the values of both types.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self == other || other.is_subtype(self) {
            return self.clone();
        }
        if self.is_subtype(other) {
            return other.clone();
        }
        Self::union([self.clone(), other.clone()])
    }

    /// The union of all `types`, in canonical form.
    #[must_use]
    pub fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut members: SmallVec<[Self; 4]> = SmallVec::new();
        for ty in types {
            match ty {
                Self::Union(inner) => members.extend(inner.iter().cloned()),
                Self::Any | Self::Variable(_) => return Self::Any,
                other => members.push(other),
            }
        }
        limit_literals(&mut members);
        let kept = uncovered(members);
        match <[Self; 1]>::try_from(kept) {
            Ok([only]) => only,
            Err(kept) if kept.len() > MAX_LITERALS + MAX_MEMBERS => Self::Any,
            Err(kept) => Self::Union(kept.into()),
        }
    }

    /// Replaces each literal name by a wider type. A name with several segments becomes the prefix
    /// of its first segment, any other name becomes `/name`.
    #[must_use]
    pub fn generalised(&self) -> Self {
        match self {
            Self::Literal(name) => generalized_name(*name),
            Self::List(element) => Self::list(element.generalised()),
            Self::Option(value) => Self::Option(Arc::new(value.generalised())),
            Self::Pair(parts) => Self::pair(parts.0.generalised(), parts.1.generalised()),
            // Keys stay: they are the keys that lookups accept, and more keys narrow the type.
            Self::Map(parts) => Self::map(parts.0.clone(), parts.1.generalised()),
            Self::Struct(fields) => {
                let field = |field: &StructField| StructField { ty: field.ty.generalised(), ..field.clone() };
                Self::Struct(fields.iter().map(field).collect())
            }
            Self::Union(members) => Self::union(members.iter().map(Self::generalised)),
            other => other.clone(),
        }
    }

    /// Removes the members that `other` covers, for example after a negation.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self::union(self.members().iter().filter(|member| !member.is_subtype(other)).cloned())
    }
}

/// The wider type of a literal name.
fn generalized_name(name: Symbol) -> Type {
    let text = name.as_str();
    match text.get(1..).and_then(|rest| rest.find('/')) {
        Some(at) => Type::Prefix(Symbol::new(text.get(..=at).unwrap_or(text))),
        None => Type::name(),
    }
}

/// Generalizes the names of a union with more than [`MAX_LITERALS`] names.
fn limit_literals(members: &mut SmallVec<[Type; 4]>) {
    if members.len() <= MAX_LITERALS {
        return;
    }
    members.sort_unstable();
    members.dedup();
    if members.iter().filter(|member| matches!(member, Type::Literal(_))).count() > MAX_LITERALS {
        for member in members.iter_mut() {
            *member = member.generalised();
        }
        members.sort_unstable();
        members.dedup();
    }
}

/// The number of members that are compared with each other at a time.
const COMPARISON_CHUNK: usize = 4 * (MAX_LITERALS + MAX_MEMBERS);

/// The members that no other member covers, sorted.
///
/// A singleton and a literal of the same name cover each other. The declared singleton is kept.
/// More than [`MAX_LITERALS`] + [`MAX_MEMBERS`] remaining members become `/any`: covering members
/// mostly sort first.
fn uncovered(mut members: SmallVec<[Type; 4]>) -> Vec<Type> {
    members.sort_unstable();
    members.dedup();
    if members.iter().all(|member| matches!(member, Type::Literal(_))) {
        return members.into_vec();
    }
    let mut kept: Vec<Type> = Vec::new();
    for part in members.chunks(COMPARISON_CHUNK) {
        kept.extend_from_slice(part);
        kept = uncovered_among(kept);
        if kept.len() > MAX_LITERALS + MAX_MEMBERS {
            return vec![Type::Any];
        }
    }
    kept
}

/// [`uncovered`] for sorted members, with quadratic cost.
fn uncovered_among(members: Vec<Type>) -> Vec<Type> {
    let covered_by_other = |at: usize| {
        members.iter().enumerate().any(|(other, ty)| {
            other != at
                && members
                    .get(at)
                    .is_some_and(|one| one.is_subtype(ty) && (other < at || !ty.is_subtype(one)))
        })
    };
    let keep: Vec<bool> = (0..members.len()).map(|at| !covered_by_other(at)).collect();
    members.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(member, _)| member).collect()
}

/// A type built from a part, or the bottom type if the part has no value.
fn build_unless_bottom(inner: Type, build: impl FnOnce(Type) -> Type) -> Type {
    if inner.is_bottom() { inner } else { build(inner) }
}

fn meet_structs(a: &[StructField], b: &[StructField]) -> Type {
    let lacks = |one: &[StructField], other: &[StructField]| {
        one.iter().any(|field| !field.optional && find(other, field.label).is_none())
    };
    if lacks(a, b) && lacks(b, a) {
        return Type::bottom();
    }
    let mut fields: Vec<StructField> = Vec::with_capacity(a.len().max(b.len()));
    for field in a {
        let Some(twin) = find(b, field.label) else {
            fields.push(field.clone());
            continue;
        };
        let ty = field.ty.meet(&twin.ty);
        let optional = field.optional && twin.optional;
        match ty.is_bottom() {
            true if !optional => return ty,
            // No value is possible, so the field is missing in every struct of both types. The
            // result omits the field, is wider than the exact meet, and causes fewer reports.
            true => {}
            false => fields.push(StructField { label: field.label, optional, ty }),
        }
    }
    fields.extend(b.iter().filter(|field| find(a, field.label).is_none()).cloned());
    Type::structure(fields)
}

/// The field with this label. The fields are sorted by label.
fn find(fields: &[StructField], label: Symbol) -> Option<&StructField> {
    let at = fields.binary_search_by(|field| field.label.cmp(&label)).ok()?;
    fields.get(at)
}

/// True if `other` contains all values of `one`. If `gradual`, an `/any` on the left fits every
/// type.
fn covered(one: &Type, other: &Type, gradual: bool) -> bool {
    if other.is_any() || one == other {
        return true;
    }
    match (one, other) {
        (Type::Any | Type::Variable(_), _) => gradual,
        (Type::Union(members), _) => members.iter().all(|member| covered(member, other, gradual)),
        (_, Type::Union(members)) => members.iter().any(|member| covered(one, member, gradual)),
        (Type::Prefix(_) | Type::Singleton(_) | Type::Literal(_), Type::Base(Base::Name)) => true,
        (Type::Prefix(below), Type::Prefix(prefix)) => below == prefix || is_below(*below, *prefix),
        (Type::Singleton(name) | Type::Literal(name), Type::Prefix(prefix)) => is_below(*name, *prefix),
        (Type::Singleton(a) | Type::Literal(a), Type::Singleton(b) | Type::Literal(b)) => a == b,
        (Type::List(a), Type::List(b)) | (Type::Option(a), Type::Option(b)) => covered(a, b, gradual),
        (Type::Pair(a), Type::Pair(b)) => covered(&a.0, &b.0, gradual) && covered(&a.1, &b.1, gradual),
        // The key type lists the keys that lookups accept, so keys are contravariant.
        (Type::Map(a), Type::Map(b)) => {
            (covered(&b.0, &a.0, gradual) || gradual && a.0.is_any()) && covered(&a.1, &b.1, gradual)
        }
        (Type::Struct(a), Type::Struct(b)) => covered_struct(a, b, gradual),
        _ => false,
    }
}

/// True if `one` is covered by `other`, with width and depth subtyping. Additional fields are
/// allowed, and an optional field is compared only if it is present.
fn covered_struct(one: &[StructField], other: &[StructField], gradual: bool) -> bool {
    other.iter().all(|wanted| match find(one, wanted.label) {
        Some(field) => (wanted.optional || !field.optional) && covered(&field.ty, &wanted.ty, gradual),
        None => wanted.optional,
    })
}
