//! Syntax tree of terms and type expressions.

use super::Name;
use crate::text::{Symbol, TextRange};

/// A term or a type expression.
#[derive(Debug)]
pub struct Term {
    /// The range of the term.
    pub range: TextRange,
    /// The kind of the term, with its parts.
    pub kind: TermKind,
}

/// The kinds of terms.
#[derive(Debug)]
pub enum TermKind {
    /// A variable by its name.
    Variable(Symbol),
    /// `_`.
    Wildcard,
    /// A name constant, including the slash.
    Name(Symbol),
    /// An integer; `None` if it does not fit 64 bits (reported).
    Number(Option<i64>),
    /// A float, as 64 bits.
    Float(f64),
    /// A string in any of the three quotes. [`string_value`](crate::syntax::literal::string_value)
    /// of its text is its value.
    String,
    /// A byte string.
    Bytes,
    /// A function, a list, a map, a struct or a type constructor applied to terms.
    Apply(Box<Apply>),
    /// A syntax error (reported).
    Broken,
}

/// The syntax of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApplyForm {
    /// `fn:f(…)`, or `p(…)`, an atom in the position of a term.
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
    /// The function with its `fn:`, for any syntax (`[1]` has `fn:list`). Its range is the written
    /// name, or the opening bracket.
    pub function: Name,
    /// The syntax of the application.
    pub form: ApplyForm,
    /// The arguments. Keys and values alternate for maps and structs.
    pub args: Vec<Term>,
}

impl Apply {
    /// True for an atom (`p(…)`) in the position of a term.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        !self.function.as_str().starts_with("fn:")
    }
}

impl Term {
    /// The variable, if the term is one (not `_`).
    #[must_use]
    pub fn variable(&self) -> Option<Symbol> {
        match self.kind {
            TermKind::Variable(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// True for `_`.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        matches!(self.kind, TermKind::Wildcard)
    }

    /// The application, if the term is one.
    #[must_use]
    pub fn apply(&self) -> Option<&Apply> {
        match &self.kind {
            TermKind::Apply(apply) => Some(apply),
            _ => None,
        }
    }

    /// True for a literal constant: a name, number, float, string or byte string.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(
            self.kind,
            TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_) | TermKind::String | TermKind::Bytes
        )
    }

    /// Calls `visit` for this term and every nested term, outer first. The nesting limit of the
    /// lowering bounds the depth.
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
