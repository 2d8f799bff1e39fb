//! Incremental previews: a program with a sample kernel, evaluated for each requested shard, and
//! the resulting prompts.
//!
//! The input is a joined program, [`PromptRequest`] values and [`PreviewSettings`]. The output is
//! [`PreviewedPrompt`] values with the origin of each line. If only facts of the sample change, the
//! kernels are updated incrementally; other changes rebuild the preview.

mod absence;
mod pattern;
mod places;
mod preview_facts;
mod prompt_request;
mod reasons;
mod runtime_facts;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::answers::{AnswerOrder, FactLocations, KernelAnswers};
use super::assembly::{AssemblyRequest, Prompt, assemble, is_for};
use super::compressed_input::{CompressedInput, compressed};
use super::context::DerivedContext;
use super::hybrid::Directives;
use super::jit::{Corpus, JitCompiler, Residue, Word, is_injected_for};
use super::sections::{Mode, Wording};
use super::tokens::Estimator;
use super::turn;
use mangle_engine::kernel::{
    Clock, CompiledProgram, Fact, Kernel, Limits, Reading, RuleId, ValueId, compile,
};
use mangle_engine::program::{PredicateId, Program};
use mangle_settings::{ContextBlockSettings, Profile, PromptSettings, Reasoning, Runtime};
use mangle_syntax::text::{Cancel, FileId};
use preview_facts::PreviewFacts;

pub use absence::{RuleAbsence, RuleAbsenceReason};
pub use places::{OpenedPlace, OriginPlace};
pub use prompt_request::{BudgetSource, CapturedPrompt, PromptPart, PromptRequest, TokenBudget};
pub use reasons::{AbsenceReason, LineReason, MAX_PROOFS};
pub(crate) use reasons::{SCORED, THRESHOLD};
pub use runtime_facts::{StickyChanges, undeclared_of_runtime};

/// The settings of previews.
#[derive(Debug, Clone)]
pub struct PreviewSettings {
    /// The dialect of the program.
    pub reading: Reading,
    /// The limits of an evaluation.
    pub limits: Limits,
    /// The time of evaluation.
    pub clock: Clock,
    /// The order of facts.
    pub order: AnswerOrder,
    /// True if the preview adds facts that the runtime would assert: the active shard, the user's
    /// intent, the budget.
    pub synthetic: bool,
    /// Workspace texts that replace built-in texts.
    pub templates: BTreeMap<String, String>,
    /// True if the preamble about the two channels precedes the prompt.
    pub inception: bool,
    /// The reasoning request at the end of the prompt.
    pub reasoning: Option<Reasoning>,
    /// The token counter.
    pub estimator: Estimator,
    /// The protocol version of the requested replies.
    pub profile: Profile,
    /// The runtime that assembles the prompts.
    pub runtime: Runtime,
    /// The settings for facts in user messages.
    pub context_block: ContextBlockSettings,
    /// The default assembly mode for prompts without a mode.
    pub mode: Option<Mode>,
    /// The prompt compiler, if a corpus of atoms exists.
    pub compiler: Option<Arc<JitCompiler>>,
    /// True if prompts are compiled in one kernel with the assertions of earlier compilations, as
    /// in a long session of the runtime. Otherwise each prompt has a new kernel.
    pub sticky: bool,
}

impl PreviewSettings {
    /// The settings of a workspace.
    #[must_use]
    pub fn from_settings(settings: &PromptSettings, reading: Reading, limits: Limits, clock: Clock) -> Self {
        Self {
            reading,
            limits,
            clock,
            order: AnswerOrder::Sorted,
            synthetic: settings.synthetic,
            templates: settings.templates.clone(),
            inception: settings.inception,
            reasoning: settings.reasoning,
            estimator: Estimator::new(settings.tokenizer),
            profile: Profile::Current,
            runtime: Runtime::default(),
            context_block: settings.context_block.clone(),
            mode: settings.mode,
            compiler: None,
            sticky: false,
        }
    }

    /// The same settings for a runtime.
    #[must_use]
    pub fn of_runtime(self, runtime: Runtime) -> Self {
        Self { runtime, ..self }
    }

    /// The same settings for a protocol version. `None` means the current version.
    #[must_use]
    pub fn in_version(self, profile: Option<Profile>) -> Self {
        Self { profile: profile.unwrap_or(Profile::Current), ..self }
    }

