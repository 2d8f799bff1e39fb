//! `mangle.lenses` in the settings of an editor: above which rules and predicates it shows a line.

use super::declare::settings;

settings! {
    /// Which lenses are shown; nothing of it is in a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LensSettings("mangle.lenses") {
        /// Show lenses above all rules and predicates, also where there are no solutions.
        all: bool;
    }
}
