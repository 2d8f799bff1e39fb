//! `--engine` and `--runtime`: reference versions that override the settings.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use mangle_host::VersionOptions;
use mangle_settings::versions::engine_names;
use mangle_settings::{EngineChoice, RuntimeChoice};
use mangle_syntax::text::{listed, nearest};

/// The options about versions, which all commands have.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct VersionArgs {
    /// The version of the engine, instead of the version in the settings: auto, a name from
    /// `mangle-ls version`, a release, or a date
    #[arg(long, global = true, value_name = "VERSION", value_parser = engine)]
    engine: Option<EngineChoice>,
    /// The runtime that reads replies, instead of the runtime in the settings. none: only the rules
    /// of the protocol
    #[arg(long, global = true, value_name = "VERSION", value_parser = runtimes())]
    runtime: Option<RuntimeChoice>,
}

impl VersionArgs {
    /// The chosen versions.
    pub(super) fn options(self) -> VersionOptions {
        VersionOptions { engine: self.engine, runtime: self.runtime }
    }
}

/// Parses the name of an engine version.
pub(super) fn engine(word: &str) -> Result<EngineChoice, String> {
    EngineChoice::parse(word).ok_or_else(|| {
        let names: Vec<&str> = std::iter::once("auto").chain(engine_names()).collect();
        let similar = nearest(word, names.iter().copied());
        let hint = similar.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
        format!(
            "{hint}the versions are {}; a day such as 2026-06-30 is the engine of that day",
            listed(names.iter().copied())
        )
    })
}

/// Parses the name of a runtime.
pub(super) fn runtimes() -> impl TypedValueParser<Value = RuntimeChoice> {
    PossibleValuesParser::new(RuntimeChoice::words())
        .map(|word| RuntimeChoice::parse(&word).unwrap_or_default())
}
