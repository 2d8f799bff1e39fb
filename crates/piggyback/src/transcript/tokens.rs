//! Token estimates of texts and facts. The reference runtime uses these estimates to decide which
//! facts to keep.
//!
//! Prompts use a different estimate; the two are never mixed.

use crate::envelope::runtime::{Intent, RuntimeFact, Value};

/// Number of characters per token.
const CHARACTERS: usize = 4;

/// Fixed cost of a fact.
const FACT: usize = 4;

/// Fixed cost of a turn.
const TURN: usize = 10;

/// Returns the token estimate of a text.
#[must_use]
pub fn text(text: &str) -> usize {
    characters(text.chars().count())
}

/// Returns the token estimate of a text with this number of characters.
#[must_use]
pub fn characters(count: usize) -> usize {
    count / CHARACTERS
}

/// Returns the token estimate of a text that may be invalid UTF-8. Each invalid byte counts as one
/// character.
#[must_use]
pub fn bytes(text: &[u8]) -> usize {
    match simdutf8::basic::from_utf8(text) {
        Ok(valid) => self::text(valid),
        Err(_) => {
            text.utf8_chunks()
                .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
                .sum::<usize>()
                / CHARACTERS
        }
    }
}

/// Returns the token estimate of a fact.
#[must_use]
pub fn fact(fact: &RuntimeFact) -> usize {
    FACT + text(&fact.predicate) + fact.args.iter().map(value).sum::<usize>()
}

fn value(value: &Value) -> usize {
    match value {
        Value::Text(text) => argument(text),
        Value::Number(_) | Value::Float(_) => 2,
        Value::UnprintableFloat => 3,
    }
}

/// Returns the cost of an argument that is stored as text: a name or a string.
fn argument(text: &[u8]) -> usize {
    match text.first() {
        Some(b'/') => 1 + text.len() / CHARACTERS,
        _ => bytes(text) + 2,
    }
}

/// Returns the cost of the `user_intent` fact that the runtime derives from an envelope's intent.
#[must_use]
pub fn intent(intent: &Intent) -> usize {
    let args = ["/current_intent", &intent.category, &intent.verb, &intent.target, &intent.constraint];
    FACT + text("user_intent") + args.iter().map(|arg| argument(arg.as_bytes())).sum::<usize>()
}

/// Returns the cost of a turn. `facts` is the cost of its facts; the runtime also counts the text
/// of the updates.
#[must_use]
pub fn turn<'u>(facts: usize, updates: impl IntoIterator<Item = &'u str>) -> usize {
    TURN + facts + updates.into_iter().map(text).sum::<usize>()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::runtime::ReadUpdate;

    #[test]
    fn texts_round_down() {
        assert_eq!((text(""), text("abc"), text("abcd"), text("éééé")), (0, 0, 1, 1));
        assert_eq!(bytes(b"ab\xff\xff"), 1);
    }

    #[test]
    fn facts_cost_by_argument() {
        let read = ReadUpdate::new(
            "task_status(\"t1\", /done_with_it, 12, 0.5).",
            mangle_settings::Runtime::default(),
        );
        // 4 + 11/4; a string 0 + 2; a name 1 + 13/4; a number 2; a float 3.
        assert_eq!(fact(read.fact().unwrap()), 4 + 2 + 2 + 4 + 2 + 3);
        let found = Intent { category: "/mutation".into(), verb: "fix".into(), ..Intent::default() };
        assert_eq!(intent(&found), 4 + 2 + (1 + 3) + (1 + 2) + 2 + 2 + 2);
        assert_eq!(turn(7, ["p(/a)."]), 18);
    }
}
