//! Outcomes of the memory updates in replies: the result of the filters and the declarations of
//! the policy. If the policy may deny whole replies, or if its verdicts are requested, the session
//! is replayed.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::inputs::CheckInputsMap;
use crate::Resolution;
use crate::transcripts::{TranscriptFile, comments};
use agent_replay::{Constitution, ConstitutionConfig, Event, Prefill, Replay, ReplayOptions, Turn};
use mangle_engine::kernel::{Clock, Limits};
use mangle_engine::program::Program;
use mangle_ide::conversation::JudgeUpdates;
use mangle_ide::replays::{TurnVerdicts, judged_turn, silence};
use mangle_ide::transcripts::Comments;
use mangle_settings::Settings;
use mangle_syntax::text::{Cancel, FileId};
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate};
use piggyback::transcript::statistics::Block;
use piggyback::transcript::{Record, TextKind, TranscriptFinding};

/// Transcripts, and the declarations of their programs.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptPrograms<'a> {
    pub resolution: &'a Resolution,
    pub knowledges: &'a CheckInputsMap,
    /// The evaluation time of policies. `None` to use the settings.
    pub clock: Option<Clock>,
}

impl<'a> TranscriptPrograms<'a> {
    /// Returns the corresponding transcript of this resolution.
    #[must_use]
    pub fn same(self, found: &TranscriptFile) -> Option<&'a TranscriptFile> {
        self.resolution.transcript(found)
    }
}

/// The configuration file and the programs of a transcript.
type Key = (Option<usize>, Vec<usize>);

/// The policies that the sessions of some transcripts are replayed against.
#[derive(Debug, Default)]
pub struct AccountPolicies {
    /// The policy for all transcripts, if one was given explicitly.
    named: Option<Constitution>,
    constitutions: BTreeMap<Key, Constitution>,
}

impl AccountPolicies {
    /// Compiles only policies that may deny whole replies. Other policies do not affect updates.
    #[must_use]
    pub fn with_denials(transcripts: TranscriptPrograms<'_>) -> Self {
        Self::compiled(transcripts, may_deny)
    }

    /// Compiles only policies that may deny whole replies or have `permit` rules.
    #[must_use]
    pub fn with_verdicts(transcripts: TranscriptPrograms<'_>) -> Self {
        Self::compiled(transcripts, |program, settings| {
            may_deny(program, settings) || has_clauses(program, &settings.replay.permit)
        })
    }

    /// Compiles one policy for all transcripts, regardless of their programs.
    #[must_use]
    pub fn named(program: &Arc<Program>, settings: &Settings) -> Self {
        let constitution = Constitution::new(basis(program, settings, None), never());
        Self { named: Some(constitution), constitutions: BTreeMap::new() }
    }

    /// Returns the policy that a transcript is replayed against.
    #[must_use]
    pub fn get(&self, found: &TranscriptFile) -> Option<&Constitution> {
        self.named.as_ref().or_else(|| self.constitutions.get(&key(found)))
    }

    fn compiled(transcripts: TranscriptPrograms<'_>, is_wanted: fn(&Program, &Settings) -> bool) -> Self {
        let mut policies = Self::default();
        for found in &transcripts.resolution.transcripts {
            let Some(program) = transcripts.knowledges.get(found).programs.first() else { continue };
            let project = found.project.and_then(|index| transcripts.resolution.projects.get(index));
            let usual = Settings::default();
            let settings = project.map_or(&usual, |project| &*project.settings);
            if policies.constitutions.contains_key(&key(found)) || !is_wanted(program, settings) {
                continue;
            }
            let basis = basis(program, settings, transcripts.clock);
            policies.constitutions.insert(key(found), Constitution::new(basis, never()));
        }
        policies
    }
}

fn basis(program: &Arc<Program>, settings: &Settings, clock: Option<Clock>) -> ConstitutionConfig {
    ConstitutionConfig {
        program: Arc::clone(program),
        reading: settings.kernel.reading,
        settings: settings.replay.clone(),
        limits: Limits::from_settings(&settings.kernel),
        clock: clock.unwrap_or_else(|| Clock::from_settings(&settings.kernel)),
    }
}

fn key(found: &TranscriptFile) -> Key {
    (found.project, found.programs.clone())
}

/// True if a program has rules or facts that deny whole replies.
fn may_deny(program: &Program, settings: &Settings) -> bool {
    has_clauses(program, &settings.replay.block)
}

fn has_clauses(program: &Program, predicate: &str) -> bool {
    let named = program.named(mangle_syntax::text::Symbol::new(predicate));
    named.into_iter().any(|predicate| program.clauses(predicate).next().is_some())
}

/// Results of a replayed record, in addition to the outcomes of its updates.
#[derive(Debug, Default)]
pub struct RecordReplay {
    /// The findings, without silenced ones.
    pub found: Vec<TranscriptFinding>,
    /// Text that the policy rules (constitution) withheld from the user, and denied requests.
    pub blocks: Vec<Block>,
    /// The verdicts about the replies. Empty without [`Accounts::with_verdicts`].
    pub turns: Vec<TurnVerdicts>,
}

/// The outcomes of the replies of transcripts, record by record.
#[derive(Debug)]
pub struct Accounts<'a> {
    transcripts: TranscriptPrograms<'a>,
    policies: &'a AccountPolicies,
    /// The file, the replayed session, and the comments of the file.
    open: Option<(FileId, Replay<'a>, Comments)>,
    /// The filters for the replies of the current record.
    filters: Option<Filters<'a>>,
    /// The outcomes of each turn, if the record was replayed.
    turn_outcomes: Option<Vec<Vec<AccountEntry>>>,
    /// The result of the replay, if the record was replayed.
    replay_result: Option<RecordReplay>,
    /// True if verdicts are also computed.
    has_verdicts: bool,
}

