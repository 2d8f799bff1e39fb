//! Known evaluation results of the programs of a document, for editor features.

use std::sync::Arc;

use super::view::View;
use mangle_host::workspace::{Evaluated, SnapshotProgram};
use mangle_ide::evaluation::{EvaluationView, PlaceNames};
use mangle_ide::hover::prompts::SampleProvenance;
use mangle_syntax::text::FileId;

/// The programs of the samples of a document or, without samples, its own program.
pub(super) struct ProgramEvaluations<'v> {
    view: &'v View,
    programs: Vec<ProgramEvaluation<'v>>,
}

struct ProgramEvaluation<'v> {
    program: &'v Arc<SnapshotProgram>,
    evaluated: Option<Arc<Evaluated>>,
    is_current: bool,
    refusal: Option<String>,
}

impl View {
    /// Returns the known evaluation results for a file. Policy tests are excluded, because their
    /// cases are evaluated separately.
    pub(super) fn evaluations_of(&self, file: FileId) -> ProgramEvaluations<'_> {
        let programs = self.snapshot.query_programs(file).into_iter().filter(|program| !program.is_test());
        let known = programs.map(|program| match program.evaluated() {
            Some(evaluated) => {
                ProgramEvaluation { program, evaluated: Some(evaluated), is_current: true, refusal: None }
            }
            None => ProgramEvaluation {
                program,
                evaluated: program.evaluated_before(),
                is_current: false,
                refusal: program.refusal(),
            },
        });
        ProgramEvaluations { view: self, programs: known.collect() }
    }

    /// Calls `ask` with the known prompts that may depend on a file.
    pub(super) fn with_provenance<T>(
        &self,
        file: FileId,
        ask: impl FnOnce(&[SampleProvenance<'_>]) -> T,
    ) -> T {
        let programs = self.snapshot.kernels_reading(file);
        let known: Vec<_> =
            programs.iter().map(|program| (program.sample(), program.prompt_provenance())).collect();
        let provenance = known.iter().map(|(sample, known)| SampleProvenance {
            sample: sample.map_or("", |sample| sample),
            provenance: known.as_ref().map(|(known, _)| &known.provenance),
            is_current: known.as_ref().is_none_or(|(_, is_current)| *is_current),
        });
        ask(&provenance.collect::<Vec<_>>())
    }

    /// Returns the name of a file for use in sentences.
    pub(super) fn name(&self, file: FileId) -> String {
        let path = self.snapshot.file(file).map(|file| &file.path);
        let name = path.and_then(|path| path.file_name());
        name.map_or_else(|| "?".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

impl ProgramEvaluations<'_> {
    /// Calls `ask` with the view of the evaluations for features.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&[EvaluationView<'_>]) -> T) -> T {
        let name = |file| self.view.name(file);
        let tried = self.programs.iter().map(|known| EvaluationView {
            sample: known.program.sample().map(AsRef::as_ref),
            readings: known.evaluated.as_ref().map(|evaluated| &evaluated.readings),
            is_current: known.is_current,
            refusal: known.refusal.as_deref(),
            places: PlaceNames { program: known.program.program(), file: &name },
        });
        ask(&tried.collect::<Vec<_>>())
    }
}
