//! Versions that options choose instead of the settings.

use mangle_settings::{EngineChoice, FILE_NAME, RuntimeChoice};

/// The versions that options choose for all programs; `None`: the settings decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VersionOptions {
    pub engine: Option<EngineChoice>,
    pub runtime: Option<RuntimeChoice>,
}

impl VersionOptions {
    /// Refuses versions for a server, which takes them from the settings of each project.
    ///
    /// # Errors
    /// If there are any.
    pub fn refuse(self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self == Self::default(),
            "a server takes no `--engine` and `--runtime`; set them in {FILE_NAME}"
        );
        Ok(())
    }
}
