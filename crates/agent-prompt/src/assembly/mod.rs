//! Prompt assembly in the order of the runtime: base, context, session, intent, envelope
//! instructions.
//!
//! Converts an [`AssemblyRequest`] and the answers of a querier to a [`Prompt`] with an origin for
//! each line. This file contains the base and the envelope instructions; the other sections have
//! their own files. Known defects of the runtime are reproduced; lint rules report them.

mod clamp;
mod context;
mod session;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::answers::{Answer, Querier};
use super::context::{DerivedContext, PromptContext, folded, role};
use super::jit::{Compilation, JitCompiler, Residue};
use super::origin::LineOrigin;
use super::sections::{Mode, PromptLine, Section, SectionKind, SectionSource, Wording};
use super::texts;
use mangle_settings::{Profile, Reasoning, Runtime};

pub(super) use super::sections::{INJECTED, KNOWLEDGE};
pub(super) use context::is_for;
pub(super) use session::HISTORY;

/// Input of the prompt assembly.
#[derive(Debug, Clone, Copy)]
pub struct AssemblyRequest<'a> {
    /// The shard and its situation.
    pub context: &'a PromptContext,
    /// The assembly mode.
    pub mode: Mode,
    /// Workspace texts that replace built-in texts. Keys: the type of shard, `generic`, `suffix`,
    /// `inception`, and phrase names.
    pub templates: &'a BTreeMap<String, String>,
    /// True if the preamble about the two channels precedes the prompt.
    pub inception: bool,
    /// The reasoning request at the end of the prompt.
    pub reasoning: Option<Reasoning>,
    /// The prompt compiler, if a corpus of atoms exists.
    pub compiler: Option<&'a JitCompiler>,
    /// Facts that earlier compilations left in the kernel.
    pub residue: Option<&'a Residue>,
    /// The protocol version of the requested replies.
    pub profile: Profile,
}

impl<'a> AssemblyRequest<'a> {
    /// The headings and sentences of the assembly.
    fn wording(&self) -> Wording<'a> {
        Wording::new(self.templates)
    }

    /// A request with built-in texts and without a prompt compiler.
    #[must_use]
    pub fn plain(context: &'a PromptContext, mode: Mode) -> Self {
        static OURS: BTreeMap<String, String> = BTreeMap::new();
        let profile = Profile::Current;
        Self {
            context,
            mode,
            templates: &OURS,
            inception: false,
            reasoning: None,
            compiler: None,
            residue: None,
            profile,
        }
    }
}

/// An assembled prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// The assembly mode.
    pub mode: Mode,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// True if the envelope instructions were appended.
    pub suffix: bool,
    /// The decisions of the prompt compiler, if it made the prompt.
    pub compilation: Option<Arc<Compilation>>,
    /// The reason why the requested compiler was not used, as the runtime records it (at most 400
    /// bytes).
    pub fallback: Option<String>,
    /// Failed queries: predicate and error message. Their sections are missing.
    pub failed: Vec<(&'static str, String)>,
}

impl Prompt {
    /// The text of all sections.
    #[must_use]
    pub fn text(&self) -> String {
        self.sections.iter().map(Section::text).collect()
    }

    /// All lines, with the index of their section.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &PromptLine)> {
        self.sections
            .iter()
            .enumerate()
            .flat_map(|(at, section)| section.lines.iter().map(move |line| (at, line)))
    }
}

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
            if appends_in_jit_mode(request.context) && !has_envelope(&text, request.context.runtime) {
                prompt.sections.last_mut().into_iter().for_each(Section::push_blank);
                append_suffix(request, prompt, "the compiled text does not name \"control_packet\"");
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
    let base = base_section(request, querier, prompt);
    prompt.sections.push(base.section);
    let wording = request.wording();
    context::section(request, querier, prompt);
    let session = request.context.session.as_ref();
    prompt
        .sections
        .extend(session.and_then(|session| session::section(session, wording, request.context.runtime)));
    prompt
        .sections
        .extend(request.context.intent.as_ref().map(|intent| context::intent_section(intent, wording)));
    if base.needs_suffix && !is_structured_only(&request.context.shard_type, request.context.runtime) {
        let because = if base.is_from_kernel {
            "the base is a template of the kernel"
        } else {
            "the base is a built-in text"
        };
        append_suffix(request, prompt, because);
    }
}

/// The predicate of the templates. Its arguments are the type of shard and the text.
pub(crate) const TEMPLATES: &str = "shard_prompt_base";

struct PromptBase {
    section: Section,
    /// True if the envelope instructions follow the base.
    needs_suffix: bool,
    is_from_kernel: bool,
}

/// The identity of the shard. Sources in this order: a template of the kernel, the mandatory atoms, a
/// built-in text.
fn base_section(request: &AssemblyRequest<'_>, querier: &mut dyn Querier, prompt: &mut Prompt) -> PromptBase {
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

fn append_suffix(request: &AssemblyRequest<'_>, prompt: &mut Prompt, because: &'static str) {
    let ours = texts::suffix(request.profile);
    let (from, text) = template(request.templates, "suffix", &ours);
    let mut section = Section::new(SectionKind::Suffix, from, "REPLY FORMAT");
    section.push_text(text, &LineOrigin::Suffix { because });
    prompt.sections.push(section);
    prompt.suffix = true;
}
