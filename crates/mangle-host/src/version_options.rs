//! Versions that command-line options set, which override the settings.

use mangle_settings::{EngineChoice, FILE_NAME, RuntimeChoice};

/// The versions for all programs. `None` uses the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VersionOptions {
    pub engine: Option<EngineChoice>,
    pub runtime: Option<RuntimeChoice>,
}

impl VersionOptions {
    /// Rejects version options for a server, which uses the settings of each project.
    ///
    /// # Errors
    ///
    /// If a version is set.
    pub fn refuse(self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self == Self::default(),
            "a server takes no `--engine` and `--runtime`; set them in {FILE_NAME}"
        );
        Ok(())
    }
}
