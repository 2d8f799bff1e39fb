//! What is wrong with a corpus, whatever prompt is made of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::atom::{AtomKind, AtomText, Dimension, PromptAtom, Word};
use super::super::category::Category;
use super::super::names::normal;
use super::super::order::order;
use super::super::placeholders;
use super::super::read::{AtomFault, Corpus, FaultKind};
use super::super::select::ScoredAtom;
use super::AtomFinding;
use super::table::{
    ATOM_CATEGORY, ATOM_FILE, ATOM_KEY, ATOM_NO_CONTENT, CONFLICT_ONE_SIDED, DEPENDENCY_CYCLE, DUPLICATE_ID,
    MISSING_DEPENDENCY, SELECTOR_VALUE, UNKNOWN_PLACEHOLDER,
};
use mangle_syntax::lint::{Finding, Fix, Rule, Span};
use mangle_syntax::text::{TextRange, nearest, size};

/// Checks a corpus. `is_produced`: whether some situation has a value of a dimension, as a name without its `/`.
#[must_use]
pub fn of_corpus(corpus: &Corpus, is_produced: &dyn Fn(Dimension, &str) -> bool) -> Vec<AtomFinding> {
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
    let say = |rule: &'static Rule, message: String| Finding::new(rule, fault.range, message);
    let atom =
        if fault.atom.is_empty() { "this prompt atom".to_owned() } else { format!("`{}`", fault.atom) };
    match &fault.kind {
        FaultKind::File(why) => say(
            &ATOM_FILE,
            format!("This file of prompt atoms cannot be read: {why}. The runtime takes none of its atoms."),
        ),
        FaultKind::Value { key, wants, instead } => {
            let of = if fault.atom.is_empty() { String::new() } else { format!(" of {atom}") };
            let message = format!("`{key}`{of} should be {wants}. The runtime takes no atom of this file.");
            let finding = say(&ATOM_FILE, message);
            match instead {
                Some(text) => {
                    finding.fix(Fix::guess(format!("Write `{text}`")).replace(fault.range, text.as_str()))
                }
                None => finding,
            }
        }
        FaultKind::Missing("id") => {
            say(&ATOM_NO_CONTENT, "This prompt atom has no `id`. The runtime leaves it out.".to_owned())
        }
        FaultKind::Missing(key) => say(
            &ATOM_CATEGORY,
            format!("The prompt atom {atom} has no `{key}`. The runtime leaves it out. {}", categories()),
        ),
        FaultKind::Category(word) => {
            let message = format!(
                "There is no category `{word}`. The runtime leaves out the prompt atom {atom}. {}",
                categories()
            );
            let near = nearest(&word.to_lowercase(), Category::ALL.map(Category::as_str));
            with_word(say(&ATOM_CATEGORY, message), fault.range, near)
        }
        FaultKind::NoContent => say(
            &ATOM_NO_CONTENT,
            format!("The prompt atom {atom} has no text in `content`. The runtime leaves it out."),
        ),
        FaultKind::ContentFile(name) => say(
            &ATOM_NO_CONTENT,
            format!(
                "There is no readable file `{name}` inside of the repository for the text of {atom}. The runtime leaves \
                 the atom out."
            ),
        ),
        FaultKind::Itself(key) => say(
            &DEPENDENCY_CYCLE,
            format!("The prompt atom {atom} names itself in `{key}`. The runtime leaves it out."),
        ),
        FaultKind::Key { key, nearest } => {
            let message = format!("The runtime has no key `{key}` and ignores it in {atom}.");
            with_word(say(&ATOM_KEY, message), fault.range, nearest.as_deref())
        }
    }
}

/// What is wrong with a file of atoms, in words.
pub(in crate::jit) fn fault_message(fault: &AtomFault) -> String {
    fault_finding(fault).message.to_string()
}

/// The categories that there are, as a sentence.
fn categories() -> String {
    let all = Category::ALL.map(|category| format!("`{}`", category.as_str()));
    format!("The categories are {}.", all.join(", "))
}

/// The finding with the word that was probably meant.
fn with_word(finding: Finding, range: TextRange, near: Option<&str>) -> Finding {
    let Some(near) = near else { return finding };
    let message = format!("{} Did you mean `{near}`?", finding.message);
    Finding { message: message.into(), ..finding }
        .fix(Fix::guess(format!("Write `{near}`")).replace(range, near))
}

