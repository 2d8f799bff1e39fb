//! Manifests of package managers: the files in `packaging`, with version and checksums in place of `{{…}}`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::project::Project;
use super::targets::{self, TARGETS, Target};

/// The script that installs an archive. The copy in a release has the address of the repository.
const INSTALLER: &str = "install.sh";

/// The files in `packaging` that are not manifests.
const OTHERS: &[&str] = &["README.md", "npm"];

/// Writes every manifest for the archives in a folder, and `install.sh`, to `to`. The folder contains the archive of each
/// platform.
pub(super) fn write(project: &Project, archives: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    targets::complete(archives, &project.version)?;
    let folder = crate::root().join("packaging");
    let mut templates = vec![(PathBuf::from(INSTALLER), crate::root().join(INSTALLER))];
    for path in super::archive::files(&folder)? {
        let relative = path.strip_prefix(&folder)?.to_owned();
        if !OTHERS.iter().any(|other| relative.starts_with(other)) {
            templates.push((relative, path));
        }
    }
    let mut written = Vec::new();
    for (relative, path) in templates {
        let template =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = fill(&template, |name| value(project, archives, name))
            .with_context(|| format!("cannot fill in {}", path.display()))?;
        let target = to.join(relative);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))?;
        written.push(target);
    }
    Ok(written)
}

/// The value of a placeholder.
fn value(project: &Project, archives: &Path, name: &str) -> Result<String> {
    let (owner, repository) = project.owner_and_name()?;
    Ok(match name.split_once(':') {
        None if name == "owner" => owner.to_owned(),
        None if name == "name" => repository.to_owned(),
        None => project.field(name).with_context(|| format!("unknown placeholder {name}"))?.to_owned(),
        Some((kind, platform)) => {
            let target = TARGETS.iter().find(|target| target.rust == platform);
            let target = target.with_context(|| format!("no release has an archive for {platform}"))?;
            of_archive(project, archives, kind, target)?
        }
    })
}

fn of_archive(project: &Project, archives: &Path, kind: &str, target: &Target) -> Result<String> {
    let (version, repository) = (&project.version, &project.repository);
    let file = targets::archive_name(version, target.rust);
    Ok(match kind {
        "folder" => targets::folder_name(version, target.rust),
        "url" => format!("{repository}/releases/download/v{version}/{file}"),
        "sha256" => super::checksums::sha256(&target.archive_in(archives, version)?)?,
        _ => bail!("unknown placeholder {kind}:{}", target.rust),
    })
}

/// Replaces each `{{name}}` and `{{kind:platform}}`. Expressions with other characters belong to the package manager.
pub(super) fn fill(template: &str, value: impl Fn(&str) -> Result<String>) -> Result<String> {
    let is_ours = |name: &str| {
        !name.is_empty()
            && name.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':'))
    };
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        match after.split_once("}}") {
            Some((name, behind)) if is_ours(name) => {
                filled.push_str(&value(name)?);
                rest = behind;
            }
            _ => {
                filled.push_str("{{");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_and_foreign_expressions_kept() -> Result<()> {
        let text = fill("{{version}} {{ version }} {{.OS}} {{source.asset.bin}} {{sha256:a-b_c}}", |name| {
            Ok(format!("<{name}>"))
        })?;
        assert_eq!(text, "<version> {{ version }} {{.OS}} {{source.asset.bin}} <sha256:a-b_c>");
        Ok(())
    }

    #[test]
    fn an_unknown_placeholder_is_an_error() {
        assert!(fill("{{verison}}", |name| bail!("unknown {name}")).is_err());
    }
}
