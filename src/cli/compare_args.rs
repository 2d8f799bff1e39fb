//! `--compare-engine` and `--compare-runtime`: versions to compare the chosen versions with.

use clap::Args;

use super::surroundings;
use super::version_args::{engine, runtimes};
use mangle_host::VersionOptions;
use mangle_settings::{EngineChoice, RuntimeChoice};

/// The runtime to compare with.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct CompareRuntimeArgs {
    /// Compare with this version of the runtime
    #[arg(long, value_name = "VERSION", value_parser = runtimes())]
    pub(super) compare_runtime: Option<RuntimeChoice>,
}

/// The versions to compare with.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct CompareVersionArgs {
    /// Compare with this version of the engine
    #[arg(long, value_name = "VERSION", value_parser = engine)]
    compare_engine: Option<EngineChoice>,
    #[command(flatten)]
    runtime: CompareRuntimeArgs,
}

impl CompareRuntimeArgs {
    /// The versions to compare with, if the option is given. The engine stays the same.
    pub(super) fn versions(self) -> Option<VersionOptions> {
        let runtime = Some(self.compare_runtime?);
        Some(VersionOptions { runtime, ..surroundings::versions() })
    }
}

impl CompareVersionArgs {
    /// The versions to compare with, if an option is given. Versions without an option stay the
    /// same.
    pub(super) fn versions(self) -> Option<VersionOptions> {
        let chosen = surroundings::versions();
        let is_given = self.compare_engine.is_some() || self.runtime.compare_runtime.is_some();
        is_given.then(|| VersionOptions {
            engine: self.compare_engine.or(chosen.engine),
            runtime: self.runtime.compare_runtime.or(chosen.runtime),
        })
    }
}
