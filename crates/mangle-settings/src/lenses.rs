//! `mangle.lenses`: the code lenses that an editor shows above rules and predicates.

use super::declare::settings;

settings! {
    /// The code lenses to show. These settings belong to the editor, not to a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LensSettings("mangle.lenses") {
        /// Show lenses above all rules and predicates, even without solutions.
        all: bool;
    }
}
