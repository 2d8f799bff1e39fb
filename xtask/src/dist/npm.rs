//! The npm packages: `mangle-ls` with a small script, and `@mangle-ls/PLATFORM` with the program of each platform.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::manifests::fill;
use super::project::Project;
use super::targets::{TARGETS, Target};

/// The scope of the packages with a program.
const SCOPE: &str = "@mangle-ls";

/// Writes the package of each target to `to/platforms`, and the package that depends on all of them to `to/mangle-ls`.
pub(super) fn write(project: &Project, archives: &Path, targets: &[&Target], to: &Path) -> Result<()> {
    for target in targets {
        write_platform(project, archives, target, &to.join("platforms").join(target.npm()))?;
    }
    let (from, to) = (crate::root().join("packaging/npm"), to.join("mangle-ls"));
    crate::editors::copy(&from, &to)?;
    write_license(&to)?;
    let template =
        fs::read_to_string(from.join("package.json")).context("cannot read packaging/npm/package.json")?;
    let text = fill(&template, |name| {
        project.field(name).map(str::to_owned).with_context(|| format!("unknown placeholder {name}"))
    })
    .context("packaging/npm/package.json")?;
    let mut package: Value = serde_json::from_str(&text).context("packaging/npm/package.json")?;
    let all: Map<String, Value> =
        TARGETS.iter().map(|target| (package_name(target), json!(project.version))).collect();
    package["optionalDependencies"] = Value::Object(all);
    write_json(&to.join("package.json"), &package)
}

fn write_platform(project: &Project, archives: &Path, target: &Target, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let archive = target.archive_in(archives, &project.version)?;
    super::archive::extract(&archive, target.program(), &to.join(target.program()))?;
    write_license(to)?;
    let name = package_name(target);
    fs::write(
        to.join("README.md"),
        format!(
            "# {name}\n\nThe program of `mangle-ls` for {}. Install the package `mangle-ls`.\n",
            target.rust
        ),
    )?;
    let mut package = json!({
        "name": name,
        "version": project.version,
        "description": format!("The program of mangle-ls for {}", target.rust),
        "license": project.license,
        "homepage": project.repository,
        "repository": { "type": "git", "url": format!("git+{}.git", project.repository) },
        "os": [target.os],
        "cpu": [target.cpu],
        "files": [target.program()],
        "preferUnplugged": true,
    });
    if let Some(libc) = target.libc {
        package["libc"] = json!([libc]);
    }
    write_json(&to.join("package.json"), &package)
}

fn package_name(target: &Target) -> String {
    format!("{SCOPE}/{}", target.npm())
}

fn write_license(to: &Path) -> Result<()> {
    fs::copy(crate::root().join("LICENSE"), to.join("LICENSE")).context("cannot copy LICENSE")?;
    Ok(())
}

fn write_json(to: &Path, value: &Value) -> Result<()> {
    fs::write(to, format!("{value:#}\n")).with_context(|| format!("cannot write {}", to.display()))
}
