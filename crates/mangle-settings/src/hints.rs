//! `mangle.hints` in the settings of an editor: which words it shows between the words of a program.

use super::declare::settings;
use super::words::words;

settings! {
    /// Which hints are wanted; nothing of it is in a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct HintSettings("mangle.hints") {
        /// Which arguments are shown with the names of their parameters: none, constants, or all that do not say
        /// it themselves. Of facts in a row the first one has them.
        arguments: ArgumentHints;
        /// Show the inferred types of variables where the body has them first.
        types: bool;
        /// Show what the columns of a predicate without `Decl` hold, at its first clause.
        columns: bool = true;
        /// Show the names of the parameters in `bound […]`.
        bounds: bool;
        /// Mark rules that have no solutions with any sample. Without a sample none is marked.
        unfired: bool = true;
    }
}

words! {
    /// Which arguments are named.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ArgumentHints {
        /// None.
        Off = "off",
        /// Constants.
        #[default]
        Constants = "constants",
        /// All, unless they say it themselves.
        All = "all",
    }
}