fn duplicate(atom: &PromptAtom, before: &PromptAtom) -> Option<AtomFinding> {
    let message = format!(
        "There is another prompt atom `{}`. The compiler prints this one, with the selectors, needs and conflicts of both.",
        atom.id.text
    );
    let finding = Finding::new(&DUPLICATE_ID, atom.id.range, message);
    let is_here = before.file == atom.file;
    let finding =
        if is_here { finding.related(Span::here(before.id.range), "the other one") } else { finding };
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
        let name = normal(&word.text);
        let is_known = |name: &str| known.is_empty() || known.contains(&name) || is_produced(dimension, name);
        match name {
            Some(name) if is_known(&name) => {}
            Some(name) => {
                let message = format!(
                    "The runtime has no `{name}` among its {}; this value never holds.",
                    dimension.key()
                );
                let slash = if word.text.trim().starts_with('/') { "/" } else { "" };
                let near = nearest(&name, known.iter().copied()).map(|near| format!("{slash}{near}"));
                let finding = Finding::new(&SELECTOR_VALUE, word.range, message);
                push(with_word(finding, word.range, near.as_deref()));
            }
            None => {
                let message = format!("`{}` is no name, so the runtime passes over this value.", word.text);
                push(Finding::new(&SELECTOR_VALUE, word.range, message));
            }
        }
    }
}

fn missing(atom: &PromptAtom, by_id: &FxHashMap<&str, &PromptAtom>, push: &mut dyn FnMut(Finding)) {
    for word in atom.depends_on.iter().filter(|word| !by_id.contains_key(&*word.text)) {
        let message = format!(
            "There is no prompt atom `{}`. The runtime does not notice, and prints this one without it.",
            word.text
        );
        let others: BTreeSet<&str> = by_id.keys().copied().filter(|id| *id != atom.id.text).collect();
        let near = nearest(&word.text, others);
        push(with_word(Finding::new(&MISSING_DEPENDENCY, word.range, message), word.range, near));
    }
}

fn one_sided(atom: &PromptAtom, by_id: &FxHashMap<&str, &PromptAtom>, push: &mut dyn FnMut(Finding)) {
    let is_back = |other: &PromptAtom| other.conflicts_with.iter().any(|word| word.text == atom.id.text);
    let sided = |word: &&Word| by_id.get(&*word.text).is_some_and(|other| !is_back(other));
    for word in atom.conflicts_with.iter().filter(sided) {
        let message = format!(
            "`{}` does not say that it conflicts with `{}`. It is kept out when this atom is mandatory or scores higher, and \
             not the other way round.",
            word.text, atom.id.text
        );
        push(Finding::new(&CONFLICT_ONE_SIDED, word.range, message));
    }
}

fn placeholders(body: &AtomText, found: &mut Vec<AtomFinding>) {
    let Some(file) = body.file else { return };
    for (line, &range) in body.text.split('\n').zip(&body.lines) {
        let indent = line.len() - line.trim_start().len();
        // A line that the file writes in another way has no place for its words.
        let is_exact = usize::from(range.len()) == line.trim().len();
        for (at, name) in placeholders::names(line) {
            if placeholders::NAMES.contains(&name) {
                continue;
            }
            let word = TextRange::at(range.start() + size((at + 2).saturating_sub(indent)), size(name.len()));
            let place = if is_exact { word } else { range };
            let message = format!("The runtime knows no `{{{{{name}}}}}`; the shard reads it as it is.");
            let finding = Finding::new(&UNKNOWN_PLACEHOLDER, place, message);
            let near = nearest(name, placeholders::NAMES).filter(|_| is_exact);
            found.push((file, with_word(finding, word, near)));
        }
    }
}

/// One circle, told at the first of its atoms; what else is wrong shows when that is mended.
fn cycles(atoms: &[Arc<PromptAtom>]) -> Option<AtomFinding> {
    let own: Vec<&PromptAtom> =
        atoms.iter().map(|atom| &**atom).filter(|atom| atom.kind != AtomKind::Kernel).collect();
    let chosen: Vec<ScoredAtom> =
        (0..own.len()).map(|atom| ScoredAtom { atom, logic: 0.0, vector: 0.0, score: 0.0 }).collect();
    // Without the first once more at its end it is no circle, but atoms that share an id.
    let path = order(&own, &chosen).err().filter(|path| path.len() > 1 && path.first() == path.last())?;
    let first = own.iter().find(|atom| Some(&atom.id.text) == path.first())?;
    let next = path.get(1)?;
    let range =
        first.depends_on.iter().find(|need| need.text == *next).map_or(first.id.range, |need| need.range);
    let message = format!(
        "These prompt atoms need each other in a circle: {}. With any of them in the prompt the compiler fails, and the \
         prompt is made without it. Take one of these `depends_on` away.",
        path.join(" -> ")
    );
    Some((first.file?, Finding::new(&DEPENDENCY_CYCLE, range, message)))
}
