//! What became of the updates of replies, as the commands about transcripts tell it: by the filters and the declarations of
//! the policy; where that may deny whole replies, by a replay.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::transcripts::Transcripts;
use crate::config::Settings;
use crate::envelope::Reply;
use crate::envelope::account::{Entry, Filters};
use crate::host::TranscriptFile;
use crate::kernel::{Clock, Limits};
use crate::replay::{Basis, Constitution, Event, Options, Prefill, Replay};
use crate::text::{Cancel, FileId};
use crate::transcript::{Kind, Record};

/// The configuration file and the programs of a transcript.
type Key = (Option<usize>, Vec<usize>);

/// The policies of some transcripts that may deny whole replies.
#[derive(Default)]
pub(super) struct Denying {
    constitutions: BTreeMap<Key, Constitution>,
}

impl Denying {
    /// Compiles the policies of transcripts, where they may deny whole replies.
    pub(super) fn of(transcripts: &Transcripts) -> Self {
        let mut denying = Self::default();
        for found in &transcripts.resolution.transcripts {
            let Some(program) = transcripts.knowledges.of(found).programs.first() else { continue };
            let project = found.project.and_then(|index| transcripts.resolution.projects.get(index));
            let usual = Settings::default();
            let settings = project.map_or(&usual, |project| &*project.settings);
            if denying.constitutions.contains_key(&key(found)) || !may_deny(program, settings) {
                continue;
            }
            let basis = Basis {
                program: std::sync::Arc::clone(program),
                reading: settings.kernel.reading,
                settings: settings.replay.clone(),
                limits: Limits::of(&settings.kernel),
                clock: Clock::of(&settings.kernel),
            };
            denying.constitutions.insert(key(found), Constitution::new(basis, never()));
        }
        denying
    }
}

fn key(found: &TranscriptFile) -> Key {
    (found.project, found.programs.clone())
}

/// Whether a program has rules or facts that deny whole replies.
fn may_deny(program: &crate::program::Program, settings: &Settings) -> bool {
    let block = crate::text::Symbol::new(&settings.replay.block);
    program.named(block).any(|predicate| program.clauses(predicate).next().is_some())
}

/// The accounts of the replies of transcripts, record by record.
pub(super) struct Accounts<'a> {
    transcripts: &'a Transcripts,
    denying: &'a Denying,
    /// The session that is replayed, and of which file it is.
    open: Option<(FileId, Replay<'a>)>,
    /// What judges the replies of the record.
    filters: Option<Filters<'a>>,
    /// The accounts of its turns, where it was replayed.
    told: Option<Vec<Vec<Entry>>>,
}

impl<'a> Accounts<'a> {
    pub(super) fn new(transcripts: &'a Transcripts, denying: &'a Denying) -> Self {
        Self { transcripts, denying, open: None, filters: None, told: None }
    }

    /// Looks at the next record of a file.
    pub(super) fn record(&mut self, found: &TranscriptFile, record: &Record<'_>) {
        let Some(known) = self.transcripts.same(found) else { return };
        let declarations = self.transcripts.knowledges.of(known).declarations.as_ref();
        self.filters = Some(Filters::new(&known.settings, declarations));
        let constitution = self.denying.constitutions.get(&key(known));
        self.told = constitution.map(|constitution| self.replayed(known, constitution, record));
    }

    /// What became of the updates of a reply, which is the turn at an index of the record.
    pub(super) fn of(&mut self, at: usize, reply: &Reply<'_>) -> Vec<Entry> {
        match (&mut self.told, &self.filters) {
            (Some(told), _) => told.get_mut(at).map(std::mem::take).unwrap_or_default(),
            (None, Some(filters)) => filters.account(reply),
            (None, None) => Vec::new(),
        }
    }

    fn replayed(
        &mut self,
        known: &'a TranscriptFile,
        constitution: &'a Constitution,
        record: &Record<'_>,
    ) -> Vec<Vec<Entry>> {
        if self.open.as_ref().is_none_or(|(file, _)| *file != known.file) {
            let judge = self.transcripts.knowledges.judge(known);
            let options = Options {
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
            self.open = Some((known.file, Replay::new(constitution, options)));
        }
        let mut told = Vec::new();
        if let Some((_, replay)) = &mut self.open {
            replay.record(record, &mut |_, event| {
                if let Event::Turn(turn) = event {
                    told.push(turn.atoms);
                }
            });
        }
        let mut told = told.into_iter();
        let is_told = |kind| matches!(kind, Kind::Reply | Kind::Object | Kind::Surface);
        let turns = record.turns.iter();
        turns.map(|turn| if is_told(turn.kind) { told.next() } else { None }.unwrap_or_default()).collect()
    }
}

/// Perception filled in nothing.
static NOTHING: LazyLock<Prefill> = LazyLock::new(Prefill::default);

/// A command is cancelled only by ending the process.
fn never() -> &'static Cancel {
    static NEVER: LazyLock<Cancel> = LazyLock::new(Cancel::new);
    &NEVER
}
