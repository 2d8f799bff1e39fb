//! Identity of a program across changes of its files or settings.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{ProgramFiles, Project};
use mangle_syntax::text::FileId;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) name: Arc<str>,
    pub(super) root: PathBuf,
    /// The governing `mangle-ls.toml`.
    pub(super) configuration: Option<PathBuf>,
    /// The sample kernel, other sample file or policy test, if this is its program.
    pub(super) single: Option<FileId>,
    /// True for the program with the tables of a sample that has no other files.
    pub(super) is_with_tables: bool,
}

impl Identity {
    /// The identity of the program itself, without samples and tests.
    pub(super) fn new(program: &ProgramFiles, projects: &[Project]) -> Self {
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
