//! Prompt compiler: converts a corpus, a situation and kernel answers to sections and a manifest.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::answers::{Answer, Arg, Querier};
use super::super::assembly::{INJECTED, KNOWLEDGE};
use super::super::context::PromptContext;
use super::super::derived_context::DerivedContext;
use super::super::manifest::{self, Manifest};
use super::super::origin::LineOrigin;
use super::super::sections::Section;
use super::super::wording::Wording;
use super::atom::{AtomKind, PromptAtom};
use super::budget::{self, BudgetFit, FittedAtom};
use super::category::Category;
use super::limits::{available, is_left_out};
use super::order::order;
use super::placeholders::Placeholders;
use super::read::Corpus;
use super::residue::Residue;
use super::select::{Exclusion, ExclusionReason, Selection, select};
use super::situation::Situation;
use super::{assemble, baseline, inject};

/// A prompt compiler with its corpus. Without search results, the compiler chooses only mandatory
/// atoms and their dependencies.
#[derive(Debug, Clone)]
pub struct JitCompiler {
    /// The corpus of atoms.
    pub corpus: Arc<Corpus>,
    /// Texts that replace built-in headings, by phrase name.
    pub templates: Arc<BTreeMap<String, String>>,
}

/// A compiled prompt with its decisions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compilation {
    /// The candidates: the atoms of the corpus and the injected atoms.
    pub atoms: Vec<Arc<PromptAtom>>,
    /// The excluded atoms with reasons.
    pub dropped: Vec<Exclusion>,
    /// The indexes of the included atoms in [`Compilation::atoms`], in the order of the prompt.
    pub included: Vec<usize>,
    /// The included atoms whose budget variant is shorter than the printed text.
    pub shortened: Vec<usize>,
    /// Pairs of conflicting search hits with scores that the engine of the runtime cannot compare.
    pub incomparable_hits: Vec<(usize, usize)>,
    /// The number of usable tokens for all atoms.
    pub usable: i64,
    /// The number of tokens of mandatory atoms.
    pub mandatory: i64,
    /// The maximum deviation of a category share between runs, in tokens.
    pub deviation: i64,
    /// True if placeholder values exceed the growth limit and are not fully expanded.
    pub exceeds_growth_limit: bool,
    /// Failed queries: predicate and error message. Their injected text is missing.
    pub failed: Vec<(&'static str, String)>,
    /// The sections of the prompt, in order.
    pub sections: Vec<Section>,
    /// The included and excluded atoms for output.
    pub manifest: Manifest,
}

impl Compilation {
    /// The reason if the prompt excludes the injected context.
    #[must_use]
    pub fn dropped_context(&self) -> Option<&ExclusionReason> {
        self.dropped_injection(Category::Context)
    }

    /// The reason if the prompt excludes the knowledge of specialists.
    #[must_use]
    pub fn dropped_knowledge(&self) -> Option<&ExclusionReason> {
        self.dropped_injection(Category::Knowledge)
    }

    fn dropped_injection(&self, category: Category) -> Option<&ExclusionReason> {
        let is_it = |atom: &PromptAtom| atom.kind == AtomKind::Kernel && atom.category == category;
        let is_dropped = |dropped: &&Exclusion| self.atoms.get(dropped.atom).is_some_and(|atom| is_it(atom));
        self.dropped.iter().find(is_dropped).map(|dropped| &dropped.reason)
    }
}

impl JitCompiler {
    /// A compiler with built-in headings.
    #[must_use]
    pub fn new(corpus: Arc<Corpus>) -> Self {
        Self { corpus, templates: Arc::default() }
    }

