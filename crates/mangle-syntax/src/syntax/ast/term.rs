//! Terms and type expressions.

use super::Name;
use crate::text::{Symbol, TextRange};

/// A term or a type expression.
#[derive(Debug)]
pub struct Term {
    /// The bytes.
    pub range: TextRange,
    /// A constant, a variable, or an application, with its parts.
    pub kind: TermKind,
}

/// The terms that an argument can be, each with its parts.
#[derive(Debug)]
pub enum TermKind {
    /// A variable by its name.
    Variable(Symbol),
    /// `_`.
    Wildcard,
    /// A name constant, slash included.
    Name(Symbol),
    /// An integer; `None` if it does not fit 64 bits (reported).
    Number(Option<i64>),
    /// A float, as 64 bits.
    Float(f64),
    /// A string in any of the three quotes; its value is [`string_value`](crate::syntax::literal::string_value) of its text.
    String,
    /// A byte string.
    Bytes,
    /// A function, a list, a map, a struct or a type constructor applied to terms.
    Apply(Box<Apply>),
    /// Something else (reported).
    Broken,
}

/// How an application is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApplyForm {
    /// `fn:f(…)`. Also `p(…)`, an atom where a term belongs.
    Call,
    /// `[a, b]`, which is `fn:list(a, b)`.
    List,
    /// `[k : v]`, which is `fn:map(k, v)`.
    Map,
    /// `{k : v}`, which is `fn:struct(k, v)`.
    Struct,
    /// `.List<t>`, which is `fn:List(t)`.
    DotType,
    /// `opt k : t` in `.Struct<…>`, which is `fn:opt(k, t)`.
    Optional,
}

/// An application.
#[derive(Debug)]
pub struct Apply {
    /// The function with its `fn:`, whatever the spelling (`[1]` has `fn:list`); its range is the
    /// written name, or the opening bracket.
    pub function: Name,
    /// How it is written.
    pub form: ApplyForm,
    /// The arguments; keys and values alternate for maps and structs.
    pub args: Vec<Term>,
}

impl Apply {
    /// Whether this is an atom (`p(…)`) that stands where a term belongs.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        !self.function.as_str().starts_with("fn:")
    }
}

impl Term {
    /// The variable, if it is one (not `_`).
    #[must_use]
    pub fn variable(&self) -> Option<Symbol> {
        match self.kind {
            TermKind::Variable(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether it is `_`.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        matches!(self.kind, TermKind::Wildcard)
    }

    /// The application, if it is one.
    #[must_use]
    pub fn apply(&self) -> Option<&Apply> {
        match &self.kind {
            TermKind::Apply(apply) => Some(apply),
            _ => None,
        }
    }

    /// Whether it is a literal constant: a name, number, float, string or byte string.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(
            self.kind,
            TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_) | TermKind::String | TermKind::Bytes
        )
    }

    /// Calls `visit` for this term and every term inside it, outer first. Depth is bounded by the
    /// nesting limit of the lowering.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        visit(self);
        if let TermKind::Apply(apply) = &self.kind {
            for arg in &apply.args {
                arg.walk(visit);
            }
        }
    }

    /// Calls `visit` for every variable occurrence (not `_`) in this term.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, TextRange)) {
        self.walk(&mut |term| {
            if let TermKind::Variable(symbol) = term.kind {
                visit(symbol, term.range);
            }
        });
    }
}
