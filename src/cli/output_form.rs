//! Output format of commands about the tool itself.

use clap::ValueEnum;

use super::output::Medium;

/// The format of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputForm {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

impl OutputForm {
    pub(super) fn medium(self) -> Medium {
        Medium::json_if(self == Self::Json)
    }
}
