//! The facts that a captured session had made the kernel believe by a turn, as clauses for a preview.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::transcripts::{TranscriptArgs, Transcripts};
use crate::host::{self, Memory};
use crate::kernel::{Clock, Limits, Reading, RuleId};
use crate::program::{FileSummary, PredicateId, Program};
use crate::replay::{Constitution, Options, Prefill, Replay};
use crate::report::{SourceText, Sources};
use crate::syntax::SourceFile;
use crate::text::Cancel;

/// The session that a preview goes on from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until<'a> {
    /// The transcript.
    pub(super) path: &'a Path,
    /// The last turn that counts; `None` for all.
    pub(super) turn: Option<u64>,
    /// The time, as long as no record tells it.
    pub(super) clock: Clock,
    /// How policies are read.
    pub(super) reading: Reading,
}

/// The facts that a session leaves, as a file of clauses; the program is what it is replayed against.
///
/// # Errors
/// When the transcript cannot be read.
pub(super) fn state(
    until: Until<'_>,
    program: &Arc<Program>,
    settings: &crate::config::Settings,
    working: &Path,
    (memory, sources): (&Memory, &mut Sources),
) -> Result<Arc<FileSummary>> {
    let transcripts = Transcripts::load(&[until.path.to_path_buf()], &TranscriptArgs::default(), working)?;
    let limits = Limits::of(&settings.kernel);
    let replay_settings = settings.replay.clone();
    let constitution = Constitution::new(
        Arc::clone(program),
        until.reading,
        replay_settings,
        limits,
        until.clock,
        &|_, _| {},
    );
    let (prefill, cancel) = (Prefill::default(), Cancel::new());
    let open: RefCell<Option<Replay<'_>>> = RefCell::new(None);
    let problems = transcripts.each_record(
        &mut |found, record, _| {
            let Some(known) = transcripts.same(found) else { return Ok(()) };
            let mut open = open.borrow_mut();
            let replay = open.get_or_insert_with(|| {
                let options = Options {
                    transcript: &known.settings,
                    runtime: transcripts.knowledges.judge(known).limits,
                    clock: until.clock,
                    abduce: false,
                    show_permits: false,
                    coverage: false,
                    until: until.turn,
                    prefill: &prefill,
                    cancel: &cancel,
                };
                Replay::new(&constitution, options)
            });
            if !replay.is_done() {
                replay.record(record, &mut |_, _| {});
            }
            Ok(())
        },
        &mut |_, _| Ok(()),
    )?;
    if let Some(problem) = problems.first() {
        anyhow::bail!("{}: {}", until.path.display(), problem.why);
    }
    let replay = open.into_inner();
    let facts = replay.map_or_else(Vec::new, |replay| said(&replay, &constitution));
    let text: Arc<str> = facts.iter().map(|fact| format!("{fact}.\n")).collect::<String>().into();
    let name = format!("{} (state)", host::relative(working, &host::absolute(working, until.path)));
    let id = memory.table().id(Path::new(&name));
    sources.insert_source(id, SourceText::new(name, Arc::clone(&text)));
    Ok(host::summarise(id, &SourceFile::parse(text).without_tree(), &[]))
}

/// The facts that come from the session.
fn said(replay: &Replay<'_>, constitution: &Constitution) -> Vec<String> {
    let (model, compiled) = (replay.kernel().model(), &constitution.compiled);
    let mut facts = Vec::new();
    for predicate in (0..compiled.predicates()).map(PredicateId) {
        let tuples = model.relation(predicate).into_iter().flat_map(|relation| relation.tuples());
        for (number, tuple) in (0u32..).zip(tuples) {
            let is_given =
                model.derivation(predicate, number).is_some_and(|reason| reason.rule == RuleId::ASSERTED);
            let fact = is_given.then(|| model.fact(compiled, predicate, tuple));
            facts.extend(fact.filter(|fact| replay.origin(fact).is_some()));
        }
    }
    facts
}
