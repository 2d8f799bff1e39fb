//! Hover on the shard type in a session file: prompt sizes and token limits of this type.

use super::excerpt::word;
use super::{SampleProvenance, called, each};
use crate::hover::Hover;
use crate::markup::Markup;
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::transcript::Limits;

/// Key whose values are shard types.
const KEY: &str = "shard_type";

/// Returns the hover of the shard type at an offset, with its sample prompts and limits.
pub(super) fn at(text: &str, offset: TextSize, provenance: &[SampleProvenance<'_>]) -> Option<Hover> {
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
    let says = format!("The context of {} is limited to {tokens} tokens by {whose}.", word(kind));
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
