//! The platforms of a release: names of the archives and of the npm packages.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

/// A platform that every release supports.
#[derive(Debug)]
pub(super) struct Target {
    /// The name of rustc.
    pub(super) rust: &'static str,
    /// `process.platform` of Node, the `os` of an npm package.
    pub(super) os: &'static str,
    /// `process.arch` of Node, the `cpu` of an npm package.
    pub(super) cpu: &'static str,
    /// The `libc` of an npm package, on Linux: `glibc` or `musl`.
    pub(super) libc: Option<&'static str>,
}

const fn target(
    rust: &'static str,
    os: &'static str,
    cpu: &'static str,
    libc: Option<&'static str>,
) -> Target {
    Target { rust, os, cpu, libc }
}

pub(super) const TARGETS: &[Target] = &[
    target("x86_64-unknown-linux-gnu", "linux", "x64", Some("glibc")),
    target("aarch64-unknown-linux-gnu", "linux", "arm64", Some("glibc")),
    target("x86_64-unknown-linux-musl", "linux", "x64", Some("musl")),
    target("aarch64-unknown-linux-musl", "linux", "arm64", Some("musl")),
    target("x86_64-apple-darwin", "darwin", "x64", None),
    target("aarch64-apple-darwin", "darwin", "arm64", None),
    target("x86_64-pc-windows-msvc", "win32", "x64", None),
];

impl Target {
    /// The end of the name of the npm package, for example `linux-x64-gnu`.
    pub(super) fn npm(&self) -> String {
        let libc = match self.libc {
            Some("glibc") => "-gnu",
            Some(_) => "-musl",
            None => "",
        };
        format!("{}-{}{libc}", self.os, self.cpu)
    }

    /// The path of the archive of a version in a folder; an error if it is missing.
    pub(super) fn archive_in(&self, folder: &Path, version: &str) -> Result<PathBuf> {
        let path = folder.join(archive_name(version, self.rust));
        ensure!(path.is_file(), "{} is missing", path.display());
        Ok(path)
    }

    pub(super) fn program(&self) -> &'static str {
        program_name(self.rust)
    }
}

/// The file name of the program on a platform.
pub(super) fn program_name(platform: &str) -> &'static str {
    if platform.contains("windows") { "mangle-ls.exe" } else { "mangle-ls" }
}

/// The folder in an archive, and the start of its file name.
pub(super) fn folder_name(version: &str, platform: &str) -> String {
    format!("mangle-ls-{version}-{platform}")
}

/// The file name of an archive. Windows unpacks `.zip` without other programs.
pub(super) fn archive_name(version: &str, platform: &str) -> String {
    let ending = if platform.contains("windows") { "zip" } else { "tar.gz" };
    format!("{}.{ending}", folder_name(version, platform))
}

/// The targets with an archive in `folder`.
pub(super) fn present(folder: &Path, version: &str) -> Vec<&'static Target> {
    TARGETS.iter().filter(|target| target.archive_in(folder, version).is_ok()).collect()
}

/// All targets; an error if `folder` lacks the archive of one.
pub(super) fn complete(folder: &Path, version: &str) -> Result<Vec<&'static Target>> {
    for target in TARGETS {
        target.archive_in(folder, version)?;
    }
    Ok(TARGETS.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_packages_are_named_by_platform() {
        let names: Vec<String> = TARGETS.iter().map(Target::npm).collect();
        assert_eq!(
            names,
            [
                "linux-x64-gnu",
                "linux-arm64-gnu",
                "linux-x64-musl",
                "linux-arm64-musl",
                "darwin-x64",
                "darwin-arm64",
                "win32-x64"
            ]
        );
    }
}
