//! `mangle.lenses` in the settings of an editor: above which rules and predicates it shows a line.

use super::declare::settings;

settings! {
    /// The code lenses to show. These settings belong to the editor, not to a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LensSettings("mangle.lenses") {
        /// Show lenses above all rules and predicates, even without solutions.
        all: bool;
    }
}
