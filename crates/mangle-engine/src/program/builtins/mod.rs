//! The built-in predicates and functions of the engine, as data.
//!
//! Takes nothing; gives one table of predicates, one of functions and reducers, the names of the
//! type constructors, and what people write instead of the right name. What a built-in does when it
//! is called is the kernel's business, what is wrong with a call that of `analysis`. Types are text
//! in Mangle's notation, which `types` reads.

mod functions;
mod near;
mod predicates;

pub use functions::FUNCTIONS;
pub use near::{NameCorrection, correction, is_evident, similar_function, similar_predicate};
pub use predicates::PREDICATES;

use mangle_settings::versions::RELEASES;

use super::{Embedding, Mode};

/// A built-in predicate.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinPredicate {
    /// The name with its leading colon.
    pub name: &'static str,
    /// The arguments.
    pub parameters: &'static [Parameter],
    /// What it says, in one line, for a reader who sees the name for the first time.
    pub description: &'static str,
    /// The day on which the reference got it, `YYYY-MM-DD`.
    pub since: &'static str,
}

impl BuiltinPredicate {
    /// The number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.parameters.len()
    }

    /// Whether it compares integers: `:lt` and its kin, which `<` stands for.
    #[must_use]
    pub fn is_integer_ordering(&self) -> bool {
        matches!(self.name, ":lt" | ":le" | ":gt" | ":ge")
    }

    /// Whether the engine aborts the evaluation at a value of another kind as this argument. Elsewhere the premise does
    /// not hold.
    #[must_use]
    pub fn aborts_at(&self, argument: usize) -> bool {
        let compares = |family: &str| self.name.strip_prefix(family).is_some();
        match self.name {
            ":within_distance" => true,
            ":match_prefix"
            | ":string:starts_with"
            | ":string:ends_with"
            | ":string:contains"
            | ":string:matches" => argument == 1,
            _ => {
                let families = [":time:", ":duration:", ":float:", ":interval:"];
                self.is_integer_ordering() || families.into_iter().any(compares)
            }
        }
    }
}

/// An argument of a built-in predicate.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// [`Mode::Input`]: must have a value before. [`Mode::Output`]: a fresh variable that gets one. [`Mode::Either`]: tests a
    /// value, or gives a fresh variable one.
    pub mode: Mode,
    /// Its type; type variables are single capitals.
    pub ty: &'static str,
    /// Whether the engine takes only a literal constant here.
    pub constant: bool,
    /// For [`Mode::Either`]: the day since which the argument may have a value. Before, it is an output.
    pub bound_since: Option<&'static str>,
}

impl Parameter {
    /// The mode to the engine of a program.
    #[must_use]
    pub fn mode_in(&self, embedding: &Embedding) -> Mode {
        match self.bound_since {
            Some(since) if !embedding.has(since) => Mode::Output,
            _ => self.mode,
        }
    }
}

/// A built-in function or reducer.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinFunction {
    /// The name with its `fn:`.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: Arity,
    /// The types of its arguments. Of a variadic function: of the arguments that repeat.
    pub parameters: &'static [&'static str],
    /// The type of its value. For [`FunctionRole::Reducer`]: of what the rows of a group become.
    pub result: &'static str,
    /// Where it may stand.
    pub role: FunctionRole,
    /// Whether the reference's analysis knows it. It still evaluates an unregistered one in a
    /// clause head, where it does not look.
    pub registered: bool,
    /// Whether the reference's engine can compute it. One that it cannot aborts the evaluation.
    pub evaluable: bool,
    /// What it computes, in one line.
    pub description: &'static str,
    /// The day on which the reference got it, `YYYY-MM-DD`.
    pub since: &'static str,
}

impl BuiltinFunction {
    /// Whether it reduces the rows of a group to one value.
    #[must_use]
    pub fn is_reducer(&self) -> bool {
        matches!(self.role, FunctionRole::Reducer { .. })
    }

    /// Whether it is a reducer that is also a function of one list.
    #[must_use]
    pub fn takes_list(&self) -> bool {
        self.role == FunctionRole::Reducer { list_form: true }
    }

    /// Whether it can be written anywhere with success.
    #[must_use]
    pub fn usable(&self) -> bool {
        self.registered && self.evaluable
    }
}

