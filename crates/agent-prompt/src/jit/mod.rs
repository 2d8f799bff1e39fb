//! Prompt compiler: selects the atoms of a corpus for a prompt, orders them and fits them into a
//! token budget.
//!
//! The input is a corpus of prompt atoms ([`Corpus`], read from YAML), the situation
//! ([`super::DerivedContext`]) and the injected atoms. The output is sections with source lines,
//! and a manifest with the reason for each excluded atom.
//!
//! The steps follow the reference runtime: collection with injected atoms (this file), `select`,
//! `budget` (order and budget) and `assemble`. Random choices of the runtime (hash table order,
//! unstable sorts) are deterministic here and documented.

mod absence;
mod assemble;
mod atom;
mod budget;
mod file_format;
mod read;
pub mod rules;
mod select;
mod situation;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use super::answers::{Answer, Arg, Querier};
use super::assembly::{INJECTED, KNOWLEDGE};
use super::context::{DerivedContext, PromptContext};
use super::origin::LineOrigin;
use super::sections::{Section, Wording};
use assemble::Placeholders;
use budget::{BudgetFit, FittedAtom, available, is_left_out, order};
use mangle_syntax::text::TextRange;
use select::{Selection, select};
use situation::Situation;

pub use absence::{AssemblyKind, AtomAbsence};
pub(crate) use assemble::placeholder_values;
pub use assemble::{ExcludedAtom, IncludedAtom, Manifest};
pub use atom::{AtomKind, AtomText, Category, CategoryClass, Dimension, PromptAtom, Word};
pub use file_format::{ATOM_KEYS, AtomKey};
pub use read::{AtomFault, AtomFile, Corpus, FaultKind};
pub use select::{Exclusion, ExclusionReason};
pub use situation::Residue;
pub(crate) use situation::{has_value, situation_values};

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
        assemble::baseline(&self.corpus.atoms, derived)
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
) -> Vec<InjectedAtom<LineOrigin>> {
    let is_for = |shard: &str| is_injected_for(shard, derived);
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
    let context = context_atom(&texts, derived, wording);
    context.into_iter().chain(knowledge_atom(&blocks, derived, wording)).collect()
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
        Some(assemble::IncludedAtom {
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
        Some(assemble::ExcludedAtom { id: atom.id.text.clone(), reason: dropped.reason.words(), place })
    });
    Manifest { selected: selected.collect(), dropped: dropped.collect() }
}

/// An injected atom with the origin of each of its lines.
type InjectedAtom<T> = (PromptAtom, Vec<Option<T>>);

/// A text with its origin.
type InjectedText<T> = (String, T);

/// True if a fact applies to a shard: the wildcard, the name or the instance. Blanks and one
/// leading `/` are ignored.
pub(crate) fn is_injected_for(shard: &str, derived: &DerivedContext) -> bool {
    let shard = shard.trim();
    let bare = shard.strip_prefix('/').unwrap_or(shard);
    !shard.is_empty()
        && (matches!(shard, "*" | "/_all")
            || bare == derived.shard_id
            || (!derived.instance.is_empty() && bare == derived.instance))
}

/// The atom of the injected context; `None` without texts.
fn context_atom<T: Clone>(
    texts: &[InjectedText<T>],
    derived: &DerivedContext,
    wording: Wording<'_>,
) -> Option<InjectedAtom<T>> {
    if texts.is_empty() {
        return None;
    }
    let (mut content, mut origins) = title(wording, "context.compiled");
    for (text, origin) in texts {
        let entry = wording.sentence("context.entry", &[("value", text)]);
        origins.extend(entry.split('\n').map(|_| Some(origin.clone())));
        content.push_str(&entry);
        content.push('\n');
    }
    origins.push(None);
    Some((kernel_atom(Category::Context, 95, &content, derived), origins))
}

/// The atom of the injected knowledge; `None` without blocks. Each block has a topic and a text
/// with their origins.
fn knowledge_atom<T: Clone>(
    blocks: &[(InjectedText<T>, InjectedText<T>)],
    derived: &DerivedContext,
    wording: Wording<'_>,
) -> Option<InjectedAtom<T>> {
    if blocks.is_empty() {
        return None;
    }
    let (mut content, mut origins) = title(wording, "knowledge.compiled");
    for ((topic, named), (text, said)) in blocks {
        let topic = wording.sentence("knowledge.topic", &[("value", topic)]);
        let block = format!("{topic}\n{text}\n");
        origins.extend(topic.split('\n').map(|_| Some(named.clone())));
        origins.extend(text.split('\n').map(|_| Some(said.clone())));
        origins.push(None);
        content.push_str(&block);
        content.push('\n');
    }
    // The runtime trims line ends at the end.
    let content = content.trim_end_matches('\n');
    origins.truncate(content.split('\n').count());
    Some((kernel_atom(Category::Knowledge, 90, content, derived), origins))
}

/// The lines of a title, without an origin.
fn title<T: Clone>(wording: Wording<'_>, name: &str) -> (String, Vec<Option<T>>) {
    let text = wording.text(name);
    if text.is_empty() {
        return (String::new(), Vec::new());
    }
    (format!("{text}\n"), vec![None; text.split('\n').count()])
}

fn kernel_atom(category: Category, priority: i64, content: &str, derived: &DerivedContext) -> PromptAtom {
    let digest = Sha256::digest(content.as_bytes());
    let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let content = AtomText { text: Arc::from(content), file: None, lines: Vec::new() };
    let mut selectors: [Vec<Word>; 11] = Default::default();
    // The runtime uses the name in place of the type. If they differ, injected atoms are blocked.
    selectors[atom::Dimension::ShardTypes as usize] =
        vec![Word { text: derived.shard_id.clone(), range: TextRange::default() }];
    PromptAtom {
        id: Word { text: format!("kernel/{}/{hash}", category.as_str()), range: TextRange::default() },
        category,
        kind: AtomKind::Kernel,
        agent: None,
        file: None,
        range: TextRange::default(),
        tokens: content.tokens(),
        content,
        concise: None,
        min: None,
        priority,
        is_mandatory: true,
        exclusive: None,
        depends_on: Vec::new(),
        conflicts_with: Vec::new(),
        selectors,
    }
}
