//! Questions to the kernel, with the runtime's exact matching.
//!
//! Takes the text of a query, a bare predicate or a pattern; gives the facts that it finds, names and strings both as
//! plain text, each with what it came from. Whoever assembles asks a [`Querier`]; the one over an evaluated program
//! is [`KernelAnswers`].

mod kernel;
mod order;
mod pattern;

use super::origin::FactOrigin;
use mangle_settings::Runtime;
use piggyback::envelope::runtime::go_float;

pub use kernel::{KernelAnswers, Marks};
pub use order::AnswerOrder;
pub use pattern::QueryPattern;

/// An argument of a fact, as those see it who assemble prompts.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// A name, with its `/`, or a string.
    Text(String),
    /// A number.
    Number(i64),
    /// A float. Most readers drop its fraction.
    Float(f64),
    /// A list, a map, a time or whatever else, printed. The runtime takes it for a text, an empty one.
    Other(String),
}

impl Arg {
    /// The text, as the runtime has it; `None` for numbers, which it passes over.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Float(_) => None,
            Self::Other(_) => Some(""),
        }
    }

    /// The number without its fraction, as the conversion of the runtime's language does it.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Float(float) => Some(float.trunc() as i64),
            Self::Text(_) | Self::Other(_) => None,
        }
    }

    /// The text that a runtime reads; `None` if it skips the fact.
    #[must_use]
    pub(super) fn read(&self, runtime: Runtime) -> Option<String> {
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

    /// The text, as the prompt compiler has it, which takes numbers, too.
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

/// A fact that a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its arguments.
    pub args: Vec<Arg>,
    /// The fact in the store that the answer is made of.
    pub held: FactOrigin,
}

impl Answer {
    /// How many bytes its texts have.
    fn bytes(&self) -> usize {
        let of = |arg: &Arg| match arg {
            Arg::Text(text) | Arg::Other(text) => text.len(),
            Arg::Number(_) | Arg::Float(_) => 0,
        };
        self.args.iter().map(|arg| size_of::<Arg>() + of(arg)).sum::<usize>() + self.held.fact.len()
    }

    /// An argument as the text that a runtime reads.
    #[must_use]
    pub fn read(&self, at: usize, runtime: Runtime) -> Option<String> {
        self.args.get(at).and_then(|arg| arg.read(runtime))
    }

    /// An argument as text, if it is one.
    #[must_use]
    pub fn text(&self, at: usize) -> Option<&str> {
        self.args.get(at).and_then(Arg::text)
    }
}

/// Somebody who answers queries.
pub trait Querier {
    /// The facts that fit a query, in the order in which a prompt shows them. The reader looks at `least` arguments:
    /// where several predicates have the name, the one with the fewest arguments that are enough is meant. One that
    /// does not exist has no facts.
    ///
    /// # Errors
    /// When the query fails: why, in words.
    fn query(&mut self, text: &str, least: usize) -> Result<Vec<Answer>, String>;
}

/// Facts in an order that somebody else decided, for those who have no kernel.
#[derive(Debug, Clone, Default)]
pub struct FactList {
    /// Facts with their predicates.
    pub facts: Vec<(String, Answer)>,
    /// Predicates whose queries fail.
    pub failing: Vec<String>,
}

impl FactList {
    /// Adds a fact as it is written in Mangle. Whether it is one.
    pub fn read(&mut self, fact: &str) -> bool {
        let Some((predicate, args)) = pattern::atom(fact.trim().trim_end_matches('.')) else { return false };
        let Some(args) = args.into_iter().collect() else { return false };
        self.facts.push((predicate, Answer { args, held: FactOrigin::listed(fact) }));
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