    /// The prompt compiler with the atoms for a prompt.
    pub(crate) fn compiler<'s>(&'s self, wanted: &'s PromptRequest) -> Option<&'s JitCompiler> {
        wanted.compiler.as_deref().or(self.compiler.as_deref())
    }

    /// The assembly mode of a prompt.
    fn mode(&self, wanted: &PromptRequest) -> Mode {
        let usual = if self.compiler(wanted).is_some() { Mode::Jit } else { Mode::Legacy };
        wanted.mode.or(self.mode).unwrap_or(usual)
    }
}

/// The previews of a program.
#[derive(Debug)]
pub struct Preview {
    common: PreviewState,
    shown: Vec<PreviewedPrompt>,
}

/// The shared data of the prompts of a preview.
#[derive(Debug)]
pub struct PreviewState {
    settings: PreviewSettings,
    /// The file of the sample kernel. Its plain facts are asserted and retracted.
    sample: Option<FileId>,
    /// The program as compiled.
    evaluated: Arc<Program>,
    /// The current program: the same rules, possibly at other locations.
    current: Arc<Program>,
    compiled: Arc<CompiledProgram>,
}

/// A prompt with its kernel.
#[derive(Debug)]
pub struct PreviewedPrompt {
    /// The request.
    pub request: PromptRequest,
    /// The situation of the shard.
    pub derived: DerivedContext,
    /// The assembled prompt, with the origin of each line.
    pub prompt: Prompt,
    /// Queried predicates that are neither declared nor defined.
    pub unknown: Vec<String>,
    /// The effects of earlier prompts, if previews are sticky and this prompt is compiled after
    /// others.
    pub sticky_changes: Option<StickyChanges>,
    left: Residue,
    kernel: Kernel,
    given: PreviewFacts,
    marks: FactLocations,
}

impl Preview {
    /// Evaluates a program for each requested shard, and assembles the prompts.
    #[must_use]
    pub fn new(
        program: Arc<Program>,
        sample: Option<FileId>,
        wanted: Vec<PromptRequest>,
        settings: PreviewSettings,
        cancel: &Cancel,
    ) -> Self {
        let compiled = compile(&program, settings.reading);
        let common =
            PreviewState { settings, sample, current: Arc::clone(&program), evaluated: program, compiled };
        let mut base = Kernel::without(Arc::clone(&common.compiled), common.facts_of_sample());
        if wanted.len() > 1 {
            // Relations that do not depend on the shards are evaluated once.
            base.evaluate(common.settings.limits, common.settings.clock, cancel);
        }
        let mut all = Vec::with_capacity(wanted.len());
        for mut wanted in wanted {
            wanted.context.runtime = common.settings.runtime;
            let derived = DerivedContext::from_context(&wanted.context);
            let (prompt, unknown) = (Prompt::default(), Vec::new());
            let (given, marks) = (PreviewFacts::default(), FactLocations::default());
            let kernel = base.fork();
            let left = Residue::default();
            let mut shown = PreviewedPrompt {
                request: wanted,
                derived,
                prompt,
                unknown,
                sticky_changes: None,
                left,
                kernel,
                given,
                marks,
            };
            common.refresh(&mut shown, cancel);
            all.push(shown);
        }
        runtime_facts::stick(&common, &mut all);
        Self { common, shown: all }
    }

    /// The prompts, in the order of the requests.
    #[must_use]
    pub fn prompts(&self) -> &[PreviewedPrompt] {
        &self.shown
    }

    /// The shared data of the prompts.
    #[must_use]
    pub fn common(&self) -> &PreviewState {
        &self.common
    }

    /// The shared data with mutable prompts. Tracing the origin of a line interns new values in the
    /// kernels.
    pub fn parts(&mut self) -> (&PreviewState, &mut [PreviewedPrompt]) {
        (&self.common, &mut self.shown)
    }

    /// Sets the prompt compiler with the current atoms of the workspace. Takes effect at the next
    /// update.
    pub fn set_compiler(&mut self, compiler: Option<Arc<JitCompiler>>) {
        self.common.settings.compiler = compiler;
    }

