//! Explanations: why a line is in a prompt, and why a text is not.

use super::absence::RuleAbsence;
use super::places::line_of;
use super::{PreviewState, PreviewedPrompt};
use crate::answers::{Answer, KernelAnswers, Querier};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES, is_for};
use crate::jit::{AssemblyKind, AtomAbsence, JitCompiler};
use crate::origin::{FactOrigin, FactOriginKind, LineOrigin};
use crate::sections::{Mode, PromptLine, SectionKind, SectionSource};
use mangle_engine::kernel::{Proof, RuleId};
use mangle_syntax::text::FileId;

/// The maximum number of proofs of a fact.
pub const MAX_PROOFS: usize = 8;

/// The policy of the runtime injects context atoms only with scores above this threshold.
pub(crate) const THRESHOLD: i64 = 50;

/// The predicate of context atoms with their scores.
pub(crate) const SCORED: &str = "shard_context_atom";

/// A line with the proofs of its fact.
#[derive(Debug, Clone)]
pub struct LineReason {
    /// The index of the section.
    pub section: usize,
    /// The index of the line in the section.
    pub line: usize,
    /// The proofs of the fact; empty for a line without a fact.
    pub proofs: Vec<Proof>,
}

/// The reason for the absence of a text from a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum AbsenceReason {
    /// The text is present.
    Shown,
    /// The text is an atom id, or part of the content of these atoms.
    Atoms(Vec<AtomAbsence>),
    /// Facts with the text have keys that do not address the shard.
    WrongKey {
        /// The keys of these facts.
        keys: Vec<String>,
        /// The keys that address the shard.
        wanted: Vec<String>,
    },
    /// All scores of the text are at or below the threshold of the policy. Each score has the
    /// clause that derives it.
    BelowThreshold(Vec<(i64, RuleId)>),
    /// The prompt has no section for the text in its mode.
    NotInMode,
    /// A fact has the text, but the prompt does not show the fact.
    Hidden {
        /// The predicate of the fact.
        predicate: &'static str,
        /// The reason as text.
        why: String,
        /// The reasons why the rules do not inject the text.
        rules: Vec<RuleAbsence>,
    },
    /// The prompt compiler excludes the atom with the text, for this reason.
    Dropped(String),
    /// The text is not derived; each rule has a reason.
    NotDerived(Vec<RuleAbsence>),
}

impl PreviewState {
    /// Up to `most` proofs of a fact, starting with the first derivation.
    #[must_use]
    pub fn proofs(&self, shown: &mut PreviewedPrompt, held: &FactOrigin, most: usize) -> Vec<Proof> {
        let Some((predicate, number)) = held.key else { return Vec::new() };
        if held.kind != FactOriginKind::Derived {
            return Vec::new();
        }
        let (compiled, clock) = (&self.compiled, self.settings.clock);
        let model = shown.kernel.model_mut();
        let mut all = vec![model.explain(compiled, clock, predicate, number)];
        if most > 1 {
            all.extend(model.other_proofs(compiled, clock, predicate, number, most - 1));
        }
        all
    }

    /// The lines that contain a text or one of its lines, and the lines of the atom with this id,
    /// each with its proofs.
    #[must_use]
    pub fn why(&self, shown: &mut PreviewedPrompt, text: &str) -> Vec<LineReason> {
        let wanted: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let is_meant = |line: &PromptLine| {
            let is_atom = matches!(&line.origin, LineOrigin::Atom { id, .. } if id == text);
            (is_atom && !line.text.trim().is_empty()) || wanted.iter().any(|text| line.text.contains(text))
        };
        let mut found = Vec::new();
        for (at, section) in shown.prompt.sections.iter().enumerate() {
            let lines = section.lines.iter().enumerate().filter(|(_, line)| is_meant(line));
            found.extend(lines.map(|(line, of)| (at, line, of.origin.clone())));
        }
        let why = |(section, line, origin)| {
            let proofs = match &origin {
                LineOrigin::Fact(held) => self.proofs(shown, held, MAX_PROOFS),
                _ => Vec::new(),
            };
            LineReason { section, line, proofs }
        };
        found.into_iter().map(why).collect()
    }

