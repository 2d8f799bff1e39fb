//! Objects whose every member is one that the profile knows, written exactly so and there once.

use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use crate::envelope::table::{MemberField, Requirement, Table};
use mangle_settings::{Profile, Strictness};

/// What is expected of a member.
#[derive(Debug)]
struct MemberSpec {
    name: &'static str,
    /// Whether the profile has it.
    is_known: bool,
    /// Whether it is missed where it is not.
    is_needed: bool,
}

/// The members of one kind of object that the runtime reads, in the order of its table.
#[derive(Debug)]
pub(super) struct ObjectSpec(Vec<MemberSpec>);

impl ObjectSpec {
    /// `is_control`: rules miss what the strict schema requires of a control packet whoever judges it.
    pub(super) fn new(table: &'static Table, profile: Profile, strict: Strictness, is_control: bool) -> Self {
        let wanted = |field: &MemberField| {
            let need = field.need(profile);
            let is_schema = need == Requirement::Schema && (is_control || strict == Strictness::Schema);
            let is_needed = need == Requirement::Required || is_schema;
            MemberSpec { name: field.name, is_known: need != Requirement::Unknown, is_needed }
        };
        Self(table.fields.iter().filter(|field| field.is_read).map(wanted).collect())
    }

    /// The members of an object, each in its place. `None` if there is any other, or one is missed.
    pub(super) fn of<const N: usize>(&self, json: &Json<'_>, node: NodeId) -> Option<[Option<Member>; N]> {
        if self.0.len() != N || json.kind(node) != JsonKind::Object {
            return None;
        }
        let (mut found, mut next) = ([None; N], 0);
        for member in json.members(node) {
            let at = self.place(json, member.key, next)?;
            let slot = found.get_mut(at).filter(|slot| slot.is_none())?;
            *slot = Some(member);
            next = at + 1;
        }
        let is_missed = |(wanted, found): (&MemberSpec, &Option<Member>)| wanted.is_needed && found.is_none();
        (!self.0.iter().zip(&found).any(is_missed)).then_some(found)
    }

    /// Which member a key is of. Most come in order, so the next is tried first.
    fn place(&self, json: &Json<'_>, key: NodeId, next: usize) -> Option<usize> {
        let name = plain(json, key)?;
        let is_it = |wanted: &MemberSpec| wanted.name.as_bytes() == name;
        let at = match self.0.get(next) {
            Some(wanted) if is_it(wanted) => next,
            _ => self.0.iter().position(is_it)?,
        };
        self.0.get(at)?.is_known.then_some(at)
    }
}

/// The inside of a string without escapes.
pub(super) fn plain<'t>(json: &Json<'t>, node: NodeId) -> Option<&'t [u8]> {
    let raw = json.raw(node);
    raw.get(1..raw.len().saturating_sub(1)).filter(|_| json.kind(node) == JsonKind::Plain)
}
