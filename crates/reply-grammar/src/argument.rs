//! Constants that an argument of an update can be, according to the types and names of its
//! declaration.

use mangle_engine::types::{Base, Type};
use piggyback::envelope::atoms::{DeclaredPredicate, ParameterNames};
use piggyback::envelope::runtime::becomes_name;

use crate::expr::Expr;
use crate::term::{self, TermLimits};

/// The set of constants for an argument.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) expr: Expr,
    /// The constraints of the declaration that the expression does not enforce.
    pub(crate) gaps: Vec<UnenforcedConstraint>,
}

/// A constraint of an argument that the expression does not enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum UnenforcedConstraint {
    /// The list of names is too long.
    ManyNames,
    /// The runtime stores some or all values as another kind of constant.
    Flips,
    /// A part of the type has no constants that an update can contain.
    Parts,
}

impl UnenforcedConstraint {
    /// The code of the rule that checks the constraint.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Self::ManyNames => "PB224",
            Self::Flips => "PB225",
            Self::Parts => "PB212",
        }
    }
}

/// A kind of constants.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Constants {
    AnyName,
    Names(Vec<String>),
    Below(String),
    Text,
    Integer,
    Float,
}

/// The constants for an argument under one bound.
///
/// The error is the type, if an update cannot contain any constant of the type.
pub(crate) fn argument(
    ty: &Type,
    listed: Option<&ParameterNames>,
    limits: TermLimits<'_>,
) -> Result<Argument, String> {
    let mut gaps = Vec::new();
    let mut kinds = Vec::new();
    let mut unsayable = Vec::new();
    for member in ty.members() {
        match constants(member) {
            Some(found) => kinds.extend(found),
            None => unsayable.push(member.to_string()),
        }
    }
    if kinds.is_empty() {
        return Err(ty.to_string());
    }
    if !unsayable.is_empty() {
        gaps.push(UnenforcedConstraint::Parts);
    }
    if let Some(listed) = listed {
        restrict(&mut kinds, ty.is_any(), &valid(listed));
    }
    let kinds = with_joined_names(kinds);
    let parts = kinds.iter().map(|kind| kind.expr(limits, &mut gaps)).collect();
    Ok(Argument { expr: Expr::choice(parts), gaps })
}

/// The rows of bounds of a predicate. Without bounds, one row of unrestricted types.
pub(crate) fn rows(declared: &DeclaredPredicate) -> Vec<Vec<Type>> {
    match declared.rows.is_empty() {
        true => vec![vec![Type::Any; declared.arity]],
        false => declared.rows.clone(),
    }
}

/// The constants of a type that is not a union; `None` if an update cannot contain any.
fn constants(ty: &Type) -> Option<Vec<Constants>> {
    Some(vec![match ty {
        Type::Any | Type::Variable(_) => {
            return Some(vec![Constants::AnyName, Constants::Text, Constants::Integer]);
        }
        Type::Base(Base::Name) => Constants::AnyName,
        Type::Base(Base::String) => Constants::Text,
        Type::Base(Base::Number) => Constants::Integer,
        Type::Base(Base::Float) => Constants::Float,
        Type::Prefix(prefix) => Constants::Below(prefix.as_str().to_owned()),
        Type::Singleton(name) | Type::Literal(name) => Constants::Names(vec![name.as_str().to_owned()]),
        Type::Base(Base::Bytes | Base::Time | Base::Duration)
        | Type::List(_)
        | Type::Option(_)
        | Type::Pair(_)
        | Type::Map(_)
        | Type::Struct(_)
        | Type::Union(_) => return None,
    }])
}

/// The listed names that are valid Mangle names.
fn valid(listed: &ParameterNames) -> Vec<String> {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_~%".contains(&byte))
    };
    let is_name = |name: &&str| name.strip_prefix('/').is_some_and(|body| body.split('/').all(is_part));
    listed.names.iter().map(|name| &**name).filter(is_name).map(str::to_owned).collect()
}

/// Replaces the open sets of names by the listed names that they contain. Ignores a list that
/// contradicts the type.
fn restrict(kinds: &mut Vec<Constants>, is_any: bool, listed: &[String]) {
    if listed.is_empty() {
        return;
    }
    if is_any {
        *kinds = vec![Constants::Names(listed.to_vec())];
        return;
    }
    for kind in kinds {
        let narrowed = match kind {
            Constants::AnyName => listed.to_vec(),
            Constants::Below(prefix) => {
                let is_below = |name: &&String| {
                    name.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('/'))
                };
                listed.iter().filter(is_below).cloned().collect()
            }
            _ => continue,
        };
        if !narrowed.is_empty() {
            *kind = Constants::Names(narrowed);
        }
    }
}

/// Merges all lists of names into one, and removes duplicates.
fn with_joined_names(kinds: Vec<Constants>) -> Vec<Constants> {
    let mut names = Vec::new();
    let mut others = Vec::new();
    for kind in kinds {
        match kind {
            Constants::Names(more) => names.extend(more),
            other if others.contains(&other) => {}
            other => others.push(other),
        }
    }
    if !names.is_empty() && !others.contains(&Constants::AnyName) {
        others.insert(0, Constants::Names(names));
    }
    others
}

impl Constants {
    fn expr(&self, limits: TermLimits<'_>, gaps: &mut Vec<UnenforcedConstraint>) -> Expr {
        let is_lost = |name: &String| !becomes_name(name.as_bytes());
        let flips = match self {
            Self::Names(names) => names.iter().any(is_lost),
            Self::Below(prefix) => is_lost(&format!("{prefix}/a")),
            Self::Float => true,
            _ => false,
        };
        if flips {
            gaps.push(UnenforcedConstraint::Flips);
        }
        match self {
            Self::Names(names) if names.len() > limits.max_names => {
                gaps.push(UnenforcedConstraint::ManyNames);
                term::any_name(limits.decoding)
            }
            Self::Names(names) => term::names(names),
            Self::AnyName => term::any_name(limits.decoding),
            Self::Below(prefix) => term::name_below(prefix, limits.decoding),
            Self::Text => term::string(limits),
            Self::Integer => term::integer(limits.decoding),
            Self::Float => term::float(limits.decoding),
        }
    }
}
