//! The compiler: from a corpus, a situation and the kernel's answers to sections and a manifest.

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

/// A compiler with its corpus. Without anything that a search found, only mandatory atoms and what they
/// need are chosen.
#[derive(Debug, Clone)]
pub struct JitCompiler {
    /// The atoms.
    pub corpus: Arc<Corpus>,
    /// Texts in place of the built-in headings, by the names of phrases.
    pub templates: Arc<BTreeMap<String, String>>,
}

/// A compiled prompt with everything that is known of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compilation {
    /// The atoms that there were: the corpus and what was injected.
    pub atoms: Vec<Arc<PromptAtom>>,
    /// Those that are not in the prompt, and why.
    pub dropped: Vec<Exclusion>,
    /// Which of the atoms are in it, in its order.
    pub included: Vec<usize>,
    /// Those of them for which the budget was made with a shorter text than the one that is printed.
    pub shortened: Vec<usize>,
    /// Hits of the search that do not go together and whose scores the runtime's engine cannot compare: each with the
    /// other one.
    pub compared: Vec<(usize, usize)>,
    /// How many tokens atoms may have together.
    pub usable: i64,
    /// How many the mandatory ones have.
    pub mandatory: i64,
    /// By how many tokens the part of a category may differ from run to run.
    pub deviation: i64,
    /// Whether names in it stand for so much that not all of it was put in.
    pub overgrown: bool,
    /// Queries that failed: the predicate, and why. What they would have injected is missing.
    pub failed: Vec<(&'static str, String)>,
    /// The sections of the prompt, in their order.
    pub sections: Vec<Section>,
    /// What became of the atoms.
    pub manifest: Manifest,
}

impl Compilation {
    /// Why the context that the kernel injects is not in the prompt, where it is left out.
    #[must_use]
    pub fn dropped_context(&self) -> Option<&ExclusionReason> {
        self.dropped_injection(Category::Context)
    }

    /// Why the knowledge of specialists is left out, if it is.
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
    /// A compiler with its corpus, which writes the built-in headings.
    #[must_use]
    pub fn new(corpus: Arc<Corpus>) -> Self {
        Self { corpus, templates: Arc::default() }
    }

    /// The headings that it writes itself.
    fn wording(&self) -> Wording<'_> {
        Wording::new(&self.templates)
    }

    /// The base of a prompt that is assembled without the compiler, from the mandatory atoms that fit; `None` where
    /// there is none.
    #[must_use]
    pub fn baseline(&self, derived: &DerivedContext) -> Option<Section> {
        baseline::baseline(&self.corpus.atoms, derived)
    }

    /// Leaves in a kernel what a compilation asserts and nobody takes back, also one that fails.
    pub fn leave(
        &self,
        context: &PromptContext,
        derived: &DerivedContext,
        querier: &mut dyn Querier,
        left: &mut Residue,
    ) {
        let situation = Situation::of(derived);
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

    /// Compiles a prompt, in a kernel in which something may be left of others.
    ///
    /// # Errors
    /// What the reference runtime would fail with, before it goes on without the compiler.
    pub fn compile(
        &self,
        context: &PromptContext,
        derived: &DerivedContext,
        querier: &mut dyn Querier,
        left: &Residue,
    ) -> Result<Compilation, String> {
        let available = available(derived)?;
        let situation = Situation::of(derived).after(left);
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
        let placeholders = Placeholders::of(derived);
        let sections = assemble::assemble(&candidates, &fit.fitted, &placeholders, &origin_of);
        let manifest = manifest_of(&atoms, &candidates, &fit, &dropped);
        let is_shorter = |fitted: &&FittedAtom| {
            candidates.get(fitted.chosen.atom).is_some_and(|atom| fitted.tokens != atom.tokens)
        };
        let included = in_prompt_order(&candidates, &fit).map(|fitted| number(fitted.chosen.atom)).collect();
        let shortened =
            fit.fitted.iter().filter(is_shorter).map(|fitted| number(fitted.chosen.atom)).collect();
        Ok(Compilation {
            dropped,
            included,
            shortened,
            compared,
            usable: fit.usable,
            mandatory: fit.mandatory,
            deviation: fit.deviation,
            overgrown: placeholders.is_full(),
            failed,
            sections,
            manifest,
            atoms,
        })
    }
}

/// The atoms that are looked at at all, by number, and why the others are not.
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

/// The arguments of a fact as the compiler prints them.
fn printed(answer: &Answer) -> Vec<String> {
    answer.args.iter().map(Arg::printed).collect()
}

/// What the kernel injects. Where the query for context fails the runtime does not ask for knowledge.
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
            texts.push((text.clone(), LineOrigin::Fact(answer.held.showing(1))));
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
            let origin = |argument| LineOrigin::Fact(answer.held.showing(argument));
            blocks.push(((topic.clone(), origin(1)), (text.clone(), origin(2))));
        }
    }
    let context = inject::context(&texts, derived, wording);
    context.into_iter().chain(inject::knowledge(&blocks, derived, wording)).collect()
}

/// What fits, as it stands in the prompt: by category.
fn in_prompt_order<'f>(atoms: &[&PromptAtom], fit: &'f BudgetFit) -> impl Iterator<Item = &'f FittedAtom> {
    let mut fitted: Vec<&FittedAtom> = fit.fitted.iter().collect();
    fitted.sort_by_key(|fitted| (atoms.get(fitted.chosen.atom).map(|atom| atom.category), fitted.order));
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
        let atom = atoms.get(fitted.chosen.atom)?;
        Some(manifest::IncludedAtom {
            id: atom.id.text.clone(),
            category: atom.category.as_str().to_owned(),
            source: atom.kind.as_str().to_owned(),
            priority: atom.priority,
            logic: fitted.chosen.logic,
            vector: fitted.chosen.vector,
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
