//! Type constructors, and the arguments of constructors that are types.

use mangle_syntax::syntax::ast::{Apply, Term};

/// A type constructor of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constructor {
    /// `.List<T>`
    List,
    /// `.Pair<A, B>`
    Pair,
    /// `.Tuple<A, B, C, …>`
    Tuple,
    /// `.Map<K, V>`
    Map,
    /// `.Struct</label : T, opt /label : T>`
    Struct,
    /// `.Union<A, …>`
    Union,
    /// `.Singleton</name>`
    Singleton,
    /// `.Option<T>`
    Option,
    /// `.TaggedUnion</field, /tag : .Struct<…>, …>`
    TaggedUnion,
    /// `fn:Fun(Result, Argument, …)`. Internal to the Go implementation, but accepted.
    Fun,
    /// `fn:Rel(A, …)`. Internal to the Go implementation, but accepted.
    Rel,
}

/// All type constructors of the language.
pub const CONSTRUCTORS: [Constructor; 11] = [
    Constructor::List,
    Constructor::Pair,
    Constructor::Tuple,
    Constructor::Map,
    Constructor::Struct,
    Constructor::Union,
    Constructor::Singleton,
    Constructor::Option,
    Constructor::TaggedUnion,
    Constructor::Fun,
    Constructor::Rel,
];

impl Constructor {
    /// The constructor of an application, in dot or `fn:` notation.
    #[must_use]
    pub fn from_apply(apply: &Apply) -> Option<Self> {
        let name = apply.function.as_str().strip_prefix("fn:")?;
        CONSTRUCTORS.into_iter().find(|constructor| constructor.as_str() == name)
    }

    /// The name, without the dot or `fn:`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "List",
            Self::Pair => "Pair",
            Self::Tuple => "Tuple",
            Self::Map => "Map",
            Self::Struct => "Struct",
            Self::Union => "Union",
            Self::Singleton => "Singleton",
            Self::Option => "Option",
            Self::TaggedUnion => "TaggedUnion",
            Self::Fun => "Fun",
            Self::Rel => "Rel",
        }
    }

    /// The minimum and maximum number of arguments. A maximum of `None` means unlimited. Conditions
    /// other than the count, such as pairs of arguments, are not included.
    #[must_use]
    pub fn arity(self) -> (usize, Option<usize>) {
        match self {
            Self::List | Self::Singleton | Self::Option => (1, Some(1)),
            Self::Pair | Self::Map => (2, Some(2)),
            Self::Tuple => (3, None),
            Self::Union | Self::Fun => (1, None),
            Self::TaggedUnion => (3, None),
            Self::Struct | Self::Rel => (0, None),
        }
    }
}

/// True if a term is `opt /label : type`.
pub(super) fn is_optional(term: &Term) -> bool {
    term.apply().is_some_and(|apply| apply.function.as_str() == "fn:opt")
}

/// Calls `visit` for every term inside `term` in the position of a type, outermost first. Labels,
/// tags and the constant of a singleton are skipped.
pub fn visit_types<'a>(term: &'a Term, visit: &mut impl FnMut(&'a Term)) {
    visit(term);
    let Some(apply) = term.apply() else { return };
    match Constructor::from_apply(apply) {
        Some(Constructor::Singleton) => {}
        Some(Constructor::Struct) => visit_fields(&apply.args, visit),
        Some(Constructor::TaggedUnion) => {
            for variant in apply.args.iter().skip(2).step_by(2) {
                visit_types(variant, visit);
            }
        }
        _ => {
            for arg in &apply.args {
                visit_types(arg, visit);
            }
        }
    }
}

fn visit_fields<'a>(fields: &'a [Term], visit: &mut impl FnMut(&'a Term)) {
    for optional in fields.iter().filter(|field| is_optional(field)) {
        for tpe in optional.apply().into_iter().flat_map(|apply| apply.args.get(1)) {
            visit_types(tpe, visit);
        }
    }
    for tpe in fields.iter().filter(|field| !is_optional(field)).skip(1).step_by(2) {
        visit_types(tpe, visit);
    }
}
