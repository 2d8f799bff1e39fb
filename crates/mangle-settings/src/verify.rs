//! `[verify]`: over which worlds properties of policies are checked.

use super::declare::settings;
use super::kinds::Integer;
use super::program::Predicate;
use super::words::words;
use mangle_syntax::text::Symbol;

settings! {
    /// `[verify]`
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct VerifySettings("verify") {
        /// What the facts of a world are of, as `name/arity`. Without any, the predicates that others than the program
        /// give facts of: those declared `extensional()` or `external()`, those of `host_predicates`, and those without
        /// rules and facts. `@inputs` overrides it.
        inputs: Vec<(Symbol, u16)> as Vec<Predicate>;
        /// The most facts of a world. `@scope` and `--scope` override it.
        facts: u64 as Integer<0, 12> = 5;
        /// The most seconds for a property. `--time` overrides it.
        seconds: u64 as Integer<1, 86_400> = 10;
        /// The solver that decides properties whose values are not complete: `auto` takes `z3` and `cvc5`, whichever is on the
        /// search path; `none` uses none. `--solver` overrides it.
        solver: SolverChoice;
    }
}

words! {
    /// A solver that decides properties whose values are not complete.
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