    /// The headings of the compiler.
    fn wording(&self) -> Wording<'_> {
        Wording::new(&self.templates)
    }

    /// The base of a prompt without the compiler, from the mandatory atoms that fit. `None` without
    /// such atoms.
    #[must_use]
    pub fn baseline(&self, derived: &DerivedContext) -> Option<Section> {
        baseline::baseline(&self.corpus.atoms, derived)
    }

    /// Adds the assertions of a compilation to the residue of a kernel. The runtime never retracts
    /// them, even if the compilation fails.
    pub fn add_residue(
        &self,
        context: &PromptContext,
        derived: &DerivedContext,
        querier: &mut dyn Querier,
        left: &mut Residue,
    ) {
        let situation = Situation::new(derived);
        let mut atoms = self.corpus.atoms.clone();
        let injected = injected(derived, self.wording(), querier, &mut Vec::new());
        atoms.extend(injected.into_iter().map(|(atom, _)| Arc::new(atom)));
        let (kept, _) = collected(&atoms, derived, &situation);
        for atom in kept.into_iter().filter_map(|at| atoms.get(at)) {
            if !left.atoms.iter().any(|known| Arc::ptr_eq(known, atom)) {
                left.atoms.push(Arc::clone(atom));
            }
        }
        left.vectors.extend(context.vectors.iter().cloned());
        situation.leave(left);
    }

    /// Compiles a prompt in a kernel with the residue of earlier compilations.
    ///
    /// # Errors
    ///
    /// The error of the reference runtime, which then continues without the compiler.
    pub fn compile(
        &self,
        context: &PromptContext,
        derived: &DerivedContext,
        querier: &mut dyn Querier,
        left: &Residue,
    ) -> Result<Compilation, String> {
        let available = available(derived)?;
        let situation = Situation::new(derived).with_residue(left);
        let mut atoms = self.corpus.atoms.clone();
        let mut failed = Vec::new();
        let injected = injected(derived, self.wording(), querier, &mut failed);
        let first = atoms.len();
        let (more, lines): (Vec<_>, Vec<_>) = injected.into_iter().unzip();
        atoms.extend(more.into_iter().map(Arc::new));
        let (kept, mut dropped) = collected(&atoms, derived, &situation);
        let candidates: Vec<&PromptAtom> =
            kept.iter().filter_map(|&at| atoms.get(at).map(|atom| &**atom)).collect();
        let vectors: FxHashMap<&str, f64> =
            context.vectors.iter().map(|(id, score)| (&**id, *score)).collect();
        let selection = if candidates.is_empty() {
            Selection::default()
        } else {
            select(&candidates, &situation, &vectors, left)?
        };
        let ordered = order(&candidates, &selection.chosen).map_err(|circle| {
            format!("failed to resolve dependencies: dependency cycle detected: {}", circle.join(" -> "))
        })?;
        let fit = budget::fit(&candidates, &ordered, available)?;
        let number = |at: usize| kept.get(at).copied().unwrap_or(usize::MAX);
        let compared = selection.compared.iter().map(|&(one, other)| (number(one), number(other))).collect();
        dropped.extend(
            selection.dropped.into_iter().map(|dropped| Exclusion { atom: number(dropped.atom), ..dropped }),
        );
        dropped.extend(
            fit.left_out
                .iter()
                .map(|left| Exclusion { atom: number(left.atom), reason: ExclusionReason::Budget }),
        );
        dropped.sort_by_key(|dropped| dropped.atom);
        let origin_of = |at: usize, line: usize| {
            let lines: &Vec<Option<LineOrigin>> = lines.get(number(at).checked_sub(first)?)?;
            lines.get(line)?.clone().or_else(|| Some(LineOrigin::builtin("injected")))
        };
        let placeholders = Placeholders::new(derived);
        let sections = assemble::assemble(&candidates, &fit.fitted, &placeholders, &origin_of);
        let manifest = manifest_of(&atoms, &candidates, &fit, &dropped);
        let is_shorter = |fitted: &&FittedAtom| {
            candidates.get(fitted.selection.atom).is_some_and(|atom| fitted.tokens != atom.tokens)
        };
        let included =
            in_prompt_order(&candidates, &fit).map(|fitted| number(fitted.selection.atom)).collect();
        let shortened =
            fit.fitted.iter().filter(is_shorter).map(|fitted| number(fitted.selection.atom)).collect();
        Ok(Compilation {
            dropped,
            included,
            shortened,
            incomparable_hits: compared,
            usable: fit.usable,
            mandatory: fit.mandatory,
            deviation: fit.deviation,
            exceeds_growth_limit: placeholders.is_full(),
            failed,
            sections,
            manifest,
            atoms,
        })
    }
}

