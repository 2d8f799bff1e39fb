//! Base section of a prompt: the identity of the shard. Sources in this order: a template of the
//! kernel, the mandatory atoms, a built-in text.

use super::request::AssemblyRequest;
use super::template;
use crate::answers::{Answer, Querier};
use crate::derived_context::DerivedContext;
use crate::origin::LineOrigin;
use crate::prompt::Prompt;
use crate::sections::{Section, SectionKind, SectionSource};
use crate::texts;
use mangle_settings::Runtime;

/// The predicate of the templates. Its arguments are the type of shard and the text.
pub(crate) const TEMPLATES: &str = "shard_prompt_base";

pub(super) struct PromptBase {
    pub(super) section: Section,
    /// True if the envelope instructions follow the base.
    pub(super) needs_suffix: bool,
    pub(super) is_from_kernel: bool,
}

pub(super) fn section(
    request: &AssemblyRequest<'_>,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> PromptBase {
    let kind = &request.context.shard_type;
    let answers = querier.query(TEMPLATES, 2).unwrap_or_else(|why| {
        prompt.failed.push((TEMPLATES, why));
        Vec::new()
    });
    let runtime = request.context.runtime;
    let mut all = answers.iter().filter_map(|answer| template_for(answer, kind, runtime));
    let found = match runtime.smallest_template {
        true => all.min_by(|(one, _), (other, _)| one.cmp(other)),
        false => all.next(),
    };
    if let Some((text, answer)) = found.filter(|(text, _)| !text.is_empty()) {
        let mut section = Section::new(SectionKind::Base, SectionSource::Kernel, "BASE");
        section.push_text(&text, &LineOrigin::Fact(answer.origin.showing(1)));
        section.push_blank();
        return PromptBase { section, needs_suffix: true, is_from_kernel: true };
    }
    let baseline = request
        .compiler
        .and_then(|compiler| compiler.baseline(&DerivedContext::from_context(request.context)));
    if let Some(mut section) = baseline {
        section.push_blank();
        return PromptBase { section, needs_suffix: false, is_from_kernel: false };
    }
    let (name, ours) = texts::role(kind);
    // The workspace can have a text for a type without a built-in text.
    let name = if request.templates.contains_key(kind.as_str()) { kind } else { name };
    let (from, text) = template(request.templates, name, ours);
    let mut section = Section::new(SectionKind::Base, from, "BASE");
    section.push_text(text, &LineOrigin::builtin(name));
    section.push_blank();
    PromptBase { section, needs_suffix: true, is_from_kernel: false }
}

/// The template text if the fact is for this type. The key is a case-sensitive name or string.
pub(crate) fn template_for<'a>(
    answer: &'a Answer,
    kind: &str,
    runtime: Runtime,
) -> Option<(String, &'a Answer)> {
    let key = answer.read(0, runtime)?;
    let is_for_it = key == kind || key.strip_prefix('/') == Some(kind);
    answer.read(1, runtime).filter(|_| is_for_it).map(|text| (text, answer))
}
