//! SARIF 2.1.0 log with one run, for code scanning services and viewers.
//!
//! Columns are in UTF-16 code units, the default for readers that ignore `columnKind`. Paths inside
//! the working folder are relative to `%SRCROOT%`.

mod results;
mod rules;
mod run;

use std::path::Path;

use serde_json::{Value, json};

use self::results::Results;
pub use self::run::SarifRun;
use self::run::{ROOT, artifact, message, present};
use super::uri::folder_uri;
use super::{ReportEntry, Sources};
use mangle_syntax::lint::address;

/// The required URL of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log, with a line end.
#[must_use]
pub fn sarif(entries: &[ReportEntry], sources: &Sources, run: &SarifRun<'_>) -> String {
    let rules: Vec<_> = run.rules.iter().map(|rule| rules::descriptor(rule)).collect();
    let driver = present(json!({
        "informationUri": address("README.md"),
        "name": "mangle-ls",
        "rules": rules,
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "version": env!("CARGO_PKG_VERSION"),
    }));
    let log = json!({
        "$schema": SCHEMA,
        "runs": [{
            "columnKind": "utf16CodeUnits",
            "invocations": [invocation(run)],
            "newlineSequences": ["\r\n", "\n", "\r"],
            "originalUriBaseIds": { ROOT: { "uri": folder_uri(run.root) } },
            "results": Results { sources, run }.all(entries),
            "tool": { "driver": driver },
        }],
        "version": "2.1.0",
    });
    // Serialization of strings and numbers cannot fail. The fallback is an empty text.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn invocation(run: &SarifRun<'_>) -> Value {
    let notification = |&(path, why): &(&Path, &str)| {
        json!({
            "level": "error",
            "locations": [{ "physicalLocation": { "artifactLocation": artifact(run.root, path) } }],
            "message": message(&format!("This cannot be checked: {why}.")),
        })
    };
    json!({
        "executionSuccessful": run.failures.is_empty(),
        "exitCode": run.exit_code,
        "toolExecutionNotifications": run.failures.iter().map(notification).collect::<Vec<_>>(),
    })
}
