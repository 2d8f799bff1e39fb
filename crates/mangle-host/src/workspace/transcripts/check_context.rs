//! Inputs of the transcript checks that come from the programs of a transcript: declarations and
//! policy rules (constitution).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::super::evaluated::editor_limits;
use crate::transcripts::embedding;
use crate::workspace::program::SnapshotProgram;
use agent_replay::{Constitution, ConstitutionConfig};
use mangle_engine::kernel::{Clock, Limits};
use mangle_engine::program::Program;
use mangle_settings::{KernelSettings, ReplaySettings, Settings};
use mangle_syntax::memo::Memo;
use mangle_syntax::text::Cancel;
use piggyback::envelope::Catalogue;
use piggyback::envelope::atoms::Declarations;

#[derive(Debug)]
pub(super) struct CheckContext {
    /// The programs, treated as one: an atom is known if at least one of them declares it.
    pub(super) programs: Vec<Arc<Program>>,
    pub(super) declarations: Option<Declarations>,
    /// The policy for replays, compiled on request.
    constitution: Memo<ConstitutionInputs, Arc<Constitution>>,
    /// A number that changes with every input of the record checks.
    pub(super) key: u64,
}

impl CheckContext {
    pub(super) fn new(of: &[Arc<SnapshotProgram>], tools: Option<&Arc<Catalogue>>) -> Self {
        let program = match of {
            [] => None,
            [one] => Some(Arc::clone(one.program())),
            several => Some(joined(several)),
        };
        let replay = of.first().map(|program| program.inputs.settings.replay.clone()).unwrap_or_default();
        let declarations = program.as_deref().map(|program| Declarations::with(program, &replay));
        let declarations = declarations.filter(|known| !known.is_empty());
        let mut hasher = FxHasher::default();
        program.as_ref().map(|program| (program.environment(), program.vocabulary())).hash(&mut hasher);
        let hypotheses = declarations.iter().flat_map(|known| known.hypotheses());
        hypotheses.for_each(|(text, _)| text.hash(&mut hasher));
        for declared in declarations.iter().flat_map(Declarations::all) {
            let ground = declared.ground.map(|ground| (ground.place, ground.by, ground.root, ground.grants));
            ground.map(|ground| (declared.name, ground)).hash(&mut hasher);
            // Findings refer to the declarations, and a rewritten statement is a different one.
            (declared.place, declared.derived, declared.is_used).hash(&mut hasher);
        }
        declarations.as_ref().map(Declarations::home).hash(&mut hasher);
        tools.map(|tools| &tools.tools).hash(&mut hasher);
        let programs = program.into_iter().collect();
        Self { programs, declarations, constitution: Memo::default(), key: hasher.finish() }
    }

    /// Returns the compiled and evaluated program. Returns `None` without a policy, or if
    /// canceled.
    pub(super) fn constitution(&self, settings: &Settings, cancel: &Cancel) -> Option<Arc<Constitution>> {
        let program = self.programs.first()?;
        let (kernel, replay) = (&settings.kernel, &settings.replay);
        let inputs = ConstitutionInputs { kernel: kernel.clone(), replay: replay.clone() };
        self.constitution.get(inputs, |_| {
            let basis = ConstitutionConfig {
                program: Arc::clone(program),
                reading: kernel.reading,
                settings: replay.clone(),
                limits: editor_limits(Limits::from_settings(kernel)),
                clock: Clock::from_settings(kernel),
            };
            let constitution = Constitution::new(basis, cancel);
            (!cancel.is_cancelled()).then(|| Arc::new(constitution))
        })
    }
}

/// Inputs of the constitution in addition to the program.
#[derive(Debug, Clone, PartialEq)]
struct ConstitutionInputs {
    kernel: KernelSettings,
    replay: ReplaySettings,
}

/// Links several programs into one.
fn joined(programs: &[Arc<SnapshotProgram>]) -> Arc<Program> {
    let mut files: Vec<_> = programs.iter().flat_map(|program| program.files.iter()).collect();
    files.sort_unstable_by_key(|file| file.id);
    files.dedup_by_key(|file| file.id);
    let embeddings = programs.iter().map(|program| &*program.inputs.embedding);
    let summaries = files.into_iter().map(|file| Arc::clone(file.summary())).collect();
    Arc::new(Program::embedded(summaries, embedding(embeddings).into()))
}
