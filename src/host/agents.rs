//! Configurations of agents' runtimes, `.nerd/config.json`: found in the folders that agents work in, and read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk;
use super::read::no_text;
use super::walk::boundary;
use super::{FileTable, FileText, Overlay, is_taken, read};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;
use piggyback::transcript::Limits;
use piggyback::transcript::settings::{self, PATH};

/// A configuration of an agent's runtime and what it says.
#[derive(Debug)]
pub struct AgentSettings {
    pub file: FileId,
    pub path: PathBuf,
    /// The folder that the agent works in.
    pub root: PathBuf,
    /// The `mangle-ls.toml` around it: an index into [`super::Resolution::projects`].
    pub project: Option<usize>,
    /// Whether its findings are wanted, or it is only read for the sake of transcripts.
    pub reported: bool,
    pub text: Arc<str>,
    /// What is wrong with it. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
    /// The limits of shards that it sets.
    pub limits: Arc<Limits>,
}

/// Whether a path is that of such a configuration.
pub(super) fn is_agent_settings(path: &Path) -> bool {
    path.ends_with(PATH)
}

/// The folder that an agent works in which has this configuration.
pub(super) fn folder_of(path: &Path) -> Option<&Path> {
    path.ancestors().nth(Path::new(PATH).components().count())
}

/// The configuration of the agent that works in a folder, if there is one. A link must not lead out of the repository:
/// anybody may have put it there.
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
        // Reading it says why.
        Err(_) => is_taken(&path).then_some(path),
    }
}

/// The limits that the nearest configuration above a file sets, no further up than the repository around `root`.
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
    /// Reads the configuration at `path`. One that cannot be read sets nothing, and a finding says why.
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
