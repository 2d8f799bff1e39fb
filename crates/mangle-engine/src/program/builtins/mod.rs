//! Tables of the built-in predicates and functions of the engine.
//!
//! Includes the names of the type constructors and corrections of common wrong names. The behavior
//! of the built-ins is in `kernel`, checks of calls are in `analysis`. Types are text in Mangle
//! notation, which `types` parses.

mod near;
mod tables;

pub use near::{NameCorrection, correction, is_evident, similar_function, similar_predicate};
pub use tables::{FUNCTIONS, PREDICATES};

use mangle_settings::versions::RELEASES;

use super::{Mode, ProgramEnvironment};

/// A built-in predicate.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinPredicate {
    /// The name with its leading colon.
    pub name: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// A one-line description for readers who do not know the predicate.
    pub description: &'static str,
    /// The day of the addition to the Go implementation, `YYYY-MM-DD`.
    pub since: &'static str,
}

impl BuiltinPredicate {
    /// The number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.parameters.len()
    }

    /// True for the integer comparisons `:lt`, `:le`, `:gt` and `:ge`, also written `<`, `<=`, `>`
    /// and `>=`.
    #[must_use]
    pub fn is_integer_ordering(&self) -> bool {
        matches!(self.name, ":lt" | ":le" | ":gt" | ":ge")
    }

    /// True if the engine aborts the evaluation at a value of the wrong kind in this argument. If
    /// false, the premise does not hold for such a value.
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

/// A parameter of a built-in predicate.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The mode.
    ///
    /// - [`Mode::Input`]: the argument must already have a value.
    /// - [`Mode::Output`]: a fresh variable that receives a value.
    /// - [`Mode::Either`]: a value or a fresh variable.
    pub mode: Mode,
    /// The type. Type variables are single capital letters.
    pub ty: &'static str,
    /// True if the engine accepts only a literal constant.
    pub constant: bool,
    /// For [`Mode::Either`]: the day since which the argument may have a value, `YYYY-MM-DD`. In
    /// older engines it is an output.
    pub bound_since: Option<&'static str>,
}

impl Parameter {
    /// The mode in the engine version of a program.
    #[must_use]
    pub fn mode_in(&self, embedding: &ProgramEnvironment) -> Mode {
        match self.bound_since {
            Some(since) if !embedding.has(since) => Mode::Output,
            _ => self.mode,
        }
    }
}

/// A built-in function or reducer.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinFunction {
    /// The name with its `fn:` prefix.
    pub name: &'static str,
    /// The accepted number of arguments.
    pub arity: Arity,
    /// The parameter types. A variadic function lists the types that repeat.
    pub parameters: &'static [&'static str],
    /// The result type. For [`FunctionRole::Reducer`], the type of the reduced value.
    pub result: &'static str,
    /// The allowed contexts of a call.
    pub role: FunctionRole,
    /// True if the analysis of the Go implementation accepts it. An unregistered function is still
    /// evaluated in a clause head, which the analysis does not check.
    pub registered: bool,
    /// True if the Go engine can compute it. If false, a call aborts the evaluation.
    pub evaluable: bool,
    /// A one-line description of the result.
    pub description: &'static str,
    /// The day of the addition to the Go implementation, `YYYY-MM-DD`.
    pub since: &'static str,
}

impl BuiltinFunction {
    /// True if it reduces the rows of a group to one value.
    #[must_use]
    pub fn is_reducer(&self) -> bool {
        matches!(self.role, FunctionRole::Reducer { .. })
    }

    /// True if it is a reducer that is also a function of one list.
    #[must_use]
    pub fn takes_list(&self) -> bool {
        self.role == FunctionRole::Reducer { list_form: true }
    }

    /// True if calls are both accepted and evaluated.
    #[must_use]
    pub fn usable(&self) -> bool {
        self.registered && self.evaluable
    }
}

/// The allowed contexts of a function call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionRole {
    /// Any expression.
    Function,
    /// A `let` after `do fn:group_by(…)`.
    Reducer {
        /// True if the engine also applies it to a list, in any expression.
        list_form: bool,
    },
    /// Only after `do`: `fn:group_by`.
    Grouping,
}

/// The accepted number of arguments of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this number.
    Exactly(usize),
    /// This number or more.
    AtLeast(usize),
    /// An even number: keys and values.
    Pairs,
}

impl Arity {
    /// True if a call with `count` arguments is accepted.
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

/// The built-in predicate with this name.
#[must_use]
pub fn predicate(name: &str) -> Option<&'static BuiltinPredicate> {
    let index = PREDICATES.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
    PREDICATES.get(index)
}

/// The built-in function or reducer with this name, including unusable ones.
#[must_use]
pub fn function(name: &str) -> Option<&'static BuiltinFunction> {
    let index = FUNCTIONS.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
    FUNCTIONS.get(index)
}

/// True if `name` (with `fn:`) is a type constructor: `fn:List` is also written `.List<…>`.
#[must_use]
pub fn is_type_constructor(name: &str) -> bool {
    TYPE_CONSTRUCTORS.contains(&name)
}

/// The functions that are valid only in a `bound […]`.
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

/// The first release that includes a change of the day `since` (`YYYY-MM-DD`). `None` if the change
/// is not released yet.
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

    /// The counts in the Go implementation at the revision that the tables describe.
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
