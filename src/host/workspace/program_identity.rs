//! What makes a program the same one after a change of its files or settings.

use std::path::PathBuf;
use std::sync::Arc;

use crate::host::{ProgramFiles, Project};
use mangle_syntax::text::FileId;

/// What makes a program the same one after a change of its files or settings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) name: Arc<str>,
    pub(super) root: PathBuf,
    /// The `mangle-ls.toml` that speaks of it.
    pub(super) configuration: Option<PathBuf>,
    /// The sample kernel, other file of the sample, or policy test that this is the program of.
    pub(super) single: Option<FileId>,
    /// Whether this is the program with the tables of a sample that has nothing else.
    pub(super) is_with_tables: bool,
}

impl Identity {
    /// Of the program itself.
    pub(super) fn of(program: &ProgramFiles, projects: &[Project]) -> Self {
        let project = program.project.and_then(|project| projects.get(project));
        Self {
            name: program.name.as_str().into(),
            root: program.root.clone(),
            configuration: project.map(|project| project.path.clone()),
            single: None,
            is_with_tables: false,
        }
    }
}
