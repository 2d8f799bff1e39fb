//! What the runtime cuts off and drops once an envelope is accepted.

use super::packet::Packet;
use mangle_settings::Caps;

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
    /// One of `` ` $ ; | ``.
    Meta,
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
    if caps.surface > 0 && surface.len() > caps.surface {
        surface.truncate(caps.surface);
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
    if packet.updates.as_slice().len() > caps.updates {
        packet.updates.truncate(caps.updates);
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
    if packet.memory.as_slice().len() > caps.memory {
        packet.memory.truncate(caps.memory);
        warnings.push(Warning::MemoryCut);
    }
    if packet.trace.len() > caps.trace {
        let mut cut = packet.trace.as_bytes().get(..caps.trace).unwrap_or_default().to_vec();
        cut.extend_from_slice(TRACE_CUT);
        kept.trace = Some(cut);
        warnings.push(Warning::TraceCut);
    }
    if packet.tools.as_slice().len() > caps.tools {
        packet.tools.truncate(caps.tools);
        warnings.push(Warning::ToolsCut);
    }
    if packet.knowledge.as_slice().len() > caps.knowledge {
        packet.knowledge.truncate(caps.knowledge);
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
    if update.is_empty() {
        Some(DropReason::Empty)
    } else if update.len() > caps.update {
        Some(DropReason::Long)
    } else if !update.contains('(') || needs_full_stops && !update.ends_with('.') {
        Some(DropReason::Syntax(update.chars().take(QUOTED).collect()))
    } else {
        update.contains(['`', '$', ';', '|']).then_some(DropReason::Meta)
    }
}
