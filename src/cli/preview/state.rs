//! Kernel facts of a captured session at a turn, as clauses for a preview.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::super::surroundings;
use crate::cli::transcripts::{TranscriptArgs, Transcripts};
use agent_prompt::{RecordedSession, RecordedTurn};
use agent_replay::{Constitution, ConstitutionConfig, Event, Prefill, Replay, ReplayOptions, Turn};
use mangle_engine::kernel::{Clock, Limits, Reading, RuleId};
use mangle_engine::program::{FileSummary, PredicateId, Program};
use mangle_host::CheckCache;
use mangle_report::{SourceText, Sources};
use mangle_settings::format_timestamp;
use mangle_syntax::syntax::SourceFile;
use piggyback::envelope::account::{AccountEntry, UpdateFate};

/// The session that a preview continues.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResumePoint<'a> {
    pub(super) path: &'a Path,
    /// The last turn to include. `None` for all turns.
    pub(super) turn: Option<u64>,
    /// The clock until a record has a timestamp.
    pub(super) clock: Clock,
    /// The semantics of policies.
    pub(super) reading: Reading,
}

/// Replays a session against a program. Returns its facts as a clause file, and its turns.
///
/// # Errors
/// If the transcript cannot be read.
pub(super) fn state(
    until: ResumePoint<'_>,
    program: &Arc<Program>,
    settings: &mangle_settings::Settings,
    working: &Path,
    memory: &CheckCache,
    sources: &mut Sources,
) -> Result<(Arc<FileSummary>, RecordedSession)> {
    let transcripts = Transcripts::load(&[until.path.to_path_buf()], &TranscriptArgs::default(), working)?;
    let basis = ConstitutionConfig {
        program: Arc::clone(program),
        reading: until.reading,
        settings: settings.replay.clone(),
        limits: Limits::from_settings(&settings.kernel),
        clock: until.clock,
    };
    let (prefill, cancel) = (Prefill::default(), surroundings::cancel());
    let constitution = Constitution::new(basis, &cancel);
    let open: RefCell<Option<Replay<'_>>> = RefCell::new(None);
    let turns = RefCell::new(Vec::new());
    let problems = transcripts.each_record(
        &mut |found, record, spot| {
            let Some(known) = transcripts.same(found) else { return Ok(()) };
            let mut open = open.borrow_mut();
            let replay = open.get_or_insert_with(|| {
                let options = ReplayOptions {
                    transcript: &known.settings,
                    runtime: transcripts.knowledges.judge(known).limits,
                    clock: until.clock,
                    abduce: false,
                    show_permits: false,
                    coverage: false,
                    until: until.turn,
                    end: None,
                    prefill: &prefill,
                    cancel: &cancel,
                };
                Replay::new(&constitution, options)
            });
            if !replay.is_done() {
                replay.record(record, &mut |_, event| {
                    if let Event::Turn(turn) = event {
                        turns.borrow_mut().push(recorded(&turn, spot().line as usize + 1));
                    }
                });
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
    let turns = turns.into_inner();
    let text: Arc<str> = by_line(facts, &turns).into();
    let file = mangle_host::relative(working, &mangle_host::absolute(working, until.path));
    let id = memory.table().id(Path::new(&format!("{file} (state)")));
    sources.insert_source(id, SourceText::new(file.clone(), Arc::clone(&text)));
    let state = mangle_host::summarise(id, &SourceFile::parse(text).without_tree(), &[]);
    Ok((state, RecordedSession { file: file.into(), turns }))
}

/// A text with each fact on the line of its turn's record, so that its position is valid in the
/// transcript.
fn by_line(facts: Vec<(u64, String)>, turns: &[RecordedTurn]) -> String {
    let line = |turn: u64| turns.iter().find(|one| one.number == turn).map_or(1, |one| one.line);
    let mut placed: Vec<_> = facts.into_iter().map(|(turn, fact)| (line(turn), fact)).collect();
    placed.sort_by_key(|(line, _)| *line);
    let (mut text, mut at) = (String::new(), 1);
    for (line, fact) in placed {
        text.extend(std::iter::repeat_n('\n', line.saturating_sub(at)));
        at = at.max(line);
        text.push_str(&format!("{fact}. "));
    }
    text
}

/// The part of a turn that a compressed input shows.
fn recorded(turn: &Turn, line: usize) -> RecordedTurn {
    let fact = |atom: &AccountEntry| match &atom.fate {
        UpdateFate::Asserted { fact, .. } => Some(fact.clone()),
        _ => None,
    };
    let facts = turn.atoms.iter().filter_map(fact).collect();
    RecordedTurn { number: turn.number, time: format_timestamp(turn.now_ns), line, facts }
}

/// The facts asserted by the session, each with its turn.
fn said(replay: &Replay<'_>, constitution: &Constitution) -> Vec<(u64, String)> {
    let (model, compiled) = (replay.kernel().model(), &constitution.compiled);
    let mut facts = Vec::new();
    for predicate in (0..compiled.predicates()).map(PredicateId) {
        let tuples = model.relation(predicate).into_iter().flat_map(|relation| relation.tuples());
        for (number, tuple) in (0u32..).zip(tuples) {
            let is_given =
                model.derivation(predicate, number).is_some_and(|reason| reason.rule == RuleId::ASSERTED);
            if !is_given {
                continue;
            }
            let origin = replay.origin(&model.fact(compiled, predicate, tuple));
            // The facts are inserted into a sample, without shortening.
            let fact = || model.fact_within(compiled, predicate, tuple, 1 << 26);
            facts.extend(origin.map(|origin| (origin.turn(), fact())));
        }
    }
    facts
}
