//! How commands about the tool itself write what they know.

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
    /// What is written to standard output.
    pub(super) fn medium(self) -> Medium {
        Medium::json_if(self == Self::Json)
    }
}
