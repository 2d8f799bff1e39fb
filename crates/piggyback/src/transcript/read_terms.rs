//! What is needed to read records of a file, beside their bytes: the same for all of them, so any thread can read any record.

use std::sync::Arc;

use regex::bytes::Regex;

use super::detect::Plan;
use super::lines::CustomShapes;
use super::record::{self, RecordSite};
use super::record_shape::RecordShape;
use super::record_splitter::Frame;
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};
use super::{TranscriptOptions, entry, findings, markdown, plain};
use mangle_settings::{Container, Profile};

/// What is needed to read a record, beside its bytes.
#[derive(Debug)]
pub(super) struct ReadTerms {
    pub(super) plan: Plan,
    /// The version of most replies of the file, where its first bytes tell it.
    pub(super) session: Option<Profile>,
    own: CustomShapes,
    separator: Option<Regex>,
    /// Whether the whole file is one reply.
    is_one: bool,
}

impl ReadTerms {
    /// Those of a file that is read with these options.
    pub(super) fn new(options: &TranscriptOptions, plan: Plan, session: Option<Profile>) -> Self {
        Self {
            plan,
            session,
            own: CustomShapes::new(Arc::clone(&options.shapes)),
            separator: options.separator.as_deref().and_then(|separator| Regex::new(separator).ok()),
            is_one: options.container == Some(Container::Raw),
        }
    }

    /// Whether the file tells its records only as a whole.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.plan.frame, Frame::Whole)
    }

    /// Whether texts of the file may be copies of others.
    pub(super) fn may_repeat(&self) -> bool {
        matches!(self.plan.container, Container::Array | Container::ChatLines | Container::Response)
    }

    /// Gives the record, or the records, that some bytes are; their turns are of a session of this version.
    pub(super) fn read(
        &self,
        number: u64,
        bytes: &[u8],
        start: u64,
        session: Option<Profile>,
        each: &mut dyn FnMut(Record<'_>),
    ) {
        let plan = self.plan;
        let mut give = |mut record: Record<'_>, shape: Option<RecordShape>| {
            record.turns.iter_mut().for_each(|turn| turn.session = session);
            record.findings.extend(findings::invalid_utf8(record.bytes));
            record.shape = shape;
            each(record);
        };
        match plan.container {
            Container::Markdown => markdown::read(bytes, start, &mut |record| give(record, None)),
            Container::Raw if !self.is_one && bytes.trim_ascii().is_empty() => {
                let mut record = Record::new(1, start, bytes);
                let turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), record.range());
                record.turns.push(turn);
                give(record, None);
            }
            Container::Raw => {
                let declared = Some(RecordShape::Declared);
                if !self.is_one && self.own.read(bytes, start, &mut |record| give(record, declared)) {
                    return;
                }
                if !self.is_one && self.separator.is_none() {
                    let turns = entry::unwrapped(bytes);
                    if !turns.is_empty() {
                        let mut record = Record::new(1, start, bytes);
                        record.turns = turns;
                        give(record, None);
                        return;
                    }
                }
                let parts = plain::parts(bytes, self.separator.as_ref(), self.is_one);
                for (index, part) in parts.into_iter().enumerate() {
                    give(record::of_text(bytes, start, index, part), None);
                }
            }
            Container::Session => record::of_session(bytes, start, &mut |record| give(record, None)),
            _ => {
                let site = RecordSite { container: plan.container, frame: plan.frame, number };
                if let Some((record, shape)) = record::read(site, bytes, start, &self.own.shapes) {
                    give(record, shape);
                }
            }
        }
    }
}