    /// Updates the preview to the current program and requests.
    pub fn update(&mut self, program: Arc<Program>, wanted: Vec<PromptRequest>, cancel: &Cancel) {
        let common = &mut self.common;
        // Relations downstream of an interrupted evaluation are stale.
        let is_same = wanted.len() == self.shown.len()
            && self.shown.iter().all(|shown| shown.stopped().is_none())
            && preview_facts::has_same_rules(&common.evaluated, &program, common.sample);
        if !is_same {
            *self = Self::new(program, common.sample, wanted, common.settings.clone(), cancel);
            return;
        }
        common.current = program;
        for (shown, mut wanted) in self.shown.iter_mut().zip(wanted) {
            wanted.context.runtime = common.settings.runtime;
            shown.derived = DerivedContext::from_context(&wanted.context);
            shown.request = wanted;
            (shown.sticky_changes, shown.left) = (None, Residue::default());
            common.refresh(shown, cancel);
        }
        runtime_facts::stick(common, &mut self.shown);
        if self.shown.iter().any(|shown| shown.stopped().is_some()) && !cancel.is_cancelled() {
            let wanted = self.shown.iter().map(|shown| shown.request.clone()).collect();
            let (program, settings) = (Arc::clone(&self.common.current), self.common.settings.clone());
            *self = Self::new(program, self.common.sample, wanted, settings, cancel);
        }
    }
}

