//! The envelope instructions at the end, and when they are there.

use super::request::AssemblyRequest;
use super::template;
use crate::derived_context::folded;
use crate::origin::LineOrigin;
use crate::prompt::Prompt;
use crate::sections::{Section, SectionKind};
use crate::texts;

/// Whether shards of a type answer with a structure of their own, never with an envelope.
#[must_use]
pub fn is_structured_only(kind: &str) -> bool {
    matches!(&*folded(kind), "mangle_repair" | "legislator")
}

/// Whether a compiled prompt for a type gets the instructions when its text does not name them. There the runtime puts
/// a `/` in front of the type even if it has one already, so that `/legislator` is no longer known.
#[must_use]
pub fn appends_in_jit_mode(kind: &str) -> bool {
    let kind = folded(&format!("/{kind}"));
    !matches!(&*kind, "mangle_repair" | "legislator" | "perception" | "perception_firewall")
}

/// Whether a text names the envelope as instructions do.
pub(crate) fn has_envelope(text: &str) -> bool {
    text.contains("\"control_packet\"")
}

/// Appends the instructions.
pub(super) fn append(request: &AssemblyRequest<'_>, prompt: &mut Prompt, because: &'static str) {
    let ours = texts::suffix(request.profile);
    let (from, text) = template(request.templates, "suffix", &ours);
    let mut section = Section::new(SectionKind::Suffix, from, "REPLY FORMAT");
    section.push_text(text, &LineOrigin::Suffix { because });
    prompt.sections.push(section);
    prompt.suffix = true;
}
