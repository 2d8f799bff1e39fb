//! Data about the project from `cargo metadata`: version, repository, and the crates in the order of their publication.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::output;

/// The address in manifests that are only written to be checked.
const TRIAL: &str = "https://github.com/owner/mangle-ls";

/// The package that a release is named after.
const MAIN: &str = "mangle-ls";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) description: Option<String>,
    pub(super) license: Option<String>,
    repository: Option<String>,
    pub(super) readme: Option<String>,
    pub(super) keywords: Vec<String>,
    pub(super) categories: Vec<String>,
    /// The registries that it may be published to; `None` means any, an empty list means none.
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
}

/// A dependency of any kind.
#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// The required version, for example `^0.1.0`; `*` if it has only a path.
    pub(super) req: String,
    pub(super) kind: Option<String>,
    path: Option<String>,
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    /// The dependencies on other crates of the workspace.
    pub(super) fn siblings(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|it| it.path.is_some())
    }
}

/// The data that manifests of packages contain.
pub(super) struct Project {
    pub(super) version: String,
    pub(super) description: String,
    pub(super) license: String,
    /// The address of the repository, without a slash at the end.
    pub(super) repository: String,
    /// The crates that are published, each after the crates that it depends on.
    pub(super) crates: Vec<Package>,
}

impl Project {
    /// The project that is released: the workflow knows the address of its repository, if Cargo.toml has none.
    pub(super) fn read() -> Result<Project> {
        let project = Self::for_trial()?;
        ensure!(
            project.repository != TRIAL,
            "no address of a repository: set `repository` in Cargo.toml, or GITHUB_REPOSITORY to owner/name"
        );
        Ok(project)
    }

    /// As [`Self::read`], with an address for trials if none is known.
    pub(super) fn for_trial() -> Result<Project> {
        let mut cargo = crate::cargo();
        let text = output(cargo.args(["metadata", "--format-version", "1", "--no-deps", "--offline"]))?;
        let metadata: Metadata = serde_json::from_str(&text).context("cannot read the metadata of cargo")?;
        let crates = in_order(metadata.packages.into_iter().filter(Package::is_published).collect())?;
        let main = crates.iter().find(|it| it.name == MAIN).with_context(|| format!("no crate {MAIN}"))?;
        let field = |name: &str, value: &Option<String>| {
            value.clone().with_context(|| format!("Cargo.toml has no {name}"))
        };
        Ok(Project {
            version: main.version.clone(),
            description: field("description", &main.description)?,
            license: field("license", &main.license)?,
            repository: address(main.repository.as_deref()),
            crates,
        })
    }

    /// A field that manifests contain, by the name of its placeholder.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        Some(match name {
            "version" => &self.version,
            "description" => &self.description,
            "license" => &self.license,
            "repository" => &self.repository,
            _ => return None,
        })
    }

    /// Owner and name of the repository on GitHub.
    pub(super) fn owner_and_name(&self) -> Result<(&str, &str)> {
        self.repository
            .strip_prefix("https://github.com/")
            .and_then(|path| path.split_once('/'))
            .with_context(|| format!("{} is not a repository on GitHub", self.repository))
    }
}

fn address(of_manifest: Option<&str>) -> String {
    let of_workflow = std::env::var("GITHUB_REPOSITORY").ok().filter(|name| name.contains('/'));
    let of_workflow = of_workflow.map(|name| format!("https://github.com/{name}"));
    let address = of_manifest.map(str::to_owned).or(of_workflow);
    address.map_or_else(|| TRIAL.to_owned(), |address| address.trim_end_matches('/').to_owned())
}

/// Sorts crates so that each follows its dependencies. Tests of a crate also need theirs, if these have a version.
fn in_order(packages: Vec<Package>) -> Result<Vec<Package>> {
    let mut waiting: BTreeMap<String, Package> =
        packages.into_iter().map(|package| (package.name.clone(), package)).collect();
    let mut sorted = Vec::new();
    while !waiting.is_empty() {
        let ready: BTreeSet<String> = waiting
            .values()
            .filter(|package| {
                let mut needed =
                    package.siblings().filter(|it| it.kind.as_deref() != Some("dev") || it.req != "*");
                needed.all(|it| !waiting.contains_key(&it.name))
            })
            .map(|package| package.name.clone())
            .collect();
        ensure!(!ready.is_empty(), "these crates depend on each other: {:?}", waiting.keys());
        sorted.extend(ready.iter().filter_map(|name| waiting.remove(name)));
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, needs: &[&str]) -> Result<Package> {
        let dependencies: Vec<_> = needs
            .iter()
            .map(|name| serde_json::json!({"name": name, "req": "^1", "kind": null, "path": "/x"}))
            .collect();
        Ok(serde_json::from_value(serde_json::json!({
            "name": name, "version": "1.0.0", "keywords": [], "categories": [], "dependencies": dependencies,
        }))?)
    }

    #[test]
    fn a_crate_follows_its_dependencies() -> Result<()> {
        let packages = vec![package("a", &["b", "c"])?, package("b", &["c"])?, package("c", &[])?];
        let names: Vec<String> = in_order(packages)?.into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["c", "b", "a"]);
        Ok(())
    }

    #[test]
    fn a_cycle_of_crates_is_an_error() -> Result<()> {
        let packages = vec![package("a", &["b"])?, package("b", &["a"])?];
        assert!(in_order(packages).is_err_and(|error| error.to_string().contains("depend on each other")));
        Ok(())
    }
}
