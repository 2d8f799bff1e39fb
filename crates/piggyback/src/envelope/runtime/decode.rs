//! JSON decoding into typed values, as in Go's `encoding/json`.
//!
//! Absent members keep their previous values, and keys match in any case. The first value of the
//! wrong kind is recorded, and decoding continues.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::envelope::json::{Json, JsonKind, Member, NodeId};
use mangle_settings::Runtime;
use mangle_settings::versions::runtime::TypeErrors;

/// A value of the wrong kind, which makes the whole envelope invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The path to the value without array indices, for example `control_packet.mangle_updates`.
    pub field: String,
    /// The value of the wrong kind.
    pub node: NodeId,
    /// True if the value is a number that is too large.
    pub is_overflow: bool,
}

/// A member that accepts several kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LenientMember {
    /// `mangle_updates`: a list of strings, or one string.
    Updates,
    /// `confidence`: a number, or a string for a number.
    Confidence,
    /// `required`: a boolean, a string for a boolean, or an integer.
    Required,
}

/// The reason for a decoding failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DecodeError {
    /// A value of the wrong kind.
    Kind(Mismatch),
    /// A lenient member with a value that cannot be interpreted.
    Value(LenientMember, Mismatch),
}

/// The state of a decoding run.
#[derive(Debug)]
pub(super) struct DecodeContext<'j> {
    pub(super) json: &'j Json<'j>,
    pub(super) runtime: Runtime,
    path: Vec<&'static str>,
    /// The first value of the wrong kind. Decoding continues after it.
    mismatch: Option<Mismatch>,
    /// The error that ended decoding.
    aborted: Option<DecodeError>,
}

impl<'j> DecodeContext<'j> {
    pub(super) fn new(json: &'j Json<'j>, runtime: Runtime) -> Self {
        Self { json, runtime, path: Vec::new(), mismatch: None, aborted: None }
    }

    /// Returns the error that the decoder reports.
    pub(super) fn error(self) -> Option<DecodeError> {
        self.aborted.or(self.mismatch.map(DecodeError::Kind))
    }

    fn is_wrong(&mut self, node: NodeId) {
        self.mismatches(node, false);
    }

    fn is_too_large(&mut self, node: NodeId) {
        self.mismatches(node, true);
    }

    fn mismatches(&mut self, node: NodeId, is_overflow: bool) {
        if self.mismatch.is_none() {
            self.mismatch = Some(self.place(node, is_overflow));
        }
    }

    fn place(&self, node: NodeId, is_overflow: bool) -> Mismatch {
        Mismatch { field: self.path.join("."), node, is_overflow }
    }

    /// Ends decoding. Only the first error is reported.
    fn abort(&mut self, error: DecodeError) {
        self.aborted.get_or_insert(error);
    }

    /// Rejects the value of a lenient member.
    fn reject(&mut self, member: LenientMember, node: NodeId) {
        let place = self.place(node, false);
        self.abort(DecodeError::Value(member, place));
    }
}

/// A type that JSON is decoded into, in place.
pub(super) trait Decode: Default {
    /// Decodes a node over the existing value.
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>);

    /// The member of this type that accepts several kinds of values.
    const LENIENT: Option<(&'static str, LenientMember)> = None;

    /// True if the type has its own unmarshaler, so that an error in it ends decoding immediately.
    const HAS_OWN_UNMARSHALER: bool = false;

    /// Decodes the last value of the lenient member. Returns false if the value cannot be
    /// interpreted.
    fn lenient(&mut self, _node: NodeId, _context: &mut DecodeContext<'_>) -> bool {
        true
    }

    /// Decodes the member with this name. Returns false if the type has no such member.
    fn member(&mut self, _key: &str, _value: NodeId, _context: &mut DecodeContext<'_>, _exact: bool) -> bool {
        false
    }
}

