//! Converts type expressions, in either notation, to type values, and prints types in dot notation.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::expression::{Constructor, is_optional};
use super::{Base, MAX_DEPTH, StructField, Type};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Term, TermKind};
use mangle_syntax::text::Symbol;

impl Type {
    /// Reads a type expression. Parts that are not well formed ([`super::faults`]) or nested too
    /// deep become [`Type::Any`], so that nothing is concluded from them.
    #[must_use]
    pub fn read(term: &Term) -> Self {
        read(term, MAX_DEPTH)
    }

    /// Parses a type of the tables of built-ins. `/any` if the text is not a type.
    #[must_use]
    pub fn named(text: &'static str) -> Self {
        static KNOWN: RwLock<FxHashMap<&'static str, Type>> =
            RwLock::new(FxHashMap::with_hasher(FxBuildHasher));
        if let Some(base) = Base::named(text) {
            return Self::Base(base);
        }
        let known = KNOWN.read().get(text).cloned();
        known.unwrap_or_else(|| {
            let ty = read_text(text).unwrap_or(Self::Any);
            KNOWN.write().insert(text, ty.clone());
            ty
        })
    }
}

/// Parses a type as the bound of a declaration.
fn read_text(text: &str) -> Option<Type> {
    let source = SourceFile::parse(format!("Decl t(X) bound [{text}].").as_str().into());
    let item = source.items().first()?;
    let bound = item.statement.declaration()?.bounds.first()?.types.first()?;
    Some(Type::read(bound))
}

fn read(term: &Term, depth: usize) -> Type {
    let Some(below) = depth.checked_sub(1) else { return Type::Any };
    match &term.kind {
        TermKind::Name(name) => named(*name),
        TermKind::Variable(name) => Type::Variable(*name),
        TermKind::Apply(apply) => Constructor::from_apply(apply)
            .map_or(Type::Any, |constructor| construct(constructor, &apply.args, below)),
        _ => Type::Any,
    }
}

fn named(name: Symbol) -> Type {
    match name.as_str() {
        "/any" => Type::Any,
        "/bot" => Type::bottom(),
        text => Base::named(text).map_or(Type::Prefix(name), Type::Base),
    }
}

fn construct(constructor: Constructor, args: &[Term], depth: usize) -> Type {
    let of = |term: &Term| read(term, depth);
    match (constructor, args) {
        (Constructor::List, [element]) => Type::list(of(element)),
        (Constructor::Option, [value]) => Type::Option(Arc::new(of(value))),
        (Constructor::Pair, [first, second]) => Type::pair(of(first), of(second)),
        (Constructor::Tuple, [_, _, _, ..]) => Type::tuple(args.iter().map(of)).bounded(depth),
        (Constructor::Map, [key, value]) => Type::map(of(key), of(value)),
        (Constructor::Singleton, [Term { kind: TermKind::Name(name), .. }]) => Type::Singleton(*name),
        (Constructor::Union, [_, ..]) => Type::union(args.iter().map(of)),
        (Constructor::Struct, fields) => fields_of(fields, depth).map_or(Type::Any, Type::structure),
        (Constructor::TaggedUnion, [tag, variants @ ..]) => {
            tagged_union(tag, variants, depth).unwrap_or(Type::Any)
        }
        _ => Type::Any,
    }
}

fn fields_of(args: &[Term], depth: usize) -> Option<Vec<StructField>> {
    let mut fields = Vec::with_capacity(args.len());
    let mut required = args.iter().filter(|field| !is_optional(field));
    while let Some(label) = required.next() {
        fields.push(field(label, required.next()?, false, depth)?);
    }
    for optional in args.iter().filter(|field| is_optional(field)) {
        let [label, ty] = optional.apply()?.args.as_slice() else { return None };
        fields.push(field(label, ty, true, depth)?);
    }
    Some(fields)
}

fn field(label: &Term, ty: &Term, optional: bool, depth: usize) -> Option<StructField> {
    let TermKind::Name(label) = label.kind else { return None };
    Some(StructField { label, optional, ty: read(ty, depth) })
}

/// Converts a tagged union to a union of structs. Each variant gets a field with its tag.
fn tagged_union(tag: &Term, variants: &[Term], depth: usize) -> Option<Type> {
    let TermKind::Name(tag_field) = tag.kind else { return None };
    let structs = variants.chunks(2).map(|variant| {
        let [Term { kind: TermKind::Name(name), .. }, body] = variant else { return None };
        let apply =
            body.apply().filter(|apply| Constructor::from_apply(apply) == Some(Constructor::Struct))?;
        let mut fields = fields_of(&apply.args, depth)?;
        fields.push(StructField { label: tag_field, optional: false, ty: Type::Singleton(*name) });
        Some(Type::structure(fields))
    });
    structs.collect::<Option<Vec<_>>>().map(Type::union)
}

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
                    return print_tagged_union(members, tag, f);
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

fn print_tagged_union(members: &[Type], tag: Symbol, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
