//! Crates as crates.io gets them: complete metadata, and packages that cargo can make.

use anyhow::{Result, ensure};

use super::output;
use super::project::{Package, Project};

/// Every crate has the metadata that crates.io shows, and requires the released version of the other crates.
pub(super) fn metadata(project: &Project) -> Result<()> {
    ensure!(project.crates.len() > 1, "only {} crates are published", project.crates.len());
    for package in &project.crates {
        let name = &package.name;
        let texts = [
            ("description", &package.description),
            ("license", &package.license),
            ("readme", &package.readme),
        ];
        for (field, value) in texts {
            ensure!(value.as_ref().is_some_and(|it| !it.is_empty()), "{name} has no {field}");
        }
        ensure!(!package.keywords.is_empty(), "{name} has no keywords");
        ensure!(!package.categories.is_empty(), "{name} has no categories");
        ensure!(package.version == project.version, "{name} has version {}", package.version);
        dependencies(project, package)?;
    }
    Ok(())
}

fn dependencies(project: &Project, package: &Package) -> Result<()> {
    for needed in package.siblings() {
        let (name, other) = (&package.name, &needed.name);
        // A crate without a version is only for the tests in this repository.
        if needed.req == "*" && needed.kind.as_deref() == Some("dev") {
            continue;
        }
        ensure!(
            needed.req == format!("^{}", project.version),
            "{name} requires {other} {}, not {}",
            needed.req,
            project.version
        );
        ensure!(
            project.crates.iter().any(|it| it.name == *other),
            "{name} needs {other}, which is not published"
        );
    }
    Ok(())
}

/// Cargo packages every crate. The packages are not compiled: that takes minutes, and is done in the workflow.
pub(super) fn packages(project: &Project) -> Result<()> {
    // Without a network, cargo needs every dependency in its cache, also those of other systems.
    package(project, &["--offline"]).or_else(|_| package(project, &[]))
}

fn package(project: &Project, options: &[&str]) -> Result<()> {
    let mut cargo = crate::cargo();
    cargo.args(["package", "--quiet", "--no-verify", "--allow-dirty"]).args(options);
    for package in &project.crates {
        cargo.args(["--package", &package.name]);
    }
    output(&mut cargo).map(drop)
}
