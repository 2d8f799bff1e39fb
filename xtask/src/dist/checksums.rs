//! The checksums of the files of a release.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Writes `SHA256SUMS` for files of a folder.
pub(super) fn write(files: &[PathBuf], folder: &Path) -> Result<PathBuf> {
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, lines(files)?).with_context(|| format!("cannot write {}", sums.display()))?;
    Ok(sums)
}

/// In the format of `sha256sum --check`.
fn lines(files: &[PathBuf]) -> Result<String> {
    let line = |path: &PathBuf| -> Result<String> {
        let name = path.file_name().context("a file without a name")?;
        Ok(format!("{}  {}\n", sha256(path)?, name.display()))
    };
    files.iter().filter(|path| !path.ends_with("SHA256SUMS")).map(line).collect()
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(super) fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