/// Decodes an object into a type with members.
pub(super) fn decode_members<T: Decode>(target: &mut T, node: NodeId, context: &mut DecodeContext<'_>) {
    let lenient = T::LENIENT.filter(|_| context.runtime.lenient_types);
    let outer = context.mismatch.take();
    let value = own_members(target, node, lenient.map(|(name, _)| name), context);
    let ends = T::HAS_OWN_UNMARSHALER && context.runtime.type_errors == TypeErrors::AtOnce;
    if let Some(mismatch) = context.mismatch.take_if(|_| ends) {
        context.abort(DecodeError::Kind(mismatch));
    } else if let (Some((name, member)), Some(value)) = (lenient, value)
        && context.aborted.is_none()
    {
        context.path.push(name);
        if !target.lenient(value, context) {
            context.reject(member, value);
        }
        context.path.pop();
    }
    context.mismatch = outer.or_else(|| context.mismatch.take());
}

/// Decodes the members of an object. Returns the last value of the lenient member.
fn own_members<T: Decode>(
    target: &mut T,
    node: NodeId,
    lenient: Option<&str>,
    context: &mut DecodeContext<'_>,
) -> Option<NodeId> {
    let json = context.json;
    let mut left = None;
    match json.kind(node) {
        JsonKind::Null => {}
        JsonKind::Object => {
            for Member { key, value } in json.members(node) {
                let Some(key) = json.string(key) else { continue };
                if lenient.is_some_and(|lenient| names(&key, lenient, false)) {
                    left = Some(value);
                } else if !target.member(&key, value, context, true) {
                    target.member(&key, value, context, false);
                }
            }
        }
        _ => context.is_wrong(node),
    }
    left
}

/// Decodes one member and keeps its name on the path.
pub(super) fn decode_member<T: Decode>(
    target: &mut T,
    name: &'static str,
    value: NodeId,
    context: &mut DecodeContext<'_>,
) {
    context.path.push(name);
    target.decode(value, context);
    context.path.pop();
}

/// True if a key matches a name: exactly, or with Unicode simple case folding.
#[must_use]
pub fn names(key: &str, name: &str, exact: bool) -> bool {
    let fold = |char: char| match char {
        'ſ' => 's',
        '\u{212a}' => 'k',
        _ => char.to_ascii_lowercase(),
    };
    if exact { key == name } else { key.chars().map(fold).eq(name.chars()) }
}

impl Decode for String {
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
        match (context.json.kind(node), context.json.string(node)) {
            (_, Some(value)) => *self = value.into_owned(),
            (JsonKind::Null, None) => {}
            _ => context.is_wrong(node),
        }
    }
}

impl Decode for f64 {
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
        match context.json.kind(node) {
            JsonKind::Number => match float(context.json.raw(node)) {
                Some(value) => *self = value,
                None => context.is_too_large(node),
            },
            JsonKind::Null => {}
            _ => context.is_wrong(node),
        }
    }
}

impl Decode for bool {
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
        match context.json.kind(node) {
            JsonKind::Bool(value) => *self = value,
            JsonKind::Null => {}
            _ => context.is_wrong(node),
        }
    }
}

/// Parses a finite float.
pub(super) fn float(written: &[u8]) -> Option<f64> {
    std::str::from_utf8(written).ok()?.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Optional values.
impl<T: Decode> Decode for Option<Box<T>> {
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
        match context.json.kind(node) {
            JsonKind::Null => *self = None,
            _ => self.get_or_insert_default().decode(node, context),
        }
    }
}

/// A list as a Go slice.
///
/// If it is decoded twice, an element is decoded over the previous element. This includes elements
/// behind the end of a shorter list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List<T> {
    /// True if the list is not nil.
    is_present: bool,
    /// All elements, including previous elements behind the end.
    slots: Vec<T>,
    len: usize,
}

impl<T> List<T> {
    /// True if the list is missing or `null`.
    #[must_use]
    pub fn is_nil(&self) -> bool {
        !self.is_present
    }

