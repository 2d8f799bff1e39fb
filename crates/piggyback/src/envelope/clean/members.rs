//! Strict matching of object members: all known to the profile, spelled exactly, and without
//! duplicates. The decoded texts are kept in a buffer that is reused between envelopes.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use crate::envelope::table::{MemberField, Requirement, Table};
use mangle_settings::{Profile, Strictness};

/// The specification of a member.
#[derive(Debug)]
struct MemberSpec {
    name: &'static str,
    /// True if the profile has the member.
    is_known: bool,
    /// True if the profile requires the member.
    is_needed: bool,
    /// True if only the strict schema requires the member, and the file is checked with that
    /// schema.
    is_schema: bool,
}

/// The members of one kind of object that the runtime reads, in the order of its table.
#[derive(Debug)]
pub(super) struct ObjectSpec {
    members: Vec<MemberSpec>,
    /// True if an object lacked a member that only the strict schema requires.
    lacks: Cell<bool>,
}

impl ObjectSpec {
    /// Creates the specification of the objects of a table in a profile.
    pub(super) fn new(table: &'static Table, profile: Profile, strict: Strictness) -> Self {
        let wanted = |field: &MemberField| {
            let need = field.need(profile);
            let is_schema = need == Requirement::Schema && strict == Strictness::Schema;
            let (is_needed, is_known) = (need == Requirement::Required, need != Requirement::Unknown);
            MemberSpec { name: field.name, is_known, is_needed, is_schema }
        };
        let members = table.fields.iter().filter(|field| field.is_read).map(wanted).collect();
        Self { members, lacks: Cell::new(false) }
    }

    /// Returns true if an object lacked a member that only the strict schema requires. Resets the
    /// flag.
    pub(super) fn take_lacks(&self) -> bool {
        self.lacks.take()
    }

    /// Returns the members of an object by position. `None` if an object has an unknown or
    /// duplicate member or lacks a required member.
    pub(super) fn read<const N: usize>(&self, json: &Json<'_>, node: NodeId) -> Option<[Option<Member>; N]> {
        if self.members.len() != N || json.kind(node) != JsonKind::Object {
            return None;
        }
        let (mut found, mut next) = ([None; N], 0);
        for member in json.members(node) {
            let at = self.place(json, member.key, next)?;
            let slot = found.get_mut(at).filter(|slot| slot.is_none())?;
            *slot = Some(member);
            next = at + 1;
        }
        let mut missed = self.members.iter().zip(&found).filter(|(_, found)| found.is_none());
        if missed.clone().any(|(wanted, _)| wanted.is_needed) {
            return None;
        }
        if missed.any(|(wanted, _)| wanted.is_schema) {
            self.lacks.set(true);
        }
        Some(found)
    }

    /// Returns the index of the member with a key. Tries the next index first, because members are
    /// usually in order.
    fn place(&self, json: &Json<'_>, key: NodeId, next: usize) -> Option<usize> {
        let name = plain(json, key)?;
        let is_it = |wanted: &MemberSpec| wanted.name.as_bytes() == name;
        let at = match self.members.get(next) {
            Some(wanted) if is_it(wanted) => next,
            _ => self.members.iter().position(is_it)?,
        };
        self.members.get(at)?.is_known.then_some(at)
    }
}

/// Returns the content of a string without escapes.
pub(super) fn plain<'t>(json: &Json<'t>, node: NodeId) -> Option<&'t [u8]> {
    let raw = json.raw(node);
    raw.get(1..raw.len().saturating_sub(1)).filter(|_| json.kind(node) == JsonKind::Plain)
}

/// The updates of an envelope, with capacity for its surface.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// The concatenated texts of the updates.
    text: String,
    /// The updates, each with the end offset of its text.
    ends: Vec<(NodeId, usize)>,
    pub(super) surface: String,
}

impl Buffer {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Appends an update and returns its text.
    pub(super) fn push(&mut self, json: &Json<'_>, node: NodeId) -> Option<&str> {
        let start = self.text.len();
        let is_text = json.push_string(node, &mut self.text);
        self.ends.push((node, self.text.len()));
        self.text.get(start..).filter(|_| is_text)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the updates with their texts.
    pub(super) fn updates(&self) -> impl Iterator<Item = (NodeId, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |(node, end)| {
            let text = self.text.get(start..*end).unwrap_or("");
            start = *end;
            (*node, text)
        })
    }

    /// True if no two updates have the same text.
    pub(super) fn are_different(&self) -> bool {
        let texts = || self.updates().map(|(_, text)| text);
        if self.len() < MIN_UPDATES_FOR_HASHING {
            return texts().enumerate().all(|(at, text)| !texts().take(at).any(|other| other == text));
        }
        let mut seen = FxHashSet::default();
        texts().all(|text| seen.insert(text))
    }
}

/// The minimum number of updates for a hash lookup instead of pairwise comparison.
const MIN_UPDATES_FOR_HASHING: usize = 16;
