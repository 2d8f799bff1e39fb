//! Names in messages: suggestions for unknown keys, and quoting.
//!
//! Suggestions consider other spellings, names in other tools, and parts of longer keys.

use mangle_syntax::text::nearest;

/// Pairs of a common wrong key and the correct key.
type Synonyms = [(&'static str, &'static str)];

/// The key among `known` that a word probably means; `None` if several candidates are equally
/// likely.
pub(crate) fn near_key<'k>(word: &str, known: &[&'k str], synonyms: &Synonyms) -> Option<&'k str> {
    let snake = snake_case(word);
    let is_key = |key: &str| known.iter().copied().find(|known| *known == key);
    // A known key with different capitalization is also a misspelling.
    if let Some(key) = is_key(&snake).filter(|key| *key != word) {
        return Some(key);
    }
    let mut meant = synonyms.iter().filter(|(said, _)| *said == snake);
    meant
        .find_map(|(_, key)| is_key(key))
        .or_else(|| nearest(word, known.iter().copied()))
        .or_else(|| of_same_words(&snake, known))
}

/// Converts `shardTypes`, `shard-types` and `Shard types` to `shard_types`.
fn snake_case(word: &str) -> String {
    let mut snake = String::with_capacity(word.len());
    let mut is_lower = false;
    for char in word.trim().chars() {
        if char.is_uppercase() && is_lower {
            snake.push('_');
        }
        is_lower = char.is_lowercase();
        match char {
            '-' | ' ' | '.' => snake.push('_'),
            char => snake.extend(char.to_lowercase()),
        }
    }
    snake
}

/// The key with the most common words and the fewest other words. Plural endings are ignored.
fn of_same_words<'k>(snake: &str, known: &[&'k str]) -> Option<&'k str> {
    let words = stems(snake);
    let score = |key: &str| {
        let of_key = stems(key);
        let common = of_key.iter().filter(|stem| words.contains(stem)).count();
        (common, usize::MAX - of_key.len())
    };
    let scored = known.iter().map(|key| (score(key), *key)).filter(|((common, _), _)| *common > 0);
    let scored: Vec<_> = scored.collect();
    let best = scored.iter().map(|(score, _)| *score).max()?;
    let mut all = scored.iter().filter(|(score, _)| *score == best);
    let (_, first) = all.next()?;
    all.next().is_none().then_some(*first)
}

/// The words of a key without plural endings. Words of one or two letters are ignored as too
/// common.
fn stems(snake: &str) -> Vec<&str> {
    let words = snake.split('_').filter(|word| word.len() > 2);
    words.map(|word| word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word)).collect()
}

/// Quotes a name or text for a headline or a note, truncated to 32 characters.
pub(crate) fn quoted(text: &str) -> String {
    mangle_syntax::text::quoted(text, 32)
}

/// Quotes a name or text for a label, truncated to 24 characters.
pub(crate) fn quoted_in_label(text: &str) -> String {
    mangle_syntax::text::quoted(text, 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 9] = [
        "id",
        "category",
        "content",
        "shard_types",
        "campaign_phases",
        "init_phases",
        "is_mandatory",
        "compressed_history",
        "git_branch",
    ];

    #[test]
    fn keys_are_found_by_spelling_synonym_and_common_words() {
        let synonyms = [("text", "content"), ("body", "nothing")];
        for (word, expected) in [
            ("contnet", Some("content")),
            ("Content", Some("content")),
            ("shardTypes", Some("shard_types")),
            ("shard-types", Some("shard_types")),
            ("text", Some("content")),
            ("shards", Some("shard_types")),
            ("shard_type", Some("shard_types")),
            ("mandatory", Some("is_mandatory")),
            ("history", Some("compressed_history")),
            ("branch", Some("git_branch")),
            // Two keys are equally near.
            ("phases", None),
            ("body", None),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(near_key(word, &KEYS, &synonyms), expected, "{word}");
        }
    }
}
