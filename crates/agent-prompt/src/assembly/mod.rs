//! Prompt assembly in the order of the runtime: base, context, session, intent, envelope
//! instructions.
//!
//! Converts an [`AssemblyRequest`] and the answers of a querier to a [`Prompt`] with an origin for
//! each line. Each file implements one section. Known defects of the runtime are reproduced; lint
//! rules report them.

mod base;
mod clamp;
mod context;
mod intent;
mod request;
mod session;
mod suffix;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::answers::Querier;
use super::derived_context::DerivedContext;
use super::jit::Residue;
use super::origin::LineOrigin;
use super::prompt::Prompt;
use super::sections::{Mode, Section, SectionKind, SectionSource};
use super::texts;
use mangle_settings::Reasoning;
pub use request::AssemblyRequest;

pub(super) use super::sections::{INJECTED, KNOWLEDGE};
pub(super) use base::{TEMPLATES, template_for};
pub(super) use context::is_for;
pub(super) use session::HISTORY;
pub use suffix::{appends_in_jit_mode, has_envelope, is_structured_only};

/// The maximum number of bytes that the runtime records of a compiler error.
const REASON: usize = 400;

/// Assembles a prompt.
#[must_use]
pub fn assemble(request: &AssemblyRequest<'_>, querier: &mut dyn Querier) -> Prompt {
    let mut prompt = Prompt { mode: request.mode, ..Prompt::default() };
    if request.inception && request.mode != Mode::Section {
        prompt.sections.push(inception(request));
    }
    match request.mode {
        Mode::Jit => compiled(request, querier, &mut prompt),
        Mode::Legacy => legacy(request, querier, &mut prompt),
        Mode::Section => context::for_section_mode(request, querier, &mut prompt),
    }
    if let Some(reasoning) = request.reasoning.filter(|_| request.mode != Mode::Section) {
        prompt.sections.last_mut().into_iter().for_each(Section::push_blank);
        prompt.sections.push(reasons(request, reasoning));
    }
    prompt
}

fn inception(request: &AssemblyRequest<'_>) -> Section {
    let (from, text) = template(request.templates, "inception", texts::INCEPTION);
    let mut section = Section::new(SectionKind::Inception, from, "INCEPTION");
    section.push_text(text, &LineOrigin::builtin("inception"));
    section.push_blank();
    section
}

fn reasons(request: &AssemblyRequest<'_>, reasoning: Reasoning) -> Section {
    let (from, text) = template(request.templates, "reasoning", texts::reasoning(reasoning));
    let mut section = Section::new(SectionKind::Reasoning, from, "REASONING");
    section.push_text(text, &LineOrigin::builtin("reasoning"));
    section
}

/// The workspace template with this name, or the built-in text.
fn template<'t>(
    templates: &'t BTreeMap<String, String>,
    name: &str,
    ours: &'t str,
) -> (SectionSource, &'t str) {
    match templates.get(name) {
        Some(text) => (SectionSource::Configured(name.to_owned()), text),
        None => (SectionSource::Builtin(name.to_owned()), ours),
    }
}

fn compiled(request: &AssemblyRequest<'_>, querier: &mut dyn Querier, prompt: &mut Prompt) {
    let derived = DerivedContext::from_context(request.context);
    let new = Residue::default();
    let left = request.residue.unwrap_or(&new);
    let result = match request.compiler {
        Some(compiler) => compiler.compile(request.context, &derived, querier, left),
        None => Err("no prompt compiler: there is no corpus of atoms".to_owned()),
    };
    match result {
        Ok(compilation) => {
            prompt.sections.extend(compilation.sections.iter().cloned());
            prompt.failed.extend(compilation.failed.iter().cloned());
            prompt.compilation = Some(Arc::new(compilation));
            let text = prompt.text();
            if suffix::appends_in_jit_mode(request.context)
                && !suffix::has_envelope(&text, request.context.runtime)
            {
                prompt.sections.last_mut().into_iter().for_each(Section::push_blank);
                suffix::append(request, prompt, "the compiled text does not name \"control_packet\"");
            }
        }
        Err(mut reason) => {
            let end = (0..=REASON.min(reason.len())).rev().find(|at| reason.is_char_boundary(*at));
            reason.truncate(end.unwrap_or(0));
            prompt.fallback = Some(reason);
            legacy(request, querier, prompt);
        }
    }
}

fn legacy(request: &AssemblyRequest<'_>, querier: &mut dyn Querier, prompt: &mut Prompt) {
    let base = base::section(request, querier, prompt);
    prompt.sections.push(base.section);
    let wording = request.wording();
    context::section(request, querier, prompt);
    let session = request.context.session.as_ref();
    prompt
        .sections
        .extend(session.and_then(|session| session::section(session, wording, request.context.runtime)));
    prompt.sections.extend(request.context.intent.as_ref().map(|intent| intent::section(intent, wording)));
    if base.needs_suffix && !is_structured_only(&request.context.shard_type, request.context.runtime) {
        let because = if base.is_from_kernel {
            "the base is a template of the kernel"
        } else {
            "the base is a built-in text"
        };
        suffix::append(request, prompt, because);
    }
}
