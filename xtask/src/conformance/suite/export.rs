//! Writes the suite: one file of cases for each kind, a manifest and a README.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::case::{Case, Expectation};
use super::kind::Kind;
use super::{language, runtime};

/// The version of the format, which changes if a reader of the previous format fails.
pub(super) const FORMAT: u64 = 1;

/// The recordings of the repository.
pub(super) struct Recordings {
    /// The folder `tests/conformance`.
    pub(super) folder: PathBuf,
    /// The lists `engines` and `runtimes`. The recordings of the first version of a list are in `folder` itself.
    pub(super) versions: Value,
    /// Parts of expectations that are defects of the recorded program, by case, version and part.
    disputed: Vec<Value>,
}

/// Writes the suite into a folder, and returns the number of cases of each kind.
pub(crate) fn export(recordings: &Path, target: &Path) -> Result<BTreeMap<Kind, usize>> {
    let recordings = Recordings::open(recordings)?;
    fs::create_dir_all(target).with_context(|| format!("cannot create {}", target.display()))?;
    let mut counts = BTreeMap::new();
    for kind in Kind::ALL {
        let cases = recordings.cases(kind)?;
        counts.insert(kind, cases.len());
        let lines: String = cases.iter().map(|case| format!("{}\n", case.line())).collect();
        write(&target.join(kind.file()), lines.as_bytes())?;
    }
    let files = counts.iter().map(|(kind, count)| (kind.file(), json!(count)));
    let mut manifest = json!({ "format": FORMAT, "files": files.collect::<Map<_, _>>() });
    for list in ["engines", "runtimes"] {
        manifest[list] = recordings.versions[list].clone();
    }
    write(&target.join("suite.json"), format!("{manifest:#}\n").as_bytes())?;
    write(&target.join("README.md"), &fs::read(recordings.folder.join("suite/README.md"))?)?;
    Ok(counts)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

impl Recordings {
    fn open(folder: &Path) -> Result<Self> {
        let suite = folder.join("suite");
        let versions = fs::read_to_string(suite.join("versions.json"))
            .with_context(|| format!("{} has no suite/versions.json", folder.display()))?;
        Ok(Self {
            versions: serde_json::from_str(&versions).context("suite/versions.json")?,
            disputed: lines(&suite.join("disputed.jsonl"))?,
            folder: folder.to_owned(),
        })
    }

    /// The names of a list of versions, with the folder of their recordings.
    pub(super) fn versions(&self, list: &str, prefix: &str) -> Vec<(String, PathBuf)> {
        let names = self.versions[list].as_array().into_iter().flatten();
        let names = names.filter_map(|version| version["name"].as_str());
        let folder = |(at, name): (usize, &str)| {
            let own = self.folder.join("versions").join(format!("{prefix}{name}"));
            (name.to_owned(), if at == 0 { self.folder.clone() } else { own })
        };
        names.enumerate().map(folder).collect()
    }

    fn cases(&self, kind: Kind) -> Result<Vec<Case>> {
        let mut cases = Cases::default();
        match kind {
            Kind::Language => language::collect(self, &mut cases)?,
            Kind::Replies | Kind::Updates | Kind::ToolCalls => runtime::collect(self, kind, &mut cases)?,
        }
        for row in self.disputed.iter().filter(|row| row["suite"] == kind.name()) {
            cases.dispute(row)?;
        }
        Ok(cases.0.into_values().collect())
    }
}

/// Cases by id.
#[derive(Default)]
pub(super) struct Cases(BTreeMap<String, Case>);

impl Cases {
    /// Adds the result of a version to a case, which is new or has the same input.
    pub(super) fn add(
        &mut self,
        id: &str,
        input: Map<String, Value>,
        version: &str,
        expectation: Expectation,
    ) -> Result<()> {
        let new = || Case { id: id.to_owned(), input: input.clone(), expected: BTreeMap::new() };
        let case = self.0.entry(id.to_owned()).or_insert_with(new);
        anyhow::ensure!(case.input == input, "two cases with the name {id}");
        let previous = case.expected.insert(version.to_owned(), expectation);
        anyhow::ensure!(previous.is_none(), "two results of {version} for {id}");
        Ok(())
    }

    /// Marks a part of expectations as disputed, with the reason.
    fn dispute(&mut self, row: &Value) -> Result<()> {
        let word = |name: &str| row[name].as_str().with_context(|| format!("no `{name}` in {row}"));
        let (id, part, reason) = (word("id")?, word("part")?, word("reason")?);
        let case = self.0.get_mut(id).with_context(|| format!("no case {id} to dispute"))?;
        let version = row.get("version").and_then(Value::as_str);
        let mut marked = false;
        for (name, expectation) in &mut case.expected {
            if version.is_none_or(|version| version == name) {
                let disputed = expectation.entry("disputed").or_insert_with(|| json!({}));
                disputed[part] = reason.into();
                marked = true;
            }
        }
        anyhow::ensure!(marked, "{id} has no result of {version:?}");
        Ok(())
    }
}

/// The lines of a file of recordings.
pub(super) fn lines(path: &Path) -> Result<Vec<Value>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = |(at, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), at + 1))
    };
    text.lines().enumerate().map(line).collect()
}
