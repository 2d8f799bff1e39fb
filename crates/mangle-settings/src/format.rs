//! `[format]`: indentation and line width of formatted files.

use super::declare::settings;
use super::kinds::Integer;

settings! {
    /// `[format]`
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FormatSettings("format") {
        /// Columns of indentation for premises and for arguments of a broken atom. The setting of the editor
        /// is ignored.
        indent: u32 as Integer<1, 16> = 4;
        /// Lines are broken only beyond this many columns.
        width: u32 as Integer<40, 1000> = 100;
    }
}
