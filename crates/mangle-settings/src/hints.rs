//! `mangle.hints`: the inlay hints that an editor shows.

use super::declare::settings;
use super::words::words;

settings! {
    /// The inlay hints to show. These settings belong to the editor, not to a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct HintSettings("mangle.hints") {
        /// Show parameter names as inlay hints: for no arguments, for constants only, or for all arguments
        /// without an obvious name. In a run of consecutive facts, only the first shows hints.
        arguments: ArgumentHints;
        /// Show the inferred types of variables at their first occurrence in the body.
        types: bool;
        /// Show the inferred types of the columns of a predicate without `Decl`, at its first clause.
        columns: bool = true;
        /// Show the names of the parameters in `bound […]`.
        bounds: bool;
        /// Mark rules without solutions in any sample. Without samples, no rule is marked.
        unfired: bool = true;
    }
}

words! {
    /// The arguments that are shown with parameter names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ArgumentHints {
        /// None.
        Off = "off",
        /// Constants.
        #[default]
        Constants = "constants",
        /// All arguments without an obvious name.
        All = "all",
    }
}