impl JudgeUpdates for Accounts<'_> {
    fn reply(&mut self, at: usize, _: &piggyback::transcript::Turn, reply: &Reply<'_>) -> Vec<AccountEntry> {
        self.account(at, reply)
    }

    fn standalone_update(&mut self, text: &str, before: usize) -> Option<UpdateFate> {
        Accounts::lone(self, text, before)
    }
}

impl<'a> Accounts<'a> {
    #[must_use]
    pub fn new(transcripts: TranscriptPrograms<'a>, policies: &'a AccountPolicies) -> Self {
        let (open, filters, told, shown) = (None, None, None, None);
        Self {
            transcripts,
            policies,
            open,
            filters,
            turn_outcomes: told,
            replay_result: shown,
            has_verdicts: false,
        }
    }

    /// Also computes the verdicts of replies (`RecordReplay::turns`). Formatting them is
    /// expensive.
    #[must_use]
    pub fn with_verdicts(self) -> Self {
        Self { has_verdicts: true, ..self }
    }

    /// Processes the next record of a file.
    pub fn record(&mut self, found: &TranscriptFile, record: &Record<'_>) {
        let Some(known) = self.transcripts.same(found) else { return };
        let declarations = self.transcripts.knowledges.get(known).declarations.as_ref();
        self.filters = Some(Filters::new(&known.settings, declarations));
        let constitution = self.policies.get(known);
        self.replay_result = constitution.map(|_| RecordReplay::default());
        self.turn_outcomes = constitution.map(|constitution| self.replay(known, constitution, record));
    }

    /// Returns the result of the replayed record, or `None` if no policy applies.
    pub fn replayed(&mut self) -> Option<RecordReplay> {
        self.replay_result.take()
    }

    /// Returns the outcomes of the updates in a reply. `at` is the index of its turn in the
    /// record.
    pub fn account(&mut self, at: usize, reply: &Reply<'_>) -> Vec<AccountEntry> {
        match (&mut self.turn_outcomes, &self.filters) {
            (Some(told), _) => told.get_mut(at).map(std::mem::take).unwrap_or_default(),
            (None, Some(filters)) => filters.account(reply),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the outcome of an update that a log stores outside a JSON reply (envelope). `at` is
    /// its index among such updates.
    pub fn lone(&self, update: &str, at: usize) -> Option<UpdateFate> {
        self.filters.map(|filters| filters.standalone_fate(update, at))
    }

    fn replay(
        &mut self,
        known: &'a TranscriptFile,
        constitution: &'a Constitution,
        record: &Record<'_>,
    ) -> Vec<Vec<AccountEntry>> {
        if self.open.as_ref().is_none_or(|(file, ..)| *file != known.file) {
            let judge = self.transcripts.knowledges.judge(known);
            let options = ReplayOptions {
                transcript: &known.settings,
                runtime: judge.limits,
                clock: constitution.clock,
                abduce: false,
                show_permits: false,
                coverage: false,
                until: None,
                prefill: &NOTHING,
                end: None,
                cancel: never(),
            };
            self.open = Some((known.file, Replay::new(constitution, options), comments(known)));
        }
        let (mut told, mut found, mut blocks, mut turns) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let judges = constitution.has_verdicts();
        if let Some((_, replay, comments)) = &mut self.open {
            replay.record(record, &mut |replay, event| match event {
                Event::Turn(turn) => {
                    blocks.extend(blocks_of(&turn));
                    if self.has_verdicts {
                        turns.push(judged_turn(&turn, replay, constitution, judges, false));
                    }
                    told.push(turn.atoms);
                }
                Event::Found { turn, found: one } => found.push((turn, *one)),
            });
            let rules = self.transcripts.knowledges.judge(known).rules;
            silence(record, &known.settings, rules, comments, &mut found);
        }
        let found = found.into_iter().map(|(_, one)| one).collect();
        self.replay_result = Some(RecordReplay { found, blocks, turns });
        let mut told = told.into_iter();
        let is_told = |kind| matches!(kind, TextKind::Reply | TextKind::Object | TextKind::Surface);
        let turns = record.turns.iter();
        turns.map(|turn| if is_told(turn.kind) { told.next() } else { None }.unwrap_or_default()).collect()
    }
}

/// Returns the denials of a turn: a rewritten surface text, the whole reply, or single requests.
fn blocks_of(turn: &Turn) -> Vec<Block> {
    let place = turn.place;
    let surface = turn.rewritten.iter().map(|_| ("1", "surface".to_owned()));
    let reply = turn.envelope.iter().map(|verdict| (verdict.lock.word(), "reply".to_owned()));
    let denied = turn.verdicts.iter().filter(|verdict| !verdict.is_permitted);
    let denied = denied.map(|verdict| (verdict.lock.word(), verdict.action.clone()));
    surface.chain(reply).chain(denied).map(|(lock, action)| Block { lock, action, place }).collect()
}

/// Empty data of the perception step.
static NOTHING: LazyLock<Prefill> = LazyLock::new(Prefill::default);

/// Commands are not cancelable; they end with the process.
fn never() -> &'static Cancel {
    static NEVER: LazyLock<Cancel> = LazyLock::new(Cancel::new);
    &NEVER
}
