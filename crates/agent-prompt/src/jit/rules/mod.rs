//! Lint rules about prompt atoms: faults of a corpus ([`check_corpus`]) and of a compiled prompt
//! ([`check_compilation`]). Codes: `PP014`, `PP050` to `PP067`.

mod compilation;

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assemble;
use super::atom::{AtomKind, AtomText, Category, Dimension, PromptAtom, Word};
use super::budget::order;
use super::read::{AtomFault, Corpus, FaultKind};
use super::select::ScoredAtom;
use super::situation::normal_name;
use crate::names::quoted;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{FileId, TextRange, nearest, size};

pub use compilation::check_compilation;

/// A finding about prompt atoms with its file. Ranges count from the start of the file.
pub type AtomFinding = (FileId, Finding);

pub(crate) static INJECTED_BLOCKED: Rule = rule!("injected-blocked.md");
pub(crate) static DUPLICATE_ID: Rule = rule!("atom-duplicate-id.md");
pub(crate) static EXCLUSIVE_UNENFORCED: Rule = rule!("exclusive-unenforced.md");
pub(crate) static SELECTOR_VALUE: Rule = rule!("selector-value.md");
pub(crate) static MATCH_DIVERGENCE: Rule = rule!("match-divergence.md");
pub(crate) static CONFLICT_ONE_SIDED: Rule = rule!("conflict-one-sided.md");
pub(crate) static VECTOR_ONLY: Rule = rule!("vector-only.md");
pub(crate) static SKELETON_GAP: Rule = rule!("skeleton-gap.md");
pub(crate) static DEPENDENCY_CYCLE: Rule = rule!("dependency-cycle.md");
pub(crate) static MANDATORY_OVERFLOW: Rule = rule!("mandatory-overflow.md");
pub(crate) static VARIANT_IGNORED: Rule = rule!("variant-ignored.md");
pub(crate) static UNKNOWN_PLACEHOLDER: Rule = rule!("unknown-placeholder.md");
pub(crate) static MISSING_DEPENDENCY: Rule = rule!("missing-dependency.md");
pub(crate) static CONFLICT_BOTH_MANDATORY: Rule = rule!("conflict-both-mandatory.md");
pub(crate) static ATOM_CATEGORY: Rule = rule!("atom-category.md");
pub(crate) static ATOM_NO_CONTENT: Rule = rule!("atom-no-content.md");
pub(crate) static ATOM_FILE: Rule = rule!("atom-file.md");
pub(crate) static ATOM_KEY: Rule = rule!("atom-key.md");
pub(crate) static UNREACHABLE_ATOM: Rule = rule!("unreachable-atom.md");
pub(crate) static NESTED_PLACEHOLDER: Rule = rule!("nested-placeholder.md");

/// Checks a corpus. `is_produced` returns true if a situation can have the value (a name without
/// `/`) in a dimension.
#[must_use]
pub fn check_corpus(corpus: &Corpus, is_produced: &dyn Fn(Dimension, &str) -> bool) -> Vec<AtomFinding> {
    let mut found: Vec<AtomFinding> =
        corpus.faults.iter().map(|fault| (fault.file, fault_finding(fault))).collect();
    let mut by_id: FxHashMap<&str, &PromptAtom> = FxHashMap::default();
    for atom in &corpus.atoms {
        if let Some(before) = by_id.insert(&atom.id.text, atom) {
            found.extend(duplicate(atom, before));
        }
    }
    for atom in &corpus.atoms {
        let Some(file) = atom.file else { continue };
        let mut push = |finding: Finding| found.push((file, finding));
        for dimension in Dimension::ALL {
            selectors(atom, dimension, is_produced, &mut push);
        }
        missing(atom, &by_id, &mut push);
        one_sided(atom, &by_id, &mut push);
        for body in [Some(&atom.content), atom.concise.as_ref(), atom.min.as_ref()].into_iter().flatten() {
            placeholders(body, &mut found);
        }
    }
    found.extend(cycles(&corpus.atoms));
    found
}

