//! What is wrong with the settings that a command uses.

use crate::report::LoadErrors;

/// What is wrong with the settings that a command uses.
#[derive(Debug, Clone, Default)]
pub struct SettingsProblems {
    /// The errors because of which the settings of a configuration file do not hold.
    pub errors: LoadErrors,
    /// The lines that are ignored, each as a sentence with its place.
    pub ignored: Vec<String>,
}
