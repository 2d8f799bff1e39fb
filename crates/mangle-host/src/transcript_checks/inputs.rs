//! Inputs of the transcript checks in addition to the settings: program declarations, the tools of
//! the agent, and the limits of the agent's configuration.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Resolution;
use crate::transcripts::TranscriptFile;
use crate::workspace::embedding;
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::transcripts::TranscriptContext;
use mangle_settings::{Profile, RuleSettings};
use mangle_syntax::text::FileId;
use piggyback::envelope::atoms::Declarations;
use piggyback::envelope::{Catalogue, ReplyContext};
use piggyback::transcript::Limits;

/// Inputs of the checks for all transcripts of one project or program.
#[derive(Debug, Default)]
pub struct CheckInputs {
    /// The declarations of the programs, or `None` if they contain none.
    pub declarations: Option<Declarations>,
    pub programs: Vec<Arc<Program>>,
    tools: Option<Arc<Catalogue>>,
    limits: Arc<Limits>,
    rules: RuleSettings,
}

/// The inputs of the checks for each transcript of a resolution.
#[derive(Debug, Default)]
pub struct CheckInputsMap {
    all: FxHashMap<Key, CheckInputs>,
    nothing: CheckInputs,
    /// The protocol version that the command line sets.
    profile: Option<Profile>,
}

/// The configuration file, the agent and the programs, as indexes.
type Key = (Option<usize>, Option<usize>, Vec<usize>);

impl CheckInputsMap {
    /// Links the programs that the transcripts of `resolution` are checked against. `files` is the
    /// result of [`crate::load`]. `profile` is an optional protocol version for all
    /// transcripts.
    #[must_use]
    pub fn new(
        resolution: &Resolution,
        files: &FxHashMap<FileId, Arc<FileSummary>>,
        profile: Option<Profile>,
    ) -> Self {
        let mut all = FxHashMap::default();
        for found in &resolution.transcripts {
            let key = key(found);
            all.entry(key).or_insert_with(|| knowledge(found, resolution, files));
        }
        Self { all, nothing: CheckInputs::default(), profile }
    }

    #[must_use]
    pub fn get(&self, found: &TranscriptFile) -> &CheckInputs {
        self.all.get(&key(found)).unwrap_or(&self.nothing)
    }

    /// Returns the checker for the replies of a transcript.
    #[must_use]
    pub fn judge<'a>(&'a self, found: &'a TranscriptFile) -> TranscriptContext<'a> {
        let CheckInputs { declarations, programs, tools, limits, rules, .. } = self.get(found);
        let context = ReplyContext {
            profile: self.profile,
            declarations: declarations.as_ref(),
            tools: tools.as_deref(),
            rules: Some(rules),
            ..ReplyContext::new(&found.settings)
        };
        TranscriptContext { rules, context, limits, programs }
    }
}

fn key(found: &TranscriptFile) -> Key {
    (found.project, found.agent, found.programs.clone())
}

/// Combines several programs of one project: an atom is known if at least one of them declares it.
fn knowledge(
    found: &TranscriptFile,
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
) -> CheckInputs {
    let programs = || found.programs.iter().filter_map(|&at| resolution.programs.get(at));
    let mut members: Vec<FileId> =
        programs().flat_map(|program| program.members.iter().map(|member| member.file)).collect();
    members.sort_unstable();
    members.dedup();
    let summaries: Vec<_> = members.iter().filter_map(|file| files.get(file).map(Arc::clone)).collect();
    let project = found.project.and_then(|index| resolution.projects.get(index));
    let agent = found.agent.and_then(|index| resolution.agents.get(index));
    let mut knowledge = CheckInputs {
        limits: agent.map(|agent| Arc::clone(&agent.limits)).unwrap_or_default(),
        tools: project.and_then(|project| project.tools.clone()),
        rules: project.map(|project| project.settings.rules.clone()).unwrap_or_default(),
        ..CheckInputs::default()
    };
    if !summaries.is_empty() {
        let embedding = embedding(programs().map(|program| &*program.embedding));
        let program = Arc::new(Program::embedded(summaries, embedding.into()));
        let replay = project.map(|project| project.settings.replay.clone()).unwrap_or_default();
        let declarations = Declarations::with(&program, &replay);
        knowledge.declarations = (!declarations.is_empty()).then_some(declarations);
        knowledge.programs = vec![program];
    }
    knowledge
}

/// Links each program that transcripts of `resolution` are checked against. `files` is the result
/// of [`crate::load`].
#[must_use]
pub fn programs_of_transcripts(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
) -> Vec<Program> {
    let indices: BTreeSet<usize> =
        resolution.transcripts.iter().flat_map(|found| found.programs.iter().copied()).collect();
    let programs = indices.into_iter().filter_map(|index| resolution.programs.get(index));
    let joined = programs.map(|program| {
        let members = program.members.iter().filter_map(|member| files.get(&member.file).map(Arc::clone));
        Program::embedded(members.collect(), Arc::clone(&program.embedding))
    });
    joined.collect()
}