fn fault_finding(fault: &AtomFault) -> Finding {
    const NO_ATOM: &str = "the runtime ignores the prompt atom; only its log reports that";
    const NO_FILE: &str = "the runtime uses no prompt atom of this file; only its log reports that";
    let finding = |rule: &'static Rule, message: String| Finding::new(rule, fault.range, message);
    let atom = match fault.atom.as_str() {
        "" => "prompt atom".to_owned(),
        id => format!("prompt atom {}", quoted(id)),
    };
    match &fault.kind {
        FaultKind::File(why) => finding(&ATOM_FILE, "file of prompt atoms is not valid".to_owned())
            .note(why.clone())
            .note(NO_FILE),
        FaultKind::Value { key, wants, instead } => {
            let finding = finding(&ATOM_FILE, format!("{} is not {wants}", quoted(key))).note(NO_FILE);
            let finding = if fault.atom.is_empty() { finding } else { finding.label(format!("in {atom}")) };
            match instead {
                Some(text) => {
                    finding.fix(Fix::guess(format!("write `{text}`")).replace(fault.range, text.as_str()))
                }
                None => finding,
            }
        }
        FaultKind::Missing("id") => {
            finding(&ATOM_NO_CONTENT, "prompt atom has no `id`".to_owned()).note(NO_ATOM)
        }
        FaultKind::Missing(key) => {
            finding(&ATOM_CATEGORY, format!("{atom} has no `{key}`")).note(NO_ATOM).note(categories())
        }
        FaultKind::Category(word) => {
            let near = nearest(&word.to_lowercase(), Category::ALL.map(Category::as_str));
            let message = format!("unknown category {} of a prompt atom", quoted(word));
            with_word(finding(&ATOM_CATEGORY, message).note(NO_ATOM).note(categories()), fault.range, near)
        }
        FaultKind::NoContent => finding(&ATOM_NO_CONTENT, format!("{atom} has no text")).note(NO_ATOM),
        FaultKind::ContentFile(name) => {
            finding(&ATOM_NO_CONTENT, format!("content file {} cannot be read", quoted(name)))
                .note("it has to be a text file inside of the repository")
                .note(NO_ATOM)
        }
        FaultKind::SelfReference(key) => {
            finding(&DEPENDENCY_CYCLE, format!("prompt atom names itself in `{key}`")).note(NO_ATOM)
        }
        FaultKind::Key { key, nearest } => {
            let message = format!("unknown key {} of a prompt atom", quoted(key));
            with_word(
                finding(&ATOM_KEY, message).note("the runtime ignores it"),
                fault.range,
                nearest.as_deref(),
            )
        }
    }
}

/// The fault as text.
pub(in crate::jit) fn fault_message(fault: &AtomFault) -> String {
    let finding = fault_finding(fault);
    std::iter::once(&finding.message)
        .chain(&finding.notes)
        .map(|text| text.as_str())
        .collect::<Vec<_>>()
        .join("; ")
}

/// A note with all categories.
fn categories() -> String {
    let all = Category::ALL.map(|category| format!("`{}`", category.as_str()));
    format!("the categories are {}", all.join(", "))
}

/// The finding with a suggested word.
fn with_word(finding: Finding, range: TextRange, near: Option<&str>) -> Finding {
    let Some(near) = near else { return finding };
    finding
        .help(format!("did you mean `{near}`?"))
        .fix(Fix::guess(format!("write `{near}`")).replace(range, near))
}

fn duplicate(atom: &PromptAtom, before: &PromptAtom) -> Option<AtomFinding> {
    let message = format!("duplicate prompt atom {}", quoted(&atom.id.text));
    let finding = Finding::new(&DUPLICATE_ID, atom.id.range, message)
        .note("the compiler uses this text, with the selectors, needs and conflicts of both");
    let is_here = before.file == atom.file;
    let finding = if is_here {
        finding.related(Span::here(before.id.range), "first prompt atom with this id")
    } else {
        finding
    };
    Some((atom.file?, finding))
}

fn selectors(
    atom: &PromptAtom,
    dimension: Dimension,
    is_produced: &dyn Fn(Dimension, &str) -> bool,
    push: &mut dyn FnMut(Finding),
) {
    let known = dimension.values();
    for word in atom.selector(dimension) {
        let name = normal_name(&word.text);
        let is_known = |name: &str| known.is_empty() || known.contains(&name) || is_produced(dimension, name);
        match name {
            Some(name) if is_known(&name) => {}
            Some(name) => {
                let message = format!("unknown value {} of `{}`", quoted(&name), dimension.key());
                let slash = if word.text.trim().starts_with('/') { "/" } else { "" };
                let near = nearest(&name, known.iter().copied()).map(|near| format!("{slash}{near}"));
                let finding = Finding::new(&SELECTOR_VALUE, word.range, message)
                    .note("the runtime never has this value, so the selector does not match");
                push(with_word(finding, word.range, near.as_deref()));
            }
            None => {
                let message = format!("{} is not a name", quoted(&word.text));
                push(
                    Finding::new(&SELECTOR_VALUE, word.range, message).note("the runtime ignores this value"),
                );
            }
        }
    }
}

