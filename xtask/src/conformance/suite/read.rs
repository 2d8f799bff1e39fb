//! Reads an exported suite. Lines that cannot be used are problems, which the report lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::case::Case;
use super::export::FORMAT;
use super::kind::Kind;

/// The cases of a suite.
#[derive(Debug, Default)]
pub(crate) struct Suite {
    /// The cases of each kind by id.
    pub(crate) cases: BTreeMap<Kind, BTreeMap<String, Case>>,
    /// Lines and members that were not understood, each with its place.
    pub(crate) problems: Vec<String>,
}

/// Reads the suite in a folder.
///
/// # Errors
///
/// If the manifest is missing, cannot be read or has another format.
pub(crate) fn read(folder: &Path) -> Result<Suite> {
    let manifest = folder.join("suite.json");
    let text = fs::read_to_string(&manifest)
        .with_context(|| format!("{} is not an exported suite", folder.display()))?;
    let manifest: Value = serde_json::from_str(&text).context("suite.json is not JSON")?;
    let format = &manifest["format"];
    anyhow::ensure!(format == FORMAT, "suite.json has format {format}; this program reads format {FORMAT}");
    let mut suite = Suite::default();
    for kind in Kind::ALL {
        let name = kind.file();
        let file = fs::read(folder.join(&name)).with_context(|| format!("cannot read {name}"))?;
        let mut cases = BTreeMap::new();
        for (at, line) in file.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let place = format!("{name}:{}", at + 1);
            match case(kind, line, &place, &mut suite.problems) {
                Err(problem) => suite.problems.push(format!("{place}: {problem:#}")),
                Ok(case) if cases.contains_key(&case.id) => {
                    suite.problems.push(format!("{place}: the id `{}` occurs twice", case.id));
                }
                Ok(case) => _ = cases.insert(case.id.clone(), case),
            }
        }
        let declared = &manifest["files"][&name];
        if declared != cases.len() {
            suite
                .problems
                .push(format!("{name}: {} cases are readable, suite.json lists {declared}", cases.len()));
        }
        suite.cases.insert(kind, cases);
    }
    Ok(suite)
}

/// The case of a line. Unknown members become problems.
fn case(kind: Kind, line: &[u8], place: &str, problems: &mut Vec<String>) -> Result<Case> {
    let mut members = object(serde_json::from_slice(line).context("not JSON")?)?;
    let id = members.shift_remove("id").as_ref().and_then(Value::as_str).context("no `id`")?.to_owned();
    let expected = object(members.shift_remove("expected").context("no `expected`")?)?;
    let mut versions = BTreeMap::new();
    for (version, expectation) in expected {
        let expectation = object(expectation).with_context(|| format!("`expected` of {version}"))?;
        let known = [kind.parts(), kind.remarks()].concat();
        for name in expectation.keys().filter(|name| !known.contains(&name.as_str())) {
            problems.push(format!("{place}: unknown member `{name}` in `expected` of {version}"));
        }
        versions.insert(version, expectation);
    }
    for name in members.keys().filter(|name| !kind.inputs().contains(&name.as_str())) {
        problems.push(format!("{place}: unknown member `{name}`"));
    }
    members.retain(|name, _| kind.inputs().contains(&name.as_str()));
    let case = Case { id, input: members, expected: versions };
    check_input(kind, &case)?;
    Ok(case)
}

fn check_input(kind: Kind, case: &Case) -> Result<()> {
    match kind {
        Kind::Language => {
            let files = case.input.get("files").and_then(Value::as_array).map_or(0, Vec::len);
            anyhow::ensure!(files > 0 && case.files().len() == files, "`files` cannot be read");
        }
        Kind::Replies => _ = case.raw().context("neither `raw` nor `raw_base64`")?,
        Kind::Updates => _ = case.text("update").context("no `update`")?,
        Kind::ToolCalls => {
            case.text("tool").context("no `tool`")?;
            case.text("args").context("no `args`")?;
        }
    }
    Ok(())
}

/// The members of an object.
pub(super) fn object(value: Value) -> Result<Map<String, Value>> {
    match value {
        Value::Object(members) => Ok(members),
        _ => anyhow::bail!("not an object"),
    }
}