/// Where a function may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionRole {
    /// In any expression.
    Function,
    /// In a `let` after `do fn:group_by(…)`.
    Reducer {
        /// Whether the engine also applies it to a list, in any expression.
        list_form: bool,
    },
    /// Behind `do` alone: `fn:group_by`.
    Grouping,
}

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// This many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
    /// Keys and values: an even number.
    Pairs,
}

impl Arity {
    /// Whether a call with `count` arguments is right.
    #[must_use]
    pub fn accepts(self, count: usize) -> bool {
        match self {
            Self::Exactly(wanted) => count == wanted,
            Self::AtLeast(wanted) => count >= wanted,
            Self::Pairs => count.is_multiple_of(2),
        }
    }
}

impl std::fmt::Display for Arity {
    /// "no argument", "2 arguments", "at least 1 argument", "an even number of arguments".
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Self::Exactly(0) => f.write_str("no argument"),
            Self::Exactly(count) => write!(f, "{count} argument{}", plural(count)),
            Self::AtLeast(0) => f.write_str("any number of arguments"),
            Self::AtLeast(count) => write!(f, "at least {count} argument{}", plural(count)),
            Self::Pairs => f.write_str("an even number of arguments (keys and values)"),
        }
    }
}

/// The built-in predicate of this name.
#[must_use]
pub fn predicate(name: &str) -> Option<&'static BuiltinPredicate> {
    let index = PREDICATES.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
    PREDICATES.get(index)
}

/// The built-in function or reducer of this name, usable or not.
#[must_use]
pub fn function(name: &str) -> Option<&'static BuiltinFunction> {
    let index = FUNCTIONS.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
    FUNCTIONS.get(index)
}

/// Whether `name` (with its `fn:`) constructs types: `fn:List`, written `.List<…>` too.
#[must_use]
pub fn is_type_constructor(name: &str) -> bool {
    TYPE_CONSTRUCTORS.contains(&name)
}

/// The functions that mean something in a `bound […]`, and nowhere else.
pub const TYPE_CONSTRUCTORS: &[&str] = &[
    "fn:Fun",
    "fn:List",
    "fn:Map",
    "fn:Option",
    "fn:Pair",
    "fn:Rel",
    "fn:Singleton",
    "fn:Struct",
    "fn:TaggedUnion",
    "fn:Tuple",
    "fn:Union",
    "fn:opt",
];

/// The first release that has what came on the day `since`; `None` when no release has it yet.
#[must_use]
pub fn first_release(since: &str) -> Option<&'static str> {
    RELEASES.iter().find(|(_, day)| since <= *day).map(|(release, _)| *release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_found() {
        assert!(PREDICATES.is_sorted_by(|a, b| a.name < b.name));
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
        assert!(TYPE_CONSTRUCTORS.is_sorted());
        assert!(PREDICATES.iter().all(|entry| predicate(entry.name) == Some(entry)));
        assert!(FUNCTIONS.iter().all(|entry| function(entry.name) == Some(entry)));
        assert_eq!(function("fn:List"), None);
        assert_eq!(predicate(":lte"), None);
    }

    /// The counts of the reference at the revision that the tables describe.
    #[test]
    fn nothing_is_missing() {
        assert_eq!(PREDICATES.len(), 38);
        let registered = FUNCTIONS.iter().filter(|entry| entry.registered);
        let (reducers, others): (Vec<_>, Vec<_>) = registered.partition(|entry| entry.is_reducer());
        assert_eq!((reducers.len(), others.len()), (17, 63));
    }

    #[test]
    fn arities_agree_with_parameters() {
        for entry in FUNCTIONS {
            match entry.arity {
                Arity::Exactly(count) => assert_eq!(entry.parameters.len(), count, "{}", entry.name),
                Arity::Pairs => assert_eq!(entry.parameters.len(), 2, "{}", entry.name),
                Arity::AtLeast(_) => assert_eq!(entry.parameters.len(), 1, "{}", entry.name),
            }
        }
    }

    #[test]
    fn releases() {
        let since = |name| function(name).and_then(|entry| first_release(entry.since));
        assert_eq!(since("fn:plus"), Some("0.1.0"));
        assert_eq!(since("fn:sqrt"), Some("0.3.0"));
        assert_eq!(since("fn:time:add"), Some("0.5.0"));
        assert_eq!(since("fn:mod"), Some("0.6.0"));
        assert_eq!(first_release("2026-12-24"), None);
    }
}