/// The indexes of the collected atoms, and the reasons for the exclusion of the rest.
fn collected(
    atoms: &[Arc<PromptAtom>],
    derived: &DerivedContext,
    situation: &Situation,
) -> (Vec<usize>, Vec<Exclusion>) {
    let (mut kept, mut dropped) = (Vec::with_capacity(atoms.len()), Vec::new());
    for (at, atom) in atoms.iter().enumerate() {
        let evolved = Some(&**atom).filter(|atom| atom.kind == AtomKind::Evolved);
        let other = atom.agent.as_deref().filter(|agent| *agent != derived.shard_id);
        let reason = if is_left_out(atom, derived) {
            Some(ExclusionReason::StructuredOutput)
        } else if let Some(agent) = other {
            Some(ExclusionReason::OtherAgent(agent.to_owned()))
        } else {
            evolved.and_then(|atom| situation.unmatched(atom)).map(ExclusionReason::NotCollected)
        };
        match reason {
            Some(reason) => dropped.push(Exclusion { atom: at, reason }),
            None => kept.push(at),
        }
    }
    (kept, dropped)
}

fn printed(answer: &Answer) -> Vec<String> {
    answer.args.iter().map(Arg::printed).collect()
}

/// The atoms that the kernel injects. If the query for context fails, the runtime does not query
/// knowledge.
fn injected(
    derived: &DerivedContext,
    wording: Wording<'_>,
    querier: &mut dyn Querier,
    failed: &mut Vec<(&'static str, String)>,
) -> Vec<inject::InjectedAtom<LineOrigin>> {
    let is_for = |shard: &str| inject::is_for(shard, derived);
    let answers = match querier.query(INJECTED, 2) {
        Ok(answers) => answers,
        Err(why) => {
            failed.push((INJECTED, why));
            return Vec::new();
        }
    };
    let mut texts = Vec::new();
    for answer in answers {
        if let [shard, text, ..] = &printed(&answer)[..]
            && is_for(shard)
            && !text.trim().is_empty()
        {
            texts.push((text.clone(), LineOrigin::Fact(answer.origin.showing(1))));
        }
    }
    let mut blocks = Vec::new();
    let answers = querier.query(KNOWLEDGE, 3).unwrap_or_else(|why| {
        failed.push((KNOWLEDGE, why));
        Vec::new()
    });
    for answer in answers {
        if let [shard, topic, text, ..] = &printed(&answer)[..]
            && is_for(shard)
            && !topic.trim().is_empty()
            && !text.trim().is_empty()
        {
            let origin = |argument| LineOrigin::Fact(answer.origin.showing(argument));
            blocks.push(((topic.clone(), origin(1)), (text.clone(), origin(2))));
        }
    }
    let context = inject::context(&texts, derived, wording);
    context.into_iter().chain(inject::knowledge(&blocks, derived, wording)).collect()
}

/// The fitted atoms in the order of the prompt: by category.
fn in_prompt_order<'f>(atoms: &[&PromptAtom], fit: &'f BudgetFit) -> impl Iterator<Item = &'f FittedAtom> {
    let mut fitted: Vec<&FittedAtom> = fit.fitted.iter().collect();
    fitted.sort_by_key(|fitted| (atoms.get(fitted.selection.atom).map(|atom| atom.category), fitted.order));
    fitted.into_iter()
}

fn manifest_of(
    all: &[Arc<PromptAtom>],
    atoms: &[&PromptAtom],
    fit: &BudgetFit,
    dropped: &[Exclusion],
) -> Manifest {
    let count = |tokens: i64| usize::try_from(tokens).unwrap_or(0);
    let selected = in_prompt_order(atoms, fit).filter_map(|fitted| {
        let atom = atoms.get(fitted.selection.atom)?;
        Some(manifest::IncludedAtom {
            id: atom.id.text.clone(),
            category: atom.category.as_str().to_owned(),
            source: atom.kind.as_str().to_owned(),
            priority: atom.priority,
            logic: fitted.selection.logic,
            vector: fitted.selection.vector,
            variant: fitted.variant.as_str().to_owned(),
            tokens: (count(fitted.tokens), count(atom.tokens)),
        })
    });
    let dropped = dropped.iter().filter_map(|dropped| {
        let atom = all.get(dropped.atom)?;
        let place = atom.file.map(|file| (file, atom.id.range));
        Some(manifest::ExcludedAtom { id: atom.id.text.clone(), reason: dropped.reason.words(), place })
    });
    Manifest { selected: selected.collect(), dropped: dropped.collect() }
}