impl PreviewState {
    /// The current program.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.current
    }

    /// The execution plans of the program.
    #[must_use]
    pub fn compiled(&self) -> &Arc<CompiledProgram> {
        &self.compiled
    }

    /// The settings of all prompts of the preview.
    #[must_use]
    pub fn settings(&self) -> &PreviewSettings {
        &self.settings
    }

    /// Updates the facts of a shard's kernel, evaluates it and assembles the prompt.
    fn refresh(&self, shown: &mut PreviewedPrompt, cancel: &Cancel) {
        let mut given =
            PreviewFacts::of_sample(&self.evaluated, &self.current, self.sample, shown.kernel.values());
        given.add_directives(&self.evaluated, &self.current, shown.kernel.values());
        if self.settings.synthetic {
            runtime_facts::add_synthetic(&mut given, self, shown);
            if shown.request.part == PromptPart::System && self.settings.mode(&shown.request) == Mode::Jit {
                runtime_facts::add_situation(&mut given, self, shown);
            }
        }
        let states = |predicate, tuple: &[_]| self.states(predicate, tuple);
        given.apply(&mut shown.kernel, &shown.given, &states);
        shown.kernel.evaluate(self.settings.limits, self.settings.clock, cancel);
        shown.marks = given.marks();
        shown.given = given;
        let mut querier = KernelAnswers::new(
            &self.evaluated,
            &self.compiled,
            shown.kernel.model(),
            &shown.marks,
            self.settings.order,
        );
        let prompt = self.assembled(shown, &mut querier);
        let unknown = querier.unknown;
        (shown.prompt, shown.unknown) = (prompt, unknown);
    }

    /// The prompt of a shard with facts in another order.
    pub(crate) fn reordered(&self, shown: &PreviewedPrompt, order: AnswerOrder) -> Prompt {
        let (program, model) = (&self.evaluated, shown.kernel.model());
        let mut querier = KernelAnswers::new(program, &self.compiled, model, &shown.marks, order);
        self.assembled(shown, &mut querier)
    }

    /// The prompt compiler of a prompt, with its corpus and the atoms of directives. `None` without
    /// a corpus.
    ///
    /// Directives are read only from files with a loader that supports them.
    pub(crate) fn compiler<'s>(&'s self, wanted: &'s PromptRequest) -> Option<Cow<'s, JitCompiler>> {
        let compiler = self.settings.compiler(wanted)?;
        let embedding = &self.current.embedding;
        let hybrid = self.current.files.iter().filter(|file| embedding.is_hybrid(file.id));
        let read = hybrid.map(|file| (file.id, Directives::read(&file.text).atoms));
        let more: Vec<_> = read.filter(|(_, atoms)| !atoms.is_empty()).collect();
        let templates = &self.settings.templates;
        if more.is_empty() && templates.is_empty() {
            return Some(Cow::Borrowed(compiler));
        }
        let templates = Arc::new(templates.clone());
        if more.is_empty() {
            return Some(Cow::Owned(JitCompiler { templates, ..compiler.clone() }));
        }
        let mut corpus = Corpus::clone(&compiler.corpus);
        for (file, atom) in more.iter().flat_map(|(file, atoms)| atoms.iter().map(|atom| (*file, atom))) {
            let word = |text: &str| Word { text: text.to_owned(), range: atom.range };
            // The runtime does not store atoms without a valid category. A lint rule reports them.
            let (id, category, content) = (word(&atom.id), word(&atom.category), word(&atom.content));
            let _ = corpus.add_directive(id, &category, &content, file, atom.range);
        }
        Some(Cow::Owned(JitCompiler { corpus: Arc::new(corpus), templates }))
    }

    /// True if prompt atoms exist for a prompt.
    #[must_use]
    pub fn has_atoms(&self, shown: &PreviewedPrompt) -> bool {
        self.settings.compiler(&shown.request).is_some()
    }

    fn assembled(&self, shown: &PreviewedPrompt, querier: &mut KernelAnswers<'_>) -> Prompt {
        let (block, estimator) = (&self.settings.context_block, self.settings.estimator);
        let profile = self.settings.profile;
        let wording = Wording::new(&self.settings.templates);
        match &shown.request.part {
            PromptPart::System => {
                let compiler = self.compiler(&shown.request);
                let request = AssemblyRequest {
                    context: &shown.request.context,
                    mode: self.settings.mode(&shown.request),
                    templates: &self.settings.templates,
                    inception: self.settings.inception,
                    reasoning: self.settings.reasoning,
                    compiler: compiler.as_deref(),
                    residue: Some(&shown.left),
                    profile: self.settings.profile,
                };
                assemble(&request, querier)
            }
            PromptPart::Turn(message) => {
                turn::turn_input(message, profile, block, estimator, wording, querier)
            }
            PromptPart::Compressed(message, recorded) => {
                let wanted = &shown.request;
                let of = CompressedInput {
                    message,
                    profile,
                    recorded,
                    session: wanted.context.session.as_ref(),
                    window: wanted.limits.as_ref().map(|limits| limits.window),
                    wording,
                };
                compressed(&of, block, querier)
            }
            PromptPart::Articulation(results) => {
                turn::articulation(results, block, estimator, wording, querier)
            }
        }
    }

    /// True if a clause outside of the sample's plain facts states the fact.
    fn states(&self, predicate: PredicateId, tuple: &[ValueId]) -> bool {
        let is_it = |fact: &&Fact| fact.predicate == predicate && *fact.tuple == *tuple;
        self.compiled.facts().iter().filter(is_it).any(|fact| !self.is_of_sample(fact.rule))
    }

    /// The clauses of the plain facts of the sample.
    fn facts_of_sample(&self) -> FxHashSet<RuleId> {
        self.compiled.facts().iter().map(|fact| fact.rule).filter(|rule| self.is_of_sample(*rule)).collect()
    }

    /// True if a clause is a plain fact of the sample, which can be asserted and retracted.
    fn is_of_sample(&self, rule: RuleId) -> bool {
        self.compiled.rule(rule).is_some_and(|rule| {
            Some(rule.file) == self.sample && preview_facts::is_plain(&self.evaluated, rule.file, rule.item)
        })
    }
}

impl PreviewedPrompt {
    /// The reason for an incomplete evaluation, with the rule at fault.
    #[must_use]
    pub fn stopped(&self) -> Option<&mangle_engine::kernel::Stop> {
        self.kernel.model().stopped.as_ref()
    }

    /// True if the prompt compiler made the prompt.
    #[must_use]
    pub(crate) fn is_compiled(&self) -> bool {
        self.prompt.compilation.is_some()
    }

    /// True if text that the kernel injects under a key applies to this prompt. The compiler
    /// accepts more keys than the other modes.
    #[must_use]
    pub(crate) fn takes(&self, key: &str) -> bool {
        match self.is_compiled() {
            true => is_injected_for(key, &self.derived),
            false => is_for(key, &self.request.context.shard_id),
        }
    }

    /// The derived facts for this shard.
    #[must_use]
    pub fn model(&self) -> &mangle_engine::kernel::Model {
        self.kernel.model()
    }
}