    /// Elements of the list.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.slots.get(..self.len).unwrap_or(&self.slots)
    }

    /// Creates a list of these elements.
    pub(super) fn from_slots(slots: Vec<T>) -> Self {
        Self { is_present: true, len: slots.len(), slots }
    }

    /// Shortens the list to at most `len` elements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<T: Decode> Decode for List<T> {
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
        match context.json.kind(node) {
            JsonKind::Null => *self = Self::default(),
            JsonKind::Array => {
                let json = context.json;
                let mut len = 0;
                for element in json.elements(node) {
                    if len == self.slots.len() {
                        self.slots.push(T::default());
                    }
                    self.slots.get_mut(len).into_iter().for_each(|slot| slot.decode(element, context));
                    len += 1;
                }
                (self.len, self.is_present) = (len, true);
                if len == 0 {
                    self.slots.clear();
                }
            }
            _ => context.is_wrong(node),
        }
    }
}

/// A JSON value of any kind, with numbers as floats.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyValue {
    /// The literal `null`.
    Null,
    /// The literal `true` or `false`.
    Bool(bool),
    /// A number, converted to a float as in Go.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Arc<Vec<AnyValue>>),
    /// An object. The last of several equal keys is kept.
    Map(Arc<BTreeMap<String, AnyValue>>),
}

/// Drops without recursion, because values may be nested 10,000 levels deep.
impl Drop for AnyValue {
    fn drop(&mut self) {
        let mut inside = Vec::new();
        inside_of(self, &mut inside);
        while let Some(mut value) = inside.pop() {
            inside_of(&mut value, &mut inside);
        }
    }
}

/// Moves the direct children of a value to `out`, if they have no other owner.
fn inside_of(value: &mut AnyValue, out: &mut Vec<AnyValue>) {
    match value {
        AnyValue::List(list) => out.extend(Arc::into_inner(std::mem::take(list)).into_iter().flatten()),
        AnyValue::Map(map) => {
            out.extend(Arc::into_inner(std::mem::take(map)).into_iter().flat_map(BTreeMap::into_values))
        }
        AnyValue::Null | AnyValue::Bool(_) | AnyValue::Number(_) | AnyValue::Text(_) => {}
    }
}

/// Runs one level of a recursion and grows the stack if needed.
pub(super) fn with_room<T>(call: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 10, 1 << 20, call)
}

/// An object with members of any kind. Decoding a second object adds its members.
impl Decode for Option<BTreeMap<String, AnyValue>> {
    fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
        let json = context.json;
        match json.kind(node) {
            JsonKind::Null => *self = None,
            JsonKind::Object => {
                let map = self.get_or_insert_default();
                for Member { key, value } in json.members(node) {
                    let Some(key) = json.string(key) else { continue };
                    if let Some(value) = free(value, context) {
                        map.insert(key.into_owned(), value);
                    }
                }
            }
            _ => context.is_wrong(node),
        }
    }
}

/// Decodes a value of any kind. Returns `None` and records the mismatch if a number is too large.
///
/// The JSON parser limits the nesting depth.
fn free(node: NodeId, context: &mut DecodeContext<'_>) -> Option<AnyValue> {
    let json = context.json;
    Some(match json.kind(node) {
        JsonKind::Null | JsonKind::Broken => AnyValue::Null,
        JsonKind::Bool(value) => AnyValue::Bool(value),
        JsonKind::Number => match float(json.raw(node)) {
            Some(number) => AnyValue::Number(number),
            None => {
                context.is_too_large(node);
                return None;
            }
        },
        JsonKind::Plain | JsonKind::Escaped => AnyValue::Text(json.string(node)?.into_owned()),
        JsonKind::Array => {
            let elements = json.elements(node).map(|element| with_room(|| free(element, context)));
            AnyValue::List(Arc::new(elements.collect::<Option<_>>()?))
        }
        JsonKind::Object => {
            let member = |Member { key, value }| {
                Some((json.string(key)?.into_owned(), with_room(|| free(value, context))?))
            };
            AnyValue::Map(Arc::new(json.members(node).map(member).collect::<Option<_>>()?))
        }
    })
}