    /// The reason why a text (a line, a part of a line, or an atom id) is not in the prompt of a
    /// shard. Derivations are explained down to `depth` nested rules.
    #[must_use]
    pub fn why_not(
        &self,
        shown: &mut PreviewedPrompt,
        shard: &str,
        text: &str,
        depth: usize,
    ) -> AbsenceReason {
        let is_own = shard == shown.request.context.shard_id;
        let called = self.atoms(shown, |compiler, made| compiler.atoms_called(text, &shown.derived, made));
        if !called.is_empty() {
            let is_there = called.iter().all(|atom| atom.reason.is_none());
            return if is_there { AbsenceReason::Shown } else { AbsenceReason::Atoms(called) };
        }
        // An exact match with a fact has priority over lines that contain the text.
        if let Some(reason) = self.of_facts(shown, shard, &|found| found == text) {
            return reason;
        }
        if is_own && shown.prompt.text().contains(text) {
            return AbsenceReason::Shown;
        }
        let with = self.atoms(shown, |compiler, made| compiler.atoms_with(text, &shown.derived, made));
        if !with.is_empty() {
            return AbsenceReason::Atoms(with);
        }
        if let Some(reason) = self.of_facts(shown, shard, &|found| found.contains(text)) {
            return reason;
        }
        let hidden = self.hidden(shown, shard, text);
        if let Some((TEMPLATES, why)) = hidden {
            return AbsenceReason::Hidden { predicate: TEMPLATES, why, rules: Vec::new() };
        }
        let rules = self.rule_absences(shown, shard, text, depth);
        match hidden {
            Some((predicate, why)) => AbsenceReason::Hidden { predicate, why, rules },
            None => AbsenceReason::NotDerived(rules),
        }
    }

    /// The known atom id with the smallest distance to an unknown id.
    #[must_use]
    pub fn atom_near(&self, shown: &PreviewedPrompt, word: &str) -> Option<String> {
        let compiler = self.compiler(&shown.request)?;
        compiler.id_near(word).map(str::to_owned)
    }

