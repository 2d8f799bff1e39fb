//! Parser for queries: a bare predicate, or a pattern such as `p("coder-7", Topic, _)`.

use super::Arg;
use mangle_engine::kernel::{Datum, Values, evaluate};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::TermKind;

/// A parsed query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryPattern {
    predicate: String,
    /// The required value of each argument, or `None` for any value. The outer `None` is a bare
    /// predicate.
    wanted: Option<Vec<Option<Arg>>>,
}

impl QueryPattern {
    /// Parses a query. If the text is not an atom, the query matches all facts of the predicate
    /// before the first bracket.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim().trim_end_matches('.');
        let bare = || {
            let name = text.split('(').next().unwrap_or_default().trim();
            Self { predicate: name.to_owned(), wanted: None }
        };
        let Some((predicate, args)) = atom(text).filter(|_| text.contains('(')) else { return bare() };
        // The runtime writes variables with a leading `?`, and reads any such text as a variable.
        let is_variable = |arg: &Arg| arg.text().is_some_and(|text| text.starts_with('?'));
        let wanted = args.into_iter().map(|arg| arg.filter(|arg| !is_variable(arg)));
        Self { predicate, wanted: Some(wanted.collect()) }
    }

    /// The name of the queried predicate.
    #[must_use]
    pub fn predicate(&self) -> &str {
        &self.predicate
    }

    /// The number of arguments; `None` for a bare predicate.
    #[must_use]
    pub fn arity(&self) -> Option<usize> {
        self.wanted.as_ref().map(Vec::len)
    }

    /// True if the pattern requires a value for this argument.
    #[must_use]
    pub fn is_bound(&self, argument: usize) -> bool {
        self.wanted.as_ref().and_then(|wanted| wanted.get(argument)).is_some_and(Option::is_some)
    }

    /// True if a fact with these arguments matches. A name equals the string with the same text.
    /// Repeated variables may have different values.
    #[must_use]
    pub fn fits(&self, args: &[Arg]) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        let is_same = |wanted: &Arg, arg: &Arg| {
            wanted == arg || wanted.whole().is_some() && wanted.whole() == arg.whole()
        };
        let equal =
            |(wanted, arg): (&Option<Arg>, &Arg)| wanted.as_ref().is_none_or(|wanted| is_same(wanted, arg));
        wanted.len() == args.len() && wanted.iter().zip(args).all(equal)
    }
}

/// The predicate and arguments of an atom. Variables are `None`.
pub(super) fn atom(text: &str) -> Option<(String, Vec<Option<Arg>>)> {
    let text = format!("{text}.");
    let source = SourceFile::parse(text.as_str().into());
    let [item] = &source.items()[..] else { return None };
    let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged)?;
    let mut values = Values::new();
    let mut args = Vec::with_capacity(clause.head.args.len());
    for term in &clause.head.args {
        args.push(match term.kind {
            TermKind::Variable(_) | TermKind::Wildcard => None,
            _ => {
                let value = evaluate(term, &text, &mut values, None).ok().flatten()?;
                Some(argument(values.get(value), || values.display(value).to_string()))
            }
        });
    }
    Some((clause.head.name.as_str().to_owned(), args))
}

/// Converts an engine value to an argument. `printed` is called only for composite values.
pub(super) fn argument(datum: &Datum, printed: impl FnOnce() -> String) -> Arg {
    match datum {
        Datum::Name(text) | Datum::String(text) => Arg::Text(text.to_string()),
        Datum::Bytes(bytes) => Arg::Text(String::from_utf8_lossy(bytes).into_owned()),
        Datum::Number(number) => Arg::Number(*number),
        Datum::Float(bits) => Arg::Float(f64::from_bits(*bits)),
        _ => Arg::Other(printed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Arg {
        Arg::Text(text.into())
    }

    #[test]
    fn constants_select_and_variables_do_not_unify() {
        let pattern = QueryPattern::read("p(X, X, \"/a\", 3.7)");
        assert!(pattern.fits(&[text("1"), text("2"), text("/a"), Arg::Number(3)]));
        assert!(!pattern.fits(&[text("1"), text("1"), text("a"), Arg::Number(3)]));
        assert!(!pattern.fits(&[text("1"), text("1"), text("/a")]));
        assert_eq!((pattern.predicate(), pattern.arity()), ("p", Some(4)));
        assert!(QueryPattern::read("p(/a)").fits(&[text("/a")]));
        assert!(QueryPattern::read("p(\"?a\")").fits(&[Arg::Number(1)]));
    }

    #[test]
    fn what_is_no_atom_asks_for_all() {
        for query in ["p", " p. ", "p(", "p(X", "p(X) :- q(X)"] {
            let pattern = QueryPattern::read(query);
            assert_eq!((pattern.predicate(), pattern.arity()), ("p", None), "{query}");
            assert!(pattern.fits(&[Arg::Number(1)]));
        }
    }
}