fn missing(atom: &PromptAtom, by_id: &FxHashMap<&str, &PromptAtom>, push: &mut dyn FnMut(Finding)) {
    for word in atom.depends_on.iter().filter(|word| !by_id.contains_key(&*word.text)) {
        let message = format!("unknown prompt atom {}", quoted(&word.text));
        let finding = Finding::new(&MISSING_DEPENDENCY, word.range, message)
            .note("the runtime does not check that it exists, and uses this prompt atom without it");
        let others: BTreeSet<&str> = by_id.keys().copied().filter(|id| *id != atom.id.text).collect();
        let near = nearest(&word.text, others);
        push(with_word(finding, word.range, near));
    }
}

fn one_sided(atom: &PromptAtom, by_id: &FxHashMap<&str, &PromptAtom>, push: &mut dyn FnMut(Finding)) {
    let is_back = |other: &PromptAtom| other.conflicts_with.iter().any(|word| word.text == atom.id.text);
    let sided = |word: &&Word| by_id.get(&*word.text).is_some_and(|other| !is_back(other));
    for word in atom.conflicts_with.iter().filter(sided) {
        let message = format!("conflict is not declared by {}", quoted(&word.text));
        push(Finding::new(&CONFLICT_ONE_SIDED, word.range, message).note(
            "it excludes the other prompt atom when this one is mandatory or scores higher, and not the other way round",
        ));
    }
}

fn placeholders(body: &AtomText, found: &mut Vec<AtomFinding>) {
    let Some(file) = body.file else { return };
    for (line, &range) in body.text.split('\n').zip(&body.lines) {
        let indent = line.len() - line.trim_start().len();
        // A line that is written differently in the file has no exact location of its words.
        let is_exact = usize::from(range.len()) == line.trim().len();
        for (at, name) in assemble::placeholder_names(line) {
            if assemble::PLACEHOLDERS.contains(&name) {
                continue;
            }
            let word = TextRange::at(range.start() + size((at + 2).saturating_sub(indent)), size(name.len()));
            let place = if is_exact { word } else { range };
            let message = format!("unknown placeholder {}", quoted(&format!("{{{{{name}}}}}")));
            let finding = Finding::new(&UNKNOWN_PLACEHOLDER, place, message)
                .note("the runtime leaves it in the prompt unchanged");
            let near = nearest(name, assemble::PLACEHOLDERS).filter(|_| is_exact);
            found.push((file, with_word(finding, word, near)));
        }
    }
}

/// Finds one cycle and reports it at its first atom. Other cycles are reported after the fix.
fn cycles(atoms: &[Arc<PromptAtom>]) -> Option<AtomFinding> {
    let own: Vec<&PromptAtom> =
        atoms.iter().map(|atom| &**atom).filter(|atom| atom.kind != AtomKind::Kernel).collect();
    let chosen: Vec<ScoredAtom> =
        (0..own.len()).map(|atom| ScoredAtom { atom, logic: 0.0, vector: 0.0, score: 0.0 }).collect();
    // A cycle ends with its first id. Other results are atoms with the same id.
    let path = order(&own, &chosen).err().filter(|path| path.len() > 1 && path.first() == path.last())?;
    let first = own.iter().find(|atom| Some(&atom.id.text) == path.first())?;
    let next = path.get(1)?;
    let range =
        first.depends_on.iter().find(|need| need.text == *next).map_or(first.id.range, |need| need.range);
    let message = format!("dependency cycle through prompt atom {}", quoted(&first.id.text));
    let finding = Finding::new(&DEPENDENCY_CYCLE, range, message)
        .note(path.join(" → "))
        .note("the compiler fails with any of them, and the prompt is made without it")
        .help("remove one of these entries of `depends_on`");
    Some((first.file?, finding))
}
