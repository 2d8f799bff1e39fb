//! `mangle.hints` in the settings of an editor: which words it shows between the words of a program.

use super::words::words;

/// Which hints are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintSettings {
    /// Names of arguments.
    pub arguments: ArgumentHints,
    /// Types of variables where a body has them first.
    pub types: bool,
    /// What the columns of a predicate without `Decl` hold, at its first head.
    pub columns: bool,
    /// Names of parameters in `bound […]`.
    pub bounds: bool,
    /// That a rule gives nothing with the sample.
    pub unfired: bool,
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

impl Default for HintSettings {
    fn default() -> Self {
        Self {
            arguments: ArgumentHints::default(),
            types: false,
            columns: true,
            bounds: false,
            unfired: true,
        }
    }
}
