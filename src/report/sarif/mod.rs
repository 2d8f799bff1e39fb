//! SARIF 2.1.0: one log with one run, for code scanning services and viewers.
//!
//! Places are in UTF-16 code units, which readers assume that never look at `columnKind`. Paths are relative to the
//! working folder, `%SRCROOT%`, as far as they lie below it.

mod results;
mod rules;
mod run;

use std::collections::BTreeMap;
use std::path::Path;

use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Notification, PhysicalLocation, Run, Sarif, Tool, ToolComponent,
};

use self::results::Results;
pub use self::run::SarifRun;
use self::run::{ROOT, artifact, message};
use super::uri::folder_uri;
use super::{ReportEntry, Sources};
use mangle_syntax::lint::address;

/// Where the schema of the format is, which a log has to say.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log, with a line end.
#[must_use]
pub fn sarif(entries: &[ReportEntry], sources: &Sources, run: &SarifRun<'_>) -> String {
    let mut driver = ToolComponent::builder()
        .name("mangle-ls")
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(run.rules.iter().map(|rule| rules::descriptor(rule)).collect::<Vec<_>>())
        .build();
    driver.information_uri = address("README.md");
    let root = ArtifactLocation::builder().uri(folder_uri(run.root)).build();
    let results = Results { sources, run }.all(entries);
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation(run)])
        .column_kind("utf16CodeUnits")
        .newline_sequences(["\r\n", "\n", "\r"].map(String::from).to_vec())
        .original_uri_base_ids(BTreeMap::from([(ROOT.to_owned(), root)]))
        .results(results)
        .build();
    let log = Sarif::builder().schema(SCHEMA).version("2.1.0").runs(vec![run]).build();
    // Serialising strings and numbers cannot fail; the empty text stands for what cannot happen.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn invocation(run: &SarifRun<'_>) -> Invocation {
    let notification = |&(path, why): &(&Path, &str)| {
        Notification::builder()
            .level("error")
            .message(message(&format!("This cannot be checked: {why}.")))
            .locations(vec![location(run.root, path)])
            .build()
    };
    Invocation::builder()
        .execution_successful(run.failures.is_empty())
        .exit_code(run.exit_code)
        .tool_execution_notifications(run.failures.iter().map(notification).collect::<Vec<_>>())
        .build()
}

/// A file as a whole.
fn location(root: &Path, path: &Path) -> Location {
    let place = PhysicalLocation::builder().artifact_location(artifact(root, path)).build();
    Location::builder().physical_location(place).build()
}
