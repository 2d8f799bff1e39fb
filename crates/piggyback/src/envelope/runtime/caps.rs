//! What the runtime cuts off and drops once an envelope is accepted.

use super::packet::Packet;
use rustc_hash::FxHashSet;

use mangle_settings::versions::runtime::{Cut, ShellCharacters};
use mangle_settings::{Caps, Runtime};

/// What is put behind a surface that was cut.
const SURFACE_CUT: &[u8] = b"\n\n[TRUNCATED]";

/// What is put behind a reasoning trace that was cut.
const TRACE_CUT: &[u8] = b"\n[TRUNCATED]";

/// How many characters of a dropped update the runtime quotes.
const QUOTED: usize = 40;

/// What the runtime warns of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The envelope was found in mixed text.
    Extracted,
    /// There is no envelope: the text itself is shown.
    Fallback,
    /// The surface of an incomplete envelope is shown.
    Recovered,
    /// An incomplete envelope has no surface: a message is shown.
    CutOff,
    /// The model takes something back; its hypothesis.
    SelfCorrection(String),
    /// The surface was cut.
    SurfaceCut,
    /// Updates at the end were lost.
    UpdatesCut,
    /// An update was dropped.
    Update(DropReason),
    /// Memory operations at the end were lost.
    MemoryCut,
    /// The reasoning trace was cut.
    TraceCut,
    /// Tool requests at the end were lost.
    ToolsCut,
    /// Knowledge requests at the end were lost.
    KnowledgeCut,
}

/// Why an update was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DropReason {
    /// Nothing but white space.
    Empty,
    /// Too long.
    Long,
    /// No parenthesis, or no full stop at its end; its first 40 characters.
    Syntax(String),
    /// One of these characters of a shell.
    Meta(&'static [char]),
}

/// What is left of a packet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CappedPacket {
    /// The updates, untrimmed.
    pub updates: Vec<String>,
    /// The updates that were dropped: their indices among those of the envelope, and why.
    pub dropped: Vec<(usize, DropReason)>,
    /// The reasoning trace, if it was cut; then it need not be UTF-8.
    pub trace: Option<Vec<u8>>,
    /// Whether an update without its full stop was kept, since the version of the envelope does not ask for it.
    pub is_without_full_stops: bool,
}

pub(super) fn cut_surface(mut surface: Vec<u8>, caps: &Caps, warnings: &mut Vec<Warning>) -> Vec<u8> {
    if surface.len() > caps.surface() {
        surface.truncate(caps.surface());
        surface.extend_from_slice(SURFACE_CUT);
        warnings.push(Warning::SurfaceCut);
    }
    surface
}

/// Cuts a packet, in the runtime's order. `needs_full_stops` is asked where an update lacks its full stop.
pub(super) fn cut(
    packet: &mut Packet,
    caps: &Caps,
    needs_full_stops: impl FnOnce() -> bool,
    warnings: &mut Vec<Warning>,
) -> CappedPacket {
    let mut kept = CappedPacket::default();
    if packet.updates.as_slice().len() > caps.updates() {
        packet.updates.truncate(caps.updates());
        warnings.push(Warning::UpdatesCut);
    }
    let updates = packet.updates.as_slice();
    kept.is_without_full_stops = updates.iter().any(|update| lacks_full_stop(update)) && !needs_full_stops();
    for (at, update) in updates.iter().enumerate() {
        match reason_in(update, caps, !kept.is_without_full_stops) {
            None => kept.updates.push(update.clone()),
            Some(reason) => {
                if reason != DropReason::Empty {
                    warnings.push(Warning::Update(reason.clone()));
                }
                kept.dropped.push((at, reason));
            }
        }
    }
    if packet.memory.as_slice().len() > caps.memory() {
        packet.memory.truncate(caps.memory());
        warnings.push(Warning::MemoryCut);
    }
    if packet.trace.len() > caps.trace() {
        let end = match caps.runtime.trace_cut {
            Cut::Byte => caps.trace(),
            Cut::Character => {
                let mut ends = (0..=caps.trace()).rev();
                ends.find(|end| packet.trace.is_char_boundary(*end)).unwrap_or_default()
            }
        };
        let mut cut = packet.trace.as_bytes().get(..end).unwrap_or_default().to_vec();
        cut.extend_from_slice(TRACE_CUT);
        kept.trace = Some(cut);
        warnings.push(Warning::TraceCut);
    }
    if packet.tools.as_slice().len() > caps.tools() {
        packet.tools.truncate(caps.tools());
        warnings.push(Warning::ToolsCut);
    }
    if packet.knowledge.as_slice().len() > caps.knowledge() {
        packet.knowledge.truncate(caps.knowledge());
        warnings.push(Warning::KnowledgeCut);
    }
    kept
}

/// Whether an update has all but its full stop.
#[must_use]
pub fn lacks_full_stop(update: &str) -> bool {
    let update = update.trim();
    update.contains('(') && !update.ends_with('.')
}

/// Why an update that has no envelope around it is dropped, if it is.
#[must_use]
pub fn reason(update: &str, caps: &Caps) -> Option<DropReason> {
    reason_in(update, caps, caps.full_stops.are_needed())
}

/// Why an update is dropped, if it is, where full stops are needed or not.
#[must_use]
pub fn reason_in(update: &str, caps: &Caps, needs_full_stops: bool) -> Option<DropReason> {
    let update = update.trim();
    let needs_full_stops = needs_full_stops && caps.runtime.update_filters;
    if update.is_empty() {
        Some(DropReason::Empty)
    } else if update.len() > caps.update() {
        Some(DropReason::Long)
    } else if caps.runtime.update_filters && !update.contains('(')
        || needs_full_stops && !update.ends_with('.')
    {
        Some(DropReason::Syntax(update.chars().take(QUOTED).collect()))
    } else {
        let may_have = update.contains(caps.runtime.shell_characters.characters());
        let has = may_have && shell_characters(update, caps.runtime).next().is_some();
        has.then_some(DropReason::Meta(caps.runtime.shell_characters.characters()))
    }
}

/// The characters of a shell that lose an update, with their places.
pub fn shell_characters(update: &str, runtime: Runtime) -> impl Iterator<Item = (usize, char)> {
    let is_checked = match runtime.shell_characters {
        ShellCharacters::Ignored | ShellCharacters::Anywhere(_) => None,
        ShellCharacters::OutsideOfStrings(_) => outside_of_strings(update),
    };
    let characters = runtime.shell_characters.characters();
    update.char_indices().filter(move |(at, char)| {
        characters.contains(char) && is_checked.as_ref().is_none_or(|is_checked| is_checked.contains(at))
    })
}

/// The places of the characters of an update that are outside of its strings; `None` if a string does not end.
fn outside_of_strings(update: &str) -> Option<FxHashSet<usize>> {
    let (mut outside, mut in_string, mut is_escaped) = (FxHashSet::default(), false, false);
    for (at, char) in update.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => in_string = !in_string,
            _ if !in_string => {
                outside.insert(at);
            }
            _ => {}
        }
    }
    (!in_string).then_some(outside)
}
