//! Formatting of the files of a resolution, in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::disk::plain;
use super::resolve::{Problem, Resolution};
use super::{CheckTarget, FileTable, Overlay, is_test, read};
use mangle_ide::format::whole;
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::Formatting;
use mangle_syntax::text::FileId;

#[derive(Debug)]
pub struct FormattedFile {
    pub path: PathBuf,
    pub old: Arc<str>,
    /// The formatted text, if it differs from the current text.
    pub new: Option<String>,
    /// Statistics of the changes and of the statements that were left unchanged.
    pub formatting: Formatting,
}

/// Formats the requested files of `resolution` in parallel, each with the settings of its project.
/// A file that is not text or cannot be read is a problem.
#[must_use]
pub fn format(
    resolution: &Resolution,
    targets: &[CheckTarget],
    overlay: &Overlay,
    table: &FileTable,
) -> (Vec<FormattedFile>, Vec<Problem>) {
    // The settings of a project for another version of mangle-ls cannot be interpreted.
    let programs = resolution.programs.iter().filter(|program| program.settings.accepts_this_version());
    let wanted = programs.flat_map(|program| {
        let reported = program.own().filter(|member| member.reported);
        reported.map(|member| (member.file, program.settings.format))
    });
    let wanted: FxHashMap<FileId, FormatSettings> = wanted.collect();
    let one = |(file, settings): (FileId, FormatSettings)| {
        let path = table.path(file).to_path_buf();
        format_file(&path, settings, overlay).map_err(|why| {
            let named = targets
                .iter()
                .any(|target| matches!(target, CheckTarget::File(file) | CheckTarget::Other(file) if *file == path));
            Problem { path, why, named }
        })
    };
    let results: Vec<_> = wanted.into_par_iter().map(one).collect();
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    (files, problems)
}

fn format_file(path: &Path, settings: FormatSettings, overlay: &Overlay) -> Result<FormattedFile, String> {
    let text = read(path, overlay).map_err(|error| plain(&error))?;
    // The substitutes for invalid bytes must not be written.
    if let Some(finding) = text.findings.first() {
        return Err(format!("it was not formatted: {}", finding.message));
    }
    let formatting = whole(&SourceFile::parse(Arc::clone(&text.text)), settings, is_test(path));
    let new = (!formatting.edits.is_empty()).then(|| formatting.apply(&text.text));
    Ok(FormattedFile { path: path.to_path_buf(), old: text.text, new, formatting })
}
