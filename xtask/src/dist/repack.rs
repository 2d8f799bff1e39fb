//! Packs a wheel again, smaller: zopfli takes long and saves three percent, and a wheel is downloaded often.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Levels from 10 on are zopfli's; more of them save next to nothing.
const LEVEL: i64 = 15;

/// Packs the files of a wheel again, in their order, with the times and modes that they have.
pub(super) fn repack(wheel: &Path) -> Result<()> {
    let smaller = wheel.with_extension("smaller");
    let mut archive = ZipArchive::new(File::open(wheel)?).context("the wheel is no archive")?;
    let mut writer = ZipWriter::new(File::create(&smaller)?);
    for at in 0..archive.len() {
        let mut file = archive.by_index(at)?;
        let mut options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL));
        if let Some(time) = file.last_modified() {
            options = options.last_modified_time(time);
        }
        if let Some(mode) = file.unix_mode() {
            options = options.unix_permissions(mode);
        }
        let name = file.name()?.into_owned();
        writer.start_file(name, options)?;
        io::copy(&mut file, &mut writer)?;
    }
    writer.finish()?;
    Ok(std::fs::rename(&smaller, wheel)?)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn a_wheel_keeps_its_files() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let wheel = folder.path().join("a.whl");
        let text = "the same words again and again, ".repeat(1_000);
        let mut writer = ZipWriter::new(File::create(&wheel)?);
        for (name, mode) in [("b/program", 0o755), ("a.py", 0o644)] {
            let options = SimpleFileOptions::default().unix_permissions(mode).compression_level(Some(1));
            writer.start_file(name, options)?;
            writer.write_all(text.as_bytes())?;
        }
        writer.finish()?;
        let before = std::fs::metadata(&wheel)?.len();
        repack(&wheel)?;
        assert!(std::fs::metadata(&wheel)?.len() < before);
        let mut archive = ZipArchive::new(File::open(&wheel)?)?;
        let names: Vec<_> =
            archive.file_names().map(|name| name.map(|name| name.into_owned())).collect::<Result<_, _>>()?;
        assert_eq!(names, ["b/program", "a.py"]);
        let mut program = archive.by_index(0)?;
        assert_eq!(program.unix_mode().map(|mode| mode & 0o777), Some(0o755));
        let mut found = String::new();
        program.read_to_string(&mut found)?;
        assert_eq!(found, text);
        Ok(())
    }
}
