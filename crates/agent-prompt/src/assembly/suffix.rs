//! Envelope instructions at the end of a prompt, and the conditions for them.

use super::request::AssemblyRequest;
use super::template;
use crate::context::PromptContext;
use crate::derived_context::{folded, role};
use crate::origin::LineOrigin;
use crate::prompt::Prompt;
use crate::sections::{Section, SectionKind};
use crate::texts;
use mangle_settings::Runtime;

/// True if shards of a type reply with their own structure and never with an envelope.
#[must_use]
pub fn is_structured_only(kind: &str, runtime: Runtime) -> bool {
    runtime.roles_without_envelope.contains(&folded(kind).as_str())
}

/// True if a compiled prompt gets the instructions when its text does not mention them.
///
/// Some runtimes prepend a second `/` to a type with a `/`. They do not recognize `/legislator`.
#[must_use]
pub fn appends_in_jit_mode(context: &PromptContext) -> bool {
    let kind = role(context);
    !is_structured_only(&kind, context.runtime)
        && !matches!(&*folded(&kind), "perception" | "perception_firewall")
}

/// True if a text mentions the envelope in the form of the instructions.
#[must_use]
pub fn has_envelope(text: &str, runtime: Runtime) -> bool {
    match runtime.bare_envelope_words {
        true => text.contains("control_packet") && text.contains("surface_response"),
        false => text.contains("\"control_packet\""),
    }
}

pub(super) fn append(request: &AssemblyRequest<'_>, prompt: &mut Prompt, because: &'static str) {
    let ours = texts::suffix(request.profile);
    let (from, text) = template(request.templates, "suffix", &ours);
    let mut section = Section::new(SectionKind::Suffix, from, "REPLY FORMAT");
    section.push_text(text, &LineOrigin::Suffix { because });
    prompt.sections.push(section);
    prompt.suffix = true;
}
