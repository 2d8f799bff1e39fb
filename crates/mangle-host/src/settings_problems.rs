//! Problems of the settings that a command uses.

use mangle_report::LoadErrors;

#[derive(Debug, Clone, Default)]
pub struct SettingsProblems {
    /// Errors that make the settings of a configuration file invalid.
    pub errors: LoadErrors,
    /// The ignored lines, each as a sentence with its position.
    pub ignored: Vec<String>,
}
