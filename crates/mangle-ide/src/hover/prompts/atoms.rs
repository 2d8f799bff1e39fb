//! Hover on files of prompts: the outcome of an atom in each prompt, the matching situations of a
//! selector, the value of a `{{name}}` placeholder, and prompt sizes and token limits of a shard
//! type.

use super::{SampleProvenance, called, each, quoted};
use crate::hover::{Hover, prompts};
use crate::markup::Markup;
use agent_prompt::{AtomOutcome, AtomProvenance, PromptProvenance};
use mangle_syntax::text::{FileId, TextRange, TextSize, size};
use piggyback::transcript::Limits;

/// Returns the hover at an offset of a file with prompt atoms.
pub(super) fn atom_at(
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
        AtomOutcome::Out(why) => format!("Not in the prompt {called}: {}.", prompts::plain(why)),
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
        let here: Vec<_> = found.situation_values.iter().map(|value| prompts::quoted(value)).collect();
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
            Some((_, value)) => format!("{} in the prompt {}.", prompts::quoted(value), called(prompt)),
            None => format!("The runtime does not know this name: it is unchanged in {}.", called(prompt)),
        }
    });
    Some(Hover { range, markup: said.fold(Markup::default(), Markup::text) })
}

/// Key whose values are shard types.
const KEY: &str = "shard_type";

/// Returns the hover of the shard type at an offset, with its sample prompts and limits.
pub(super) fn limits_at(text: &str, offset: TextSize, provenance: &[SampleProvenance<'_>]) -> Option<Hover> {
    let (range, kind) = shard_type(text, offset)?;
    let mut markup = Markup::default();
    let of_kind = |prompt: &str| prompt.trim_start_matches('/') == kind;
    for (_, prompt) in each(provenance).filter(|(_, prompt)| of_kind(&prompt.shard.1)) {
        let mut says = format!(
            "The prompt {} has {} tokens; {}",
            called(prompt),
            prompt.tokens,
            match prompt.available {
                0 => "its budget is empty".to_owned(),
                available => format!("its budget is {available}"),
            }
        );
        if let Some(limits) = &prompt.limits {
            says.push_str(&format!(", and the context window of the model has {}", limits.window));
        }
        markup = markup.text(says + ".");
    }
    let configured = each(provenance).find_map(|(_, prompt)| prompt.limits.as_deref());
    let of = |limits: &Limits| limits.shards.get(kind).unwrap_or(&limits.default).context_tokens;
    let (tokens, whose) = match configured {
        Some(limits) => (of(limits), "the agent's configuration"),
        None => (of(&Limits::default()), "the default of the runtime"),
    };
    let says = format!("The context of {} is limited to {tokens} tokens by {whose}.", quoted(kind));
    Some(Hover { range, markup: markup.text(says) })
}

/// Returns the value of the key on the line of an offset, with its range.
fn shard_type(text: &str, offset: TextSize) -> Option<(TextRange, &str)> {
    let at = usize::from(offset);
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..)?.lines().next()?;
    let keys = line.match_indices(KEY).filter_map(|(key, _)| {
        let behind = line.get(key + KEY.len()..)?.trim_start_matches(['"', '\'', ' ']);
        let rest = behind.strip_prefix(':')?.trim_start_matches(['"', '\'', ' ', '/']);
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
        let value = rest.split(|char| !is_part(char)).next().filter(|value| !value.is_empty())?;
        let from = line.len() - rest.len();
        let range = TextRange::at(size(start + from), size(value.len()));
        let whole = TextRange::new(size(start + key), range.end());
        whole.contains_inclusive(offset).then_some((range, value))
    });
    keys.last()
}
