//! Fixes for the files of a snapshot.

use std::sync::Arc;

use super::{Snapshot, SnapshotProgram};
use mangle_ide::fixes::{FixRequest, FixResult, FixWorkspace, Unit, fix};
use mangle_syntax::text::FileId;

impl Snapshot {
    /// Applies the fixes of `wish` in `programs` and returns the changed texts. The snapshot is
    /// not changed, and suspect documents are skipped.
    #[must_use]
    pub fn fix(&self, programs: &[Arc<SnapshotProgram>], wish: FixRequest<'_>) -> FixResult {
        let files = programs.iter().flat_map(|program| program.files.iter());
        let files = files.map(|file| (file.id, Arc::clone(file.summary()))).collect();
        let reporting = programs.iter().filter(|program| !program.inputs.reported.is_empty());
        let units = reporting.map(|program| unit(program)).collect();
        let editable = |file: FileId| self.is_editable(file) && (wish.editable)(file);
        fix(&mut FixWorkspace { units, files }, FixRequest { editable: &editable, ..wish })
    }
}

fn unit(program: &SnapshotProgram) -> Unit {
    Unit {
        files: program.files.iter().map(|file| file.id).collect(),
        reported: program.inputs.reported.to_vec(),
        rules: Arc::clone(&program.inputs.rules),
        embedding: Arc::clone(&program.inputs.embedding),
        cache: program.cache_for_fixes(),
    }
}
