//! Inputs for reading a record, apart from its bytes. All records of a file share them, so threads
//! can read records in any order.

use std::sync::Arc;

use regex::bytes::Regex;

use super::detect::Plan;
use super::record::{self, RecordSite};
use super::record_shape::RecordShape;
use super::record_splitter::Frame;
use super::shapes::CustomShapes;
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};
use super::{TranscriptOptions, entry, findings, markdown, plain};
use mangle_settings::{Container, Profile};

/// Inputs for reading a record, apart from its bytes.
#[derive(Debug)]
pub(super) struct ReadContext {
    pub(super) plan: Plan,
    /// Protocol version of the majority of replies, if the first bytes of the file determine it.
    pub(super) session: Option<Profile>,
    custom_shapes: CustomShapes,
    separator: Option<Regex>,
    /// True if the whole file is one reply.
    is_single_reply: bool,
}

impl ReadContext {
    /// Creates the inputs for a file with these options.
    pub(super) fn new(options: &TranscriptOptions, plan: Plan, session: Option<Profile>) -> Self {
        Self {
            plan,
            session,
            custom_shapes: CustomShapes::new(Arc::clone(&options.shapes)),
            separator: options.separator.as_deref().and_then(|separator| Regex::new(separator).ok()),
            is_single_reply: options.container == Some(Container::Raw),
        }
    }

    /// True if the whole file must be read to find its records.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.plan.frame, Frame::Whole)
    }

    /// True if texts of the file may be copies of other texts.
    pub(super) fn may_repeat(&self) -> bool {
        matches!(self.plan.container, Container::Array | Container::ChatLines | Container::Response)
    }

    /// Reads the record or records in some bytes and passes them to `each`. Sets the session
    /// version of their turns.
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
            Container::Raw if !self.is_single_reply && bytes.trim_ascii().is_empty() => {
                let mut record = Record::new(1, start, bytes);
                let turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), record.range());
                record.turns.push(turn);
                give(record, None);
            }
            Container::Raw => {
                let declared = Some(RecordShape::Declared);
                if !self.is_single_reply
                    && self.custom_shapes.read(bytes, start, &mut |record| give(record, declared))
                {
                    return;
                }
                if !self.is_single_reply && self.separator.is_none() {
                    let turns = entry::unwrapped(bytes);
                    if !turns.is_empty() {
                        let mut record = Record::new(1, start, bytes);
                        record.turns = turns;
                        give(record, None);
                        return;
                    }
                }
                let parts = plain::parts(bytes, self.separator.as_ref(), self.is_single_reply);
                for (index, part) in parts.into_iter().enumerate() {
                    give(record::of_text(bytes, start, index, part), None);
                }
            }
            Container::Session => record::of_session(bytes, start, &mut |record| give(record, None)),
            _ => {
                let site = RecordSite { container: plan.container, frame: plan.frame, number };
                if let Some((record, shape)) = record::read(site, bytes, start, &self.custom_shapes.shapes) {
                    give(record, shape);
                }
            }
        }
    }
}
