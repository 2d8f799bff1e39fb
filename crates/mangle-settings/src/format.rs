//! `[format]`: how files are laid out.

use super::declare::settings;
use super::kinds::Integer;

settings! {
    /// `[format]`
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FormatSettings("format") {
        /// How many columns the premises of a rule and the arguments of a broken atom are indented. It counts
        /// rather than what the editor is set to.
        indent: u32 as Integer<1, 16> = 4;
        /// Lines are broken only beyond this many columns.
        width: u32 as Integer<40, 1000> = 100;
    }
}
