//! Discovery and parsing of agent runtime configurations (`.nerd/config.json`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read::no_text;
use super::walk::boundary;
use super::{FileTable, FileText, Overlay, disk, exists, read};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;
use piggyback::transcript::settings::PATH;
use piggyback::transcript::{Limits, settings};

#[derive(Debug)]
pub struct AgentSettings {
    pub file: FileId,
    pub path: PathBuf,
    pub root: PathBuf,
    /// Index into [`super::Resolution::projects`] of the nearest `mangle-ls.toml` above the file.
    pub project: Option<usize>,
    /// False if the file is only read to check transcripts. Its findings are then not reported.
    pub reported: bool,
    pub text: Arc<str>,
    /// Ranges are relative to the start of the file.
    pub findings: Vec<Finding>,
    /// The limits of agent roles (shards).
    pub limits: Arc<Limits>,
}

/// True if the path is `.nerd/config.json` in some folder.
pub(super) fn is_agent_settings(path: &Path) -> bool {
    path.ends_with(PATH)
}

/// Returns the agent's working folder for the path of its configuration.
pub(super) fn folder_of(path: &Path) -> Option<&Path> {
    path.ancestors().nth(Path::new(PATH).components().count())
}

/// Returns the configuration of the agent that works in a folder, if one exists. Links that lead
/// out of the repository are not followed, because the repository is not trusted.
pub(super) fn in_folder(folder: &Path, overlay: &Overlay) -> Option<PathBuf> {
    if !disk::is_allowed(folder) {
        return None;
    }
    let path = folder.join(PATH);
    if overlay.get(&path).is_some() {
        return Some(path);
    }
    match std::fs::canonicalize(&path) {
        Ok(real) => real.starts_with(boundary(folder)).then_some(path),
        // Reading the file later reports the reason.
        Err(_) => exists(&path).then_some(path),
    }
}

/// Returns the limits of the nearest configuration above a file. The search stops at the top of
/// the repository that contains `root`.
pub(super) fn limits_around(
    path: &Path,
    root: &Path,
    overlay: &Overlay,
    table: &FileTable,
) -> Option<Arc<Limits>> {
    let boundary = boundary(root);
    let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&boundary));
    let nearest = folders.filter_map(|folder| in_folder(folder, overlay)).next()?;
    Some(AgentSettings::read(nearest, overlay, table)?.limits)
}

impl AgentSettings {
    /// Reads the configuration at `path`. An unreadable configuration has default limits and a
    /// finding.
    pub(super) fn read(path: PathBuf, overlay: &Overlay, table: &FileTable) -> Option<Self> {
        let file = read(&path, overlay).unwrap_or_else(|error| FileText::unreadable(&error));
        let settings = match file.findings.first() {
            Some(finding) => settings::Settings {
                findings: vec![no_text(finding, "JSON")],
                ..settings::Settings::default()
            },
            None => settings::read(file.text.as_bytes()),
        };
        Some(Self {
            file: table.id(&path),
            root: folder_of(&path)?.into(),
            path,
            project: None,
            reported: false,
            text: file.text,
            findings: settings.findings,
            limits: settings.limits.into(),
        })
    }
}
