//! Queries to the kernel, with the exact matching of the runtime.
//!
//! A query is a bare predicate or a pattern. The answers are facts with their origin; names and
//! strings are both plain text. The assembly uses the trait [`Querier`]; [`KernelAnswers`]
//! implements the trait for an evaluated program.

mod kernel;
mod order;
mod pattern;

use super::origin::FactOrigin;
use mangle_settings::Runtime;
use piggyback::envelope::runtime::go_float;

pub use kernel::{FactLocations, KernelAnswers};
pub use order::AnswerOrder;
pub use pattern::QueryPattern;

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
    pub(super) fn runtime_text(&self, runtime: Runtime) -> Option<String> {
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
        let Some((predicate, args)) = pattern::atom(fact.trim().trim_end_matches('.')) else { return false };
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
