//! Archives of a release, `.tar.gz` or `.zip`. The same contents give the same bytes: sorted, without owners, all of one time.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Archive, Builder, EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Writes the files of `folder`, as below `name`, to the archive `to`.
pub(super) fn write(folder: &Path, name: &str, to: &Path, level: Compression) -> Result<()> {
    if is_zip(to) {
        return write_zip(folder, name, to);
    }
    // Without a time and a name in gzip's own header.
    let packed = GzBuilder::new().write(File::create(to)?, level);
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

/// The same as `.zip`. Its times are the earliest that the format has.
fn write_zip(folder: &Path, name: &str, to: &Path) -> Result<()> {
    let mut archive = ZipWriter::new(File::create(to)?);
    for path in files(folder)? {
        let mode = if is_program(&path) { 0o755 } else { 0o644 };
        let options = SimpleFileOptions::default().unix_permissions(mode);
        let inside = Path::new(name).join(path.strip_prefix(folder)?);
        let inside = inside.to_string_lossy().replace('\\', "/");
        archive.start_file(inside.as_str(), options).with_context(|| format!("cannot pack {inside}"))?;
        io::copy(&mut File::open(&path)?, &mut archive)?;
    }
    archive.finish()?;
    Ok(())
}

/// Writes the file `name` in the top folder of an archive to `to`, which can be run if it is a program.
pub(super) fn extract(archive: &Path, name: &str, to: &Path) -> Result<()> {
    let file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    let is_wanted = |path: &Path| path.components().count() == 2 && path.ends_with(name);
    if is_zip(archive) {
        let mut zip = ZipArchive::new(file)?;
        for at in 0..zip.len() {
            let mut entry = zip.by_index(at)?;
            if is_wanted(Path::new(entry.name()?.as_ref())) {
                return write_program(&mut entry, to);
            }
        }
    } else {
        for entry in Archive::new(GzDecoder::new(file)).entries()? {
            let mut entry = entry?;
            if is_wanted(&entry.path()?) {
                return write_program(&mut entry, to);
            }
        }
    }
    bail!("{} has no file {name}", archive.display())
}

fn write_program(from: &mut impl io::Read, to: &Path) -> Result<()> {
    io::copy(from, &mut File::create(to)?).with_context(|| format!("cannot write {}", to.display()))?;
    #[cfg(unix)]
    fs::set_permissions(to, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

fn is_zip(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "zip")
}

/// All files below, sorted by path.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
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
    path.file_name().is_some_and(|name| name == "mangle-ls" || name == "mangle-ls.exe")
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
        for ending in ["tar.gz", "zip"] {
            let folder = tempfile::tempdir().unwrap();
            let pack = |from: &str, files: &[&str]| {
                let from = folder.path().join(from);
                for file in files {
                    let path = from.join(file);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, file).unwrap();
                }
                let to = from.with_extension(ending);
                super::write(&from, "name", &to, super::Compression::best()).unwrap();
                fs::read(to).unwrap()
            };
            let packed = pack("one", &["b/c", "a", "mangle-ls"]);
            assert_eq!(packed, pack("other", &["mangle-ls", "a", "b/c"]));
            assert_ne!(packed, pack("less", &["mangle-ls", "a"]));
            let to = folder.path().join("extracted");
            super::extract(&folder.path().join("one").with_extension(ending), "mangle-ls", &to).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), "mangle-ls");
            assert!(super::extract(&folder.path().join("one").with_extension(ending), "c", &to).is_err());
        }
    }
}
