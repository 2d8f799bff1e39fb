//! Types as text, in dot notation.

use std::fmt;

use super::value::{Field, Type};

/// How many members of a union, or fields of a struct, are written out.
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
                f.write_str(".Union<")?;
                listed(members.iter(), members.len(), f)?;
                f.write_str(">")
            }
        }
    }
}

/// A pair, or a tuple when its second part is a pair again.
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

fn structure(fields: &[Field], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(".Struct<")?;
    listed(fields.iter(), fields.len(), f)?;
    f.write_str(">")
}

impl fmt::Display for Field {
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
