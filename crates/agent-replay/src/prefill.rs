//! Prefilled values: the results of perception that the runtime uses if the packet of the model
//! lacks them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The prefilled values by turn number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefill {
    turns: BTreeMap<u64, TurnPrefill>,
}

/// The prefilled values of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnPrefill {
    /// The number of the reply, from 1.
    pub turn: u64,
    /// The category, used if the packet has none.
    #[serde(default)]
    pub category: String,
    /// The updates, used if the packet has none.
    #[serde(default)]
    pub updates: Vec<String>,
}

impl Prefill {
    /// Parses JSON lines such as `{"turn": 1, "category": "/query", "updates":
    /// ["user_asked(/time)."]}`.
    ///
    /// # Errors
    ///
    /// If a line is invalid; the message contains the line number.
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

    pub(super) fn get(&self, turn: u64) -> Option<&TurnPrefill> {
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
        assert_eq!(prefill.get(2).unwrap().updates, ["p(/a)."]);
        assert_eq!(prefill.get(1).unwrap().category, "/query");
        assert_eq!(prefill.get(3), None);
        let why = Prefill::read("\n{\"turn\": 1, \"atoms\": []}").unwrap_err();
        assert!(why.starts_with("line 2 does not say"), "{why}");
    }
}
