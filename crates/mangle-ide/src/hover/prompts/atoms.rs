//! Hover on prompt atoms: the outcome of an atom in each prompt, the matching situations of a
//! selector, and the value of a `{{name}}` placeholder.

use super::{SampleProvenance, called, each, excerpt};
use crate::hover::Hover;
use crate::markup::Markup;
use agent_prompt::{AtomOutcome, AtomProvenance, PromptProvenance};
use mangle_syntax::text::{FileId, TextRange, TextSize, size};

/// Returns the hover at an offset of a file with prompt atoms.
pub(super) fn at(
    file: FileId,
    text: &str,
    offset: TextSize,
    provenance: &[SampleProvenance<'_>],
) -> Option<Hover> {
    let holds = |atom: &&AtomProvenance| atom.file == file && atom.range.contains_inclusive(offset);
    let fates: Vec<(&PromptProvenance, &AtomProvenance)> = each(provenance)
        .flat_map(|(_, prompt)| prompt.atoms.iter().filter(holds).map(move |atom| (prompt, atom)))
        .collect();
    let (_, first) = fates.first()?;
    if first.id.range.contains_inclusive(offset) {
        let said = fates.iter().map(|(prompt, atom)| fate(prompt, atom));
        return Some(Hover { range: first.id.range, markup: said.fold(Markup::default(), Markup::text) });
    }
    selector(&fates, offset).or_else(|| placeholder(&fates, text, offset))
}

fn fate(prompt: &PromptProvenance, atom: &AtomProvenance) -> String {
    let called = called(prompt);
    match &atom.outcome {
        AtomOutcome::In(place, tokens) => format!("In the prompt {called}: place {place}, {tokens} tokens."),
        AtomOutcome::Out(why) if why.is_empty() => format!("Not in the prompt {called}."),
        AtomOutcome::Out(why) => format!("Not in the prompt {called}: {}.", excerpt::plain(why)),
    }
}

/// Returns the hover of a selector value of the atom.
fn selector(fates: &[(&PromptProvenance, &AtomProvenance)], offset: TextSize) -> Option<Hover> {
    let mut markup = Markup::default();
    let mut range = None;
    for (prompt, atom) in fates {
        let mut selectors = atom.selectors.iter();
        let Some(found) = selectors.find(|found| found.word.range.contains_inclusive(offset)) else {
            continue;
        };
        range = Some(found.word.range);
        let here: Vec<_> = found.situation_values.iter().map(|value| excerpt::word(value)).collect();
        let says = match here.as_slice() {
            [] => format!("The prompt {} has no value for `{}`.", called(prompt), found.key),
            here => format!("The prompt {} has `{}` = {}.", called(prompt), found.key, here.join(", ")),
        };
        markup = markup.text(says);
    }
    range.map(|range| Hover { range, markup })
}

/// Returns the hover of a name between double braces.
fn placeholder(
    fates: &[(&PromptProvenance, &AtomProvenance)],
    text: &str,
    offset: TextSize,
) -> Option<Hover> {
    let at = usize::from(offset);
    let start = text.get(..at)?.rfind("{{")?;
    let (name, _) = text.get(start + 2..)?.split_once("}}")?;
    let range = TextRange::at(size(start), size(name.len() + 4));
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    if !range.contains_inclusive(offset) || name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let said = fates.iter().map(|(prompt, _)| {
        let known = prompt.placeholders.iter().find(|(known, _)| *known == name);
        match known {
            Some((_, value)) if value.is_empty() => format!("Nothing in the prompt {}.", called(prompt)),
            Some((_, value)) => format!("{} in the prompt {}.", excerpt::word(value), called(prompt)),
            None => format!("The runtime does not know this name: it is unchanged in {}.", called(prompt)),
        }
    });
    Some(Hover { range, markup: said.fold(Markup::default(), Markup::text) })
}
