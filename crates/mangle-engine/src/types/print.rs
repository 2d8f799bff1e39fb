//! Prints types in dot notation.

use std::fmt;

use super::value::{StructField, Type};
use mangle_syntax::text::Symbol;

/// The maximum number of union members or struct fields to print.
const SHOWN: usize = 8;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("/any"),
            Self::Base(base) => f.write_str(base.as_str()),
            Self::Prefix(name) | Self::Literal(name) | Self::Variable(name) => write!(f, "{name}"),
            Self::Singleton(name) => write!(f, ".Singleton<{name}>"),
            Self::List(element) => write!(f, ".List<{element}>"),
            Self::Option(value) => write!(f, ".Option<{value}>"),
            Self::Pair(_) => pair(self, f),
            Self::Map(parts) => write!(f, ".Map<{}, {}>", parts.0, parts.1),
            Self::Struct(fields) => structure(fields, f),
            Self::Union(members) if members.is_empty() => f.write_str("/bot"),
            Self::Union(members) => {
                if let Some(tag) = tag_field(members) {
                    return tagged_union(members, tag, f);
                }
                f.write_str(".Union<")?;
                listed(members.iter(), members.len(), f)?;
                f.write_str(">")
            }
        }
    }
}

/// The field with a different tag in each member of a union of structs.
fn tag_field(members: &[Type]) -> Option<Symbol> {
    let Some(Type::Struct(first)) = members.first() else { return None };
    let tags = |label| {
        let mut tags: Vec<_> = members.iter().map(|member| tag_of(member, label)).collect::<Option<_>>()?;
        tags.sort_unstable();
        tags.dedup();
        (tags.len() == members.len()).then_some(())
    };
    first.iter().map(|field| field.label).find(|&label| tags(label).is_some())
}

/// The tag in the field `label` of a struct, if its type is a singleton.
fn tag_of(member: &Type, label: Symbol) -> Option<Symbol> {
    let Type::Struct(fields) = member else { return None };
    match fields.iter().find(|field| field.label == label)?.ty {
        Type::Singleton(tag) => Some(tag),
        _ => None,
    }
}

fn tagged_union(members: &[Type], tag: Symbol, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, ".TaggedUnion<{tag}")?;
    for member in members.iter().take(SHOWN) {
        let (Type::Struct(fields), Some(name)) = (member, tag_of(member, tag)) else { continue };
        let rest = fields.iter().filter(|field| field.label != tag).cloned().collect();
        write!(f, ", {name} : {}", Type::structure(rest))?;
    }
    f.write_str(if members.len() > SHOWN { ", …>" } else { ">" })
}

/// Prints a pair, or a tuple if the second part is also a pair.
fn pair(ty: &Type, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut parts = Vec::new();
    let mut rest = ty;
    while let Type::Pair(pair) = rest {
        parts.push(&pair.0);
        rest = &pair.1;
    }
    parts.push(rest);
    f.write_str(if parts.len() == 2 { ".Pair<" } else { ".Tuple<" })?;
    listed(parts.iter(), parts.len(), f)?;
    f.write_str(">")
}

fn structure(fields: &[StructField], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(".Struct<")?;
    listed(fields.iter(), fields.len(), f)?;
    f.write_str(">")
}

impl fmt::Display for StructField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = if self.optional { "opt " } else { "" };
        write!(f, "{optional}{} : {}", self.label, self.ty)
    }
}

fn listed<T: fmt::Display>(
    items: impl Iterator<Item = T>,
    count: usize,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (at, item) in items.take(SHOWN).enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    if count > SHOWN { f.write_str(", …") } else { Ok(()) }
}
