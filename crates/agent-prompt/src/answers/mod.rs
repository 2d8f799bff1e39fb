//! Queries to the kernel, with the exact matching of the runtime.
//!
//! A query is a bare predicate or a pattern. The answers are facts with their origin; names and
//! strings are both plain text. The assembly uses the trait [`Querier`]; [`KernelAnswers`]
//! implements the trait for an evaluated program.

mod kernel;

use super::origin::FactOrigin;
use mangle_engine::kernel::{Datum, Values, evaluate};
use mangle_settings::Runtime;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::TermKind;
use piggyback::envelope::runtime::go_float;

pub use kernel::{AnswerOrder, FactLocations, KernelAnswers};

/// An argument of a fact, as the runtime passes it to the prompt assembly.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// A name with its leading `/`, or a string.
    Text(String),
    /// A number.
    Number(i64),
    /// A float. Most readers truncate the fraction.
    Float(f64),
    /// A list, map, time or other value, as printed. The runtime reads it as an empty text.
    Other(String),
}

impl Arg {
    /// The text as the runtime reads it. `None` for numbers, which the runtime skips.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Float(_) => None,
            Self::Other(_) => Some(""),
        }
    }

    /// The number, truncated like a Go conversion to an integer.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Float(float) => Some(float.trunc() as i64),
            Self::Text(_) | Self::Other(_) => None,
        }
    }

    /// The text that a runtime reads. `None` if the runtime skips the fact.
    #[must_use]
    fn runtime_text(&self, runtime: Runtime) -> Option<String> {
        if !runtime.printed_arguments {
            return self.text().map(str::to_owned);
        }
        let text = match self {
            Self::Text(text) | Self::Other(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Float(float) => go_float(*float),
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// The text as the prompt compiler prints it. Unlike [`Arg::text`], numbers are included.
    #[must_use]
    pub(super) fn printed(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Float(_) => self.whole().unwrap_or_default().to_string(),
            Self::Other(_) => String::new(),
        }
    }
}

/// A fact that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The arguments of the fact.
    pub args: Vec<Arg>,
    /// The origin of the fact in the store.
    pub origin: FactOrigin,
}

impl Answer {
    fn bytes(&self) -> usize {
        let of = |arg: &Arg| match arg {
            Arg::Text(text) | Arg::Other(text) => text.len(),
            Arg::Number(_) | Arg::Float(_) => 0,
        };
        self.args.iter().map(|arg| size_of::<Arg>() + of(arg)).sum::<usize>() + self.origin.fact.len()
    }

    /// The argument at an index, as text that a runtime reads.
    #[must_use]
    pub fn read(&self, at: usize, runtime: Runtime) -> Option<String> {
        self.args.get(at).and_then(|arg| arg.runtime_text(runtime))
    }

    /// The argument at an index, if it is a text.
    #[must_use]
    pub fn text(&self, at: usize) -> Option<&str> {
        self.args.get(at).and_then(Arg::text)
    }
}

/// Answers queries about facts.
pub trait Querier {
    /// The facts that match a query, in prompt order.
    ///
    /// `least` is the minimum number of arguments. If several predicates have the name, the query
    /// refers to the smallest sufficient arity. An unknown predicate has no facts.
    ///
    /// # Errors
    ///
    /// If the query fails: the reason as text.
    fn query(&mut self, text: &str, least: usize) -> Result<Vec<Answer>, String>;
}

/// A fixed list of facts in a given order, as a substitute for a kernel.
#[derive(Debug, Clone, Default)]
pub struct FactList {
    /// The facts with their predicates.
    pub facts: Vec<(String, Answer)>,
    /// Predicates whose queries fail.
    pub failing: Vec<String>,
}

impl FactList {
    /// Parses a fact in Mangle syntax and appends it. Returns false if the text is not a fact.
    pub fn read(&mut self, fact: &str) -> bool {
        let Some((predicate, args)) = query_atom(fact.trim().trim_end_matches('.')) else { return false };
        let Some(args) = args.into_iter().collect() else { return false };
        self.facts.push((predicate, Answer { args, origin: FactOrigin::listed(fact) }));
        true
    }
}

impl Querier for FactList {
    fn query(&mut self, text: &str, _least: usize) -> Result<Vec<Answer>, String> {
        let pattern = QueryPattern::read(text);
        if self.failing.iter().any(|name| name == pattern.predicate()) {
            return Err("the query fails".to_owned());
        }
        let of_it = self
            .facts
            .iter()
            .filter(|(name, answer)| name == pattern.predicate() && pattern.fits(&answer.args));
        Ok(of_it.map(|(_, answer)| answer.clone()).collect())
    }
}

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
        let Some((predicate, args)) = query_atom(text).filter(|_| text.contains('(')) else { return bare() };
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
fn query_atom(text: &str) -> Option<(String, Vec<Option<Arg>>)> {
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
fn argument(datum: &Datum, printed: impl FnOnce() -> String) -> Arg {
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
