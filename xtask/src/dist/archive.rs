//! A folder as `.tar.gz`, the same bytes for the same contents: sorted, without owners, all of one time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// Writes the files of `folder`, as below `name`, to the archive `to`.
pub(super) fn write(folder: &Path, name: &str, to: &Path) -> Result<()> {
    // Without a time and a name in gzip's own header.
    let packed = GzBuilder::new().write(File::create(to)?, Compression::best());
    let mut archive = Builder::new(packed);
    let time = commit_time();
    for path in files(folder)? {
        let file = File::open(&path)?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.metadata()?.len());
        header.set_mode(if is_program(&path) { 0o755 } else { 0o644 });
        header.set_mtime(time);
        let inside = Path::new(name).join(path.strip_prefix(folder)?);
        archive
            .append_data(&mut header, &inside, file)
            .with_context(|| format!("cannot pack {}", inside.display()))?;
    }
    archive.into_inner()?.finish()?;
    Ok(())
}

/// All files below, sorted by path.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let list = if entry.file_type()?.is_dir() { &mut folders } else { &mut found };
            list.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// By name, not by mode: not every platform has modes.
fn is_program(path: &Path) -> bool {
    let program = format!("mangle-ls{}", std::env::consts::EXE_SUFFIX);
    path.file_name().is_some_and(|name| name == program.as_str())
        || path.extension().is_some_and(|it| it == "sh")
}

/// Of the commit that is packed, in seconds since 1970; 0 where git does not say.
fn commit_time() -> u64 {
    let mut git = std::process::Command::new("git");
    git.args(["show", "--no-patch", "--format=%ct", "HEAD"]).current_dir(crate::root());
    super::output(&mut git).ok().and_then(|said| said.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    #[test]
    fn the_same_contents_are_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let pack = |from: &str, files: &[&str]| {
            let from = folder.path().join(from);
            for file in files {
                let path = from.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, file).unwrap();
            }
            let to = from.with_extension("tar.gz");
            super::write(&from, "name", &to).unwrap();
            fs::read(to).unwrap()
        };
        let packed = pack("one", &["b/c", "a", "mangle-ls"]);
        assert_eq!(packed, pack("other", &["mangle-ls", "a", "b/c"]));
        assert_ne!(packed, pack("less", &["mangle-ls", "a"]));
    }
}
