//! The parts of an accepted envelope that the runtime shortens or drops: size limits, the reasons
//! for dropped updates, and texts that repeat an example of the prompt.

use rustc_hash::FxHashSet;

use super::go::trim;
use super::packet::{Feedback, Packet};
use mangle_settings::versions::runtime::{Cut, ShellCharacters};
use mangle_settings::{Caps, Runtime};

/// The suffix of a truncated surface.
const SURFACE_CUT: &[u8] = b"\n\n[TRUNCATED]";

/// The suffix of a truncated reasoning trace.
const TRACE_CUT: &[u8] = b"\n[TRUNCATED]";

/// The number of characters of a dropped update in a warning.
const QUOTED: usize = 40;

/// A warning of the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The envelope was found in mixed text.
    Extracted,
    /// No envelope was found, so the reply text is shown.
    Fallback,
    /// The surface of an incomplete envelope is shown.
    Recovered,
    /// An incomplete envelope has no surface, so a message is shown.
    CutOff,
    /// The model corrects itself. Contains its hypothesis.
    SelfCorrection(String),
    /// The surface was truncated.
    SurfaceCut,
    /// Updates at the end were dropped.
    UpdatesCut,
    /// One update was dropped.
    Update(DropReason),
    /// Memory operations at the end were dropped.
    MemoryCut,
    /// The reasoning trace was truncated.
    TraceCut,
    /// Tool requests at the end were dropped.
    ToolsCut,
    /// Knowledge requests at the end were dropped.
    KnowledgeCut,
}

/// The reason for a dropped update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DropReason {
    /// The update is blank.
    Empty,
    /// The update is too long.
    Long,
    /// The update has no parenthesis or no final period. Contains its first 40 characters.
    Syntax(String),
    /// The update contains one of these shell characters.
    Meta(&'static [char]),
}

/// The parts of a packet that remain after the size limits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CappedPacket {
    /// The accepted updates, untrimmed.
    pub updates: Vec<String>,
    /// Dropped updates, as indices into the updates of the envelope, with reasons.
    pub dropped: Vec<(usize, DropReason)>,
    /// The reasoning trace, if it was truncated. May be invalid UTF-8.
    pub trace: Option<Vec<u8>>,
    /// True if an update without a final period was kept because the protocol version does not
    /// require one.
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

/// Applies the size limits to a packet, in the order of the runtime.
///
/// `needs_full_stops` is called only if an update has no final period.
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

/// True if an update has a parenthesis but no final period.
#[must_use]
pub fn lacks_full_stop(update: &str) -> bool {
    let update = update.trim();
    update.contains('(') && !update.ends_with('.')
}

/// Returns the reason for dropping an update that has no surrounding envelope, or `None` if it is
/// kept.
#[must_use]
pub fn reason(update: &str, caps: &Caps) -> Option<DropReason> {
    reason_in(update, caps, caps.full_stops.are_needed())
}

/// Returns the reason for dropping an update, or `None` if it is kept. `needs_full_stops` requires
/// a final period.
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

/// Returns the shell characters that cause the runtime to drop an update, with their byte offsets.
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

/// Returns the offsets of all characters outside of strings. `None` if a string is not closed.
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

/// Example surfaces in older prompts.
const EXAMPLE_SURFACES: [&str; 2] = [
    "Human-readable response to the user",
    "I cannot delete that directory because it's protected by the kernel's safety rules. If you need to delete it, you'll \
     need to do so manually or grant explicit permission with /override.",
];

/// Example facts for feedback in older prompts.
const EXAMPLE_FACTS: [&str; 2] = ["file_topology", "test_state"];

/// The parts of an envelope that the runtime drops because they repeat an example of the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Placeholders {
    /// True if the surface is dropped.
    pub surface: bool,
    /// True if the context feedback is dropped.
    pub feedback: bool,
}

/// True if a surface is an example of the prompt, or one name in angle brackets.
#[must_use]
pub fn is_placeholder(surface: &[u8]) -> bool {
    let text = surface.get(trim(surface, 0..surface.len())).and_then(|text| std::str::from_utf8(text).ok());
    text.is_some_and(|text| {
        EXAMPLE_SURFACES.contains(&text) || text.starts_with("<SURFACE_RESPONSE") || is_bracketed(text)
    })
}

/// True for `<NAME>` and `<NAME: text>`.
fn is_bracketed(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) else { return false };
    let name = inner.split(':').next().unwrap_or_default();
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_name) && !inner.contains('>')
}

/// True if feedback is an example of the prompt.
pub(super) fn is_placeholder_feedback(feedback: &Feedback) -> bool {
    feedback.helpful.as_slice().iter().map(String::as_str).eq(EXAMPLE_FACTS)
        || feedback.missing.starts_with("<MISSING_CONTEXT")
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn names_in_angle_brackets_are_placeholders() {
        for text in ["<A>", " <ANSWER> ", "<A_B: any\ntext>", "<SURFACE_RESPONSE and more", "<A:>"] {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
        for text in ["<>", "<a>", "<A1>", "<A>.", "<A: b>c>", "<A B>", "Done."] {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }
}
