//! How commands about the tool itself write what they know.

use clap::ValueEnum;

/// For whom output is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}
