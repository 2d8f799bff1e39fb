//! `[verify]`: the fact sets that properties of policies are checked against.

use super::declare::settings;
use super::kinds::Integer;
use super::program::Predicate;
use super::words::words;
use mangle_syntax::text::Symbol;

settings! {
    /// `[verify]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct VerifySettings("verify") {
        /// The predicates of facts in a world, for example `["request/2"]`. Default: predicates that are
        /// declared `extensional()` or `external()`, listed in `host_predicates`, or without rules and facts.
        /// `@inputs` overrides it.
        inputs: Vec<(Symbol, u16)> as Vec<Predicate>;
        /// Maximum number of facts in a world. `@scope` and `--scope` override it.
        facts: u64 as Integer<0, 12> = 5;
        /// Maximum number of seconds for a property. `--time` overrides it.
        seconds: u64 as Integer<1, 86_400> = 10;
        /// The solver for properties whose values are not complete: `auto` uses `z3` and `cvc5` if they are
        /// on the search path; `none` uses none. `--solver` overrides it.
        solver: SolverChoice;
    }
}

words! {
    /// A solver for properties whose values are not complete.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum SolverChoice {
        /// All that are on the search path, one after the other.
        #[default]
        Auto = "auto",
        /// No solver.
        None = "none",
        /// Z3.
        Z3 = "z3",
        /// cvc5.
        Cvc5 = "cvc5",
    }
}
