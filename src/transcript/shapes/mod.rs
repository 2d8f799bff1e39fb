//! What a JSON value of a container is, and the turns in it: one file a kind of record.

mod audit;
mod chat;
mod draft;
mod provider;
mod session;
mod trace;

pub(super) use draft::Draft;
pub(super) use provider::{border, push_parts};
pub(super) use session::{messages, shown};

use std::fmt;

use super::turn::{Details, Kind, Role, Turn};
use super::words::{is_envelope, is_string, member, text};
use crate::config::Profile;
use crate::envelope::json::{self, Json, NodeId};

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// An envelope.
    Envelope,
    /// A message of a chat, or several.
    Chat,
    /// An answer of a model's API.
    Provider,
    /// A piece of one.
    Delta,
    /// A session that was stored.
    Session,
    /// A row of traces.
    Trace,
    /// An entry of the audit log.
    Audit,
    /// An entry of another log.
    Log,
}

impl Shape {
    /// The word for several of them. Messages, answers and their pieces go together.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Envelope => "envelopes",
            Self::Chat | Self::Provider | Self::Delta => "chat records",
            Self::Session => "sessions",
            Self::Trace => "traces",
            Self::Audit => "audit entries",
            Self::Log => "log entries",
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}

/// A record that was recognised.
#[derive(Debug)]
pub(super) struct Shaped {
    pub(super) shape: Shape,
    pub(super) turns: Vec<Turn>,
}

/// What a value is; `None` where it is nothing that is known.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Shaped> {
    if is_envelope(json, node) {
        return Some(Shaped { shape: Shape::Envelope, turns: vec![envelope(json, node, pointer)] });
    }
    let as_shape = |shape: Shape| move |turns: Vec<Turn>| Shaped { shape, turns };
    trace::read(json, node, pointer)
        .map(as_shape(Shape::Trace))
        .or_else(|| audit::read(json, node, pointer).map(as_shape(Shape::Audit)))
        .or_else(|| super::stream::is_delta(json, node).then(|| as_shape(Shape::Delta)(Vec::new())))
        .or_else(|| provider::read(json, node, pointer).map(as_shape(Shape::Provider)))
        .or_else(|| chat::read(json, node, pointer).map(as_shape(Shape::Chat)))
        .map(|mut shaped| {
            tell(json, node, &mut shaped.turns);
            shaped
        })
}

/// An envelope that is the text of its reply.
pub(super) fn envelope(json: &Json<'_>, node: NodeId, pointer: &str) -> Turn {
    let mut turn = Turn::part(Role::Assistant, Kind::Reply, json.range(node));
    turn.path.extend((!pointer.is_empty()).then(|| pointer.to_owned()));
    turn
}

/// A text in a string.
pub(super) fn string(json: &Json<'_>, node: NodeId, pointer: String, role: Role, kind: Kind) -> Turn {
    let mut draft = Draft::default();
    draft.push(json, node, pointer);
    draft.finish(role, kind)
}

/// Adds what the record says beside its texts to its turns.
fn tell(json: &Json<'_>, node: NodeId, turns: &mut [Turn]) {
    let mut details = Details { profile: version(json, node), ..Details::default() };
    details.timestamp = ["timestamp", "time", "created_at", "created", "ts"].iter().find_map(|name| {
        let value = member(json, node, name)?;
        match json.kind(value) {
            json::Kind::Number => Some(String::from_utf8_lossy(json.raw(value)).into_owned()),
            _ => json.string(value).map(std::borrow::Cow::into_owned),
        }
    });
    details.call =
        ["tool_call_id", "tool_use_id", "request_id"].iter().find_map(|name| said(json, node, name));
    if details == Details::default() {
        return;
    }
    for turn in turns {
        let own = turn.details.get_or_insert_default();
        own.profile = own.profile.or(details.profile);
        own.call = own.call.take().or_else(|| details.call.clone());
        own.timestamp = own.timestamp.take().or_else(|| details.timestamp.clone());
    }
}

/// The version of the protocol that a record names.
fn version(json: &Json<'_>, node: NodeId) -> Option<Profile> {
    let value = member(json, node, "piggyback_version")?;
    let written = match is_string(json, value) {
        true => json.string(value)?.into_owned(),
        false => String::from_utf8_lossy(json.raw(value)).into_owned(),
    };
    profile(&written)
}

/// The profile that a version or the name of a profile means.
pub(super) fn profile(word: &str) -> Option<Profile> {
    let word = word.trim();
    let base = word.strip_suffix(".0").filter(|base| base.contains('.')).unwrap_or(word);
    Profile::parse(base).or(match base {
        "1.3" => Some(Profile::Draft1_3),
        _ => None,
    })
}

/// What a record says when it says it with this name.
pub(super) fn said(json: &Json<'_>, node: NodeId, name: &str) -> Option<String> {
    text(json, node, name).map(std::borrow::Cow::into_owned)
}
