//! What perception had filled in for a turn before the model answered: the runtime takes it where the model says nothing.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What was filled in, by the number of the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefill {
    turns: BTreeMap<u64, TurnPrefill>,
}

/// What was filled in for a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnPrefill {
    /// The number of the answer, from 1 on.
    pub turn: u64,
    /// Taken where the packet has no category.
    #[serde(default)]
    pub category: String,
    /// Taken where the packet has no updates.
    #[serde(default)]
    pub updates: Vec<String>,
}

impl Prefill {
    /// Reads lines of JSON: `{"turn": 1, "category": "/query", "updates": ["user_asked(/time)."]}`.
    ///
    /// # Errors
    /// When a line is none of these; a sentence that names the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut turns = BTreeMap::new();
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        for (number, line) in lines {
            let filled: TurnPrefill = serde_json::from_str(line).map_err(|error| {
                format!("line {number} does not say what was filled in for a turn: {error}")
            })?;
            turns.insert(filled.turn, filled);
        }
        Ok(Self { turns })
    }

    pub(super) fn of(&self, turn: u64) -> Option<&TurnPrefill> {
        self.turns.get(&turn)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_are_read() {
        let text = "{\"turn\": 2, \"updates\": [\"p(/a).\"]}\n\n{\"turn\": 1, \"category\": \"/query\"}\n";
        let prefill = Prefill::read(text).unwrap();
        assert_eq!(prefill.of(2).unwrap().updates, ["p(/a)."]);
        assert_eq!(prefill.of(1).unwrap().category, "/query");
        assert_eq!(prefill.of(3), None);
        let why = Prefill::read("\n{\"turn\": 1, \"atoms\": []}").unwrap_err();
        assert!(why.starts_with("line 2 does not say"), "{why}");
    }
}
