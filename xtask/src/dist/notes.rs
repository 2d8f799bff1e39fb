//! The notes of a release: the section of its version in `CHANGELOG.md`.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::project::Project;

/// The changes of the version that a tag such as `v0.1.0` names; an error if it is not the version of `Cargo.toml`.
pub(super) fn release_notes(project: &Project, tag: &str) -> Result<String> {
    let version = &project.version;
    ensure!(tag == format!("v{version}"), "the tag is {tag}, but Cargo.toml has version {version}");
    let changelog =
        fs::read_to_string(crate::root().join("CHANGELOG.md")).context("cannot read CHANGELOG.md")?;
    section(&changelog, version).with_context(|| format!("CHANGELOG.md has no heading `## {version} - DATE`"))
}

fn section(changelog: &str, version: &str) -> Option<String> {
    let is_heading = |line: &&str| line.starts_with("## ");
    let mut lines = changelog.lines().skip_while(|line| {
        line.strip_prefix("## ").is_none_or(|it| it.split_whitespace().next() != Some(version))
    });
    lines.next()?;
    let text: Vec<&str> = lines.take_while(|line| !is_heading(line)).collect();
    Some(format!("{}\n", text.join("\n").trim()))
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn the_section_of_a_version_ends_at_the_next_version() {
        let text = "# Changelog\n\n## 0.2.0 - 2027-01-01\n\n### A\n\n- b\n\n## 0.1.0 - 2026-11-26\n\n- c\n";
        assert_eq!(section(text, "0.2.0").as_deref(), Some("### A\n\n- b\n"));
        assert_eq!(section(text, "0.1.0").as_deref(), Some("- c\n"));
        assert_eq!(section(text, "0.1"), None);
    }
}