    /// The result of `find` in the corpus; empty without a corpus.
    fn atoms(
        &self,
        shown: &PreviewedPrompt,
        find: impl Fn(&JitCompiler, AssemblyKind<'_>) -> Vec<AtomAbsence>,
    ) -> Vec<AtomAbsence> {
        let Some(compiler) = self.compiler(&shown.request) else { return Vec::new() };
        let compilation = shown.prompt.compilation.as_deref();
        let is_baseline = shown
            .prompt
            .sections
            .iter()
            .any(|section| section.kind == SectionKind::Base && section.from == SectionSource::Atoms);
        let made = match (compilation, shown.prompt.mode) {
            (Some(compilation), _) => AssemblyKind::Compiler(compilation),
            (None, Mode::Section) => AssemblyKind::WithoutAtoms("`section` shows no prompt atoms"),
            (None, _) if is_baseline => AssemblyKind::Baseline,
            (None, _) => {
                AssemblyKind::WithoutAtoms("the base of this prompt is not made of atoms, so all are ignored")
            }
        };
        find(&compiler, made)
    }

    /// The reason according to facts about injected context.
    fn of_facts(
        &self,
        shown: &PreviewedPrompt,
        shard: &str,
        is_text: &dyn Fn(&str) -> bool,
    ) -> Option<AbsenceReason> {
        let injected = with_text(self.facts(shown, INJECTED, 2), 1, is_text);
        let is_own = shard == shown.request.context.shard_id;
        let takes = |key: &str| is_for(key, shard) || (is_own && shown.takes(key));
        let is_meant = |answer: &&Answer| answer.text(0).is_some_and(takes);
        if let Some(answer) = injected.iter().find(is_meant) {
            let is_it = |origin: &LineOrigin| matches!(origin, LineOrigin::Fact(held) if held.fact == answer.origin.fact);
            let is_there = shown.prompt.lines().any(|(_, line)| is_it(&line.origin));
            return Some(match shown.prompt.compilation.as_ref().and_then(|made| made.dropped_context()) {
                _ if is_there => AbsenceReason::Shown,
                Some(reason) => AbsenceReason::Dropped(reason.words()),
                None => AbsenceReason::NotInMode,
            });
        }
        let mut keys: Vec<String> =
            injected.iter().filter_map(|answer| answer.text(0).map(String::from)).collect();
        let scored = with_text(self.facts(shown, SCORED, 3), 1, is_text);
        let scores = scored.iter().filter(is_meant);
        let scores: Vec<(i64, RuleId)> =
            scores.filter_map(|answer| Some((answer.args.get(2)?.whole()?, answer.origin.rule))).collect();
        if !scores.is_empty() && scores.iter().all(|(score, _)| *score <= THRESHOLD) {
            return Some(AbsenceReason::BelowThreshold(scores));
        }
        if keys.is_empty() {
            return None;
        }
        keys.dedup();
        let name = is_own.then_some(&shown.derived.shard_id).filter(|name| *name != shard);
        let name = name.filter(|_| shown.is_compiled()).cloned();
        let wanted = [shard.to_owned()].into_iter().chain(name).chain(["*".to_owned(), "/_all".to_owned()]);
        Some(AbsenceReason::WrongKey { keys, wanted: wanted.collect() })
    }

    /// A fact with the text that the prompt does not show: its predicate, and the reason.
    fn hidden(&self, shown: &PreviewedPrompt, shard: &str, text: &str) -> Option<(&'static str, String)> {
        let is_legacy = shown.prompt.mode == Mode::Legacy || shown.prompt.fallback.is_some();
        let has_text = |found: &str| found.contains(text);
        let knowledge = with_text(self.facts(shown, KNOWLEDGE, 3), 2, &has_text);
        if let Some(answer) = knowledge.first() {
            return Some((KNOWLEDGE, hidden_knowledge(shown, shard, answer, is_legacy)));
        }
        let template = with_text(self.facts(shown, TEMPLATES, 2), 1, &has_text);
        let why = if is_legacy {
            "it is the template of another type of shard, or not the first of this type"
        } else {
            "templates are the base of prompts in mode `legacy` alone"
        };
        template.first().map(|_| (TEMPLATES, why.to_owned()))
    }

    /// The facts that a query finds for a shard.
    pub(crate) fn facts(&self, shown: &PreviewedPrompt, predicate: &str, least: usize) -> Vec<Answer> {
        let (program, model) = (&self.evaluated, shown.kernel.model());
        let mut querier =
            KernelAnswers::new(program, &self.compiled, model, &shown.marks, self.settings.order);
        querier.query(predicate, least).unwrap_or_default()
    }

    /// The file and the line (from 1) of a clause; `None` for [`RuleId::ASSERTED`].
    #[must_use]
    pub fn line_of_rule(&self, rule: RuleId) -> Option<(FileId, usize)> {
        let (file, range) = self.place_of_rule(rule, None)?;
        Some((file, line_of(&self.current, file, range)))
    }
}

/// The reason why a prompt does not show a fact about specialist knowledge.
fn hidden_knowledge(shown: &PreviewedPrompt, shard: &str, answer: &Answer, is_legacy: bool) -> String {
    let key = answer.text(0).unwrap_or_default();
    let is_own = shard == shown.request.context.shard_id;
    let takes = key == shard || (is_own && shown.is_compiled() && shown.takes(key));
    if !takes {
        return format!("it is for the shard `{key}`");
    }
    if is_legacy {
        return "`legacy` shows no knowledge of specialists; `section` and `jit` do".to_owned();
    }
    let is_blank = |argument| answer.text(argument).unwrap_or_default().trim().is_empty();
    if is_blank(1) || is_blank(2) {
        return "its topic or its text is empty".to_owned();
    }
    match shown.prompt.compilation.as_ref().and_then(|made| made.dropped_knowledge()) {
        Some(reason) => format!("the prompt compiler leaves it out; {}", reason.words()),
        None => "nothing of this prompt shows it".to_owned(),
    }
}

/// The answers with a matching text in an argument.
fn with_text(answers: Vec<Answer>, argument: usize, is_text: &dyn Fn(&str) -> bool) -> Vec<Answer> {
    answers.into_iter().filter(|answer| answer.text(argument).is_some_and(is_text)).collect()
}
