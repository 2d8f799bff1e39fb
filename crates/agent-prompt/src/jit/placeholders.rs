//! Placeholders in atoms: values for `{{name}}`.

use std::cell::Cell;

use super::super::derived_context::DerivedContext;

/// The names that the reference runtime recognizes.
pub(super) const NAMES: [&str; 9] = [
    "language",
    "shard_type",
    "operational_mode",
    "campaign_phase",
    "intent_verb",
    "frameworks",
    "token_budget",
    "world_states",
    "available_specialists",
];

/// The default list of specialists.
const SPECIALISTS: &str = "- **researcher**: finds knowledge and checks it\n- **reviewer**: reviews code";

/// The maximum growth of a prompt by placeholders, in bytes. Nested placeholders could expand a few
/// words to gigabytes.
pub(super) const MAX_GROWTH: usize = 4 << 20;

/// The values of the placeholders.
#[derive(Debug, Clone)]
pub(super) struct Placeholders {
    values: [(&'static str, String); 9],
    /// The remaining growth in bytes.
    room: Cell<usize>,
}

impl Placeholders {
    pub(super) fn new(derived: &DerivedContext) -> Self {
        let bare = |value: &str, unset: &str| {
            if value.is_empty() {
                unset.to_owned()
            } else {
                value.strip_prefix('/').unwrap_or(value).to_owned()
            }
        };
        let frameworks: Vec<String> = derived.frameworks.iter().map(|name| bare(name, "")).collect();
        let states = derived.world_states.join(", ");
        let values = NAMES.map(|name| {
            let value = match name {
                "language" => bare(&derived.language, "unknown"),
                "shard_type" => bare(&derived.shard_type, "agent"),
                "operational_mode" => bare(derived.operational_mode, "active"),
                "campaign_phase" => bare(&derived.campaign_phase, ""),
                "intent_verb" => bare(&derived.intent_verb, ""),
                "frameworks" => frameworks.join(", "),
                "token_budget" => derived.token_budget.saturating_sub(derived.reserved).to_string(),
                "world_states" if states.is_empty() => "normal".to_owned(),
                "world_states" => states.clone(),
                _ => SPECIALISTS.to_owned(),
            };
            (name, value)
        });
        Self { values, room: Cell::new(MAX_GROWTH) }
    }

    /// True if the growth limit was reached.
    pub(super) fn is_full(&self) -> bool {
        self.room.get() == 0
    }

    /// The names with values that contain placeholders.
    pub(super) fn nested(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let values = self.values.iter().map(|(name, value)| (*name, value.as_str()));
        values.filter(|(_, value)| names(value).any(|(_, name)| NAMES.contains(&name)))
    }

    /// Replaces the placeholders of a line in two passes, like the runtime: once per atom, once for
    /// the whole prompt. Inserted values are therefore expanded once more.
    ///
    /// The runtime replaces names in random order. At the growth limit, placeholders are left
    /// unchanged.
    pub(super) fn apply(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for _ in 0..2 {
            for (name, value) in &self.values {
                if !line.contains("{{") {
                    return line;
                }
                let written = format!("{{{{{name}}}}}");
                let growth = value.len().saturating_sub(written.len());
                let growth = growth.saturating_mul(line.matches(&written).count());
                if growth > self.room.get() {
                    self.room.set(0);
                    return line;
                }
                self.room.set(self.room.get() - growth);
                line = line.replace(&written, value);
            }
        }
        line
    }
}

/// The value of each placeholder in a situation.
pub(crate) fn values(derived: &DerivedContext) -> Vec<(&'static str, String)> {
    Placeholders::new(derived).values.into()
}

/// The names between double braces in a text, with the byte offset of the braces.
pub(super) fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let open = at + text.get(at..)?.find("{{")?;
            let inside = text.get(open + 2..)?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let len = inside.bytes().take_while(|&byte| is_name(byte)).count();
            at = open + 1;
            if let Some((name, "}}")) = inside.get(..len).zip(inside.get(len..len + 2)).filter(|_| len > 0) {
                return Some((open, name));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_looked_at_again() {
        let mut derived = DerivedContext {
            shard_type: "/coder".into(),
            language: "/{{intent_verb}}".into(),
            ..DerivedContext::default()
        };
        derived.intent_verb = "/fix".into();
        let placeholders = Placeholders::new(&derived);
        let line =
            placeholders.apply("{{shard_type}} {{language}} {{world_states}} {{nobody}} {{ language }}");
        assert_eq!(line, "coder fix normal {{nobody}} {{ language }}");
        assert_eq!(placeholders.apply("{{available_specialists}}").lines().count(), 2);
    }

    #[test]
    fn values_that_ask_for_values_come_to_an_end() {
        let many = |name: &str| format!("{{{{{name}}}}}").repeat(2_000);
        let derived = DerivedContext {
            language: many("intent_verb"),
            intent_verb: many("frameworks"),
            frameworks: vec![many("language")],
            ..DerivedContext::default()
        };
        let placeholders = Placeholders::new(&derived);
        let line = placeholders.apply("{{language}} {{language}}");
        assert!(placeholders.is_full() && line.len() < 2 * MAX_GROWTH, "{}", line.len());
        let nested: Vec<_> = placeholders.nested().map(|(name, _)| name).collect();
        assert_eq!(nested, ["language", "intent_verb", "frameworks"]);
        assert_eq!(Placeholders::new(&DerivedContext::default()).nested().count(), 0);
    }

    #[test]
    fn names_are_found() {
        let found: Vec<_> = names("{{a}} {{ b }} {{{c_d}}} {{}} {{e").collect();
        assert_eq!(found, [(0, "a"), (15, "c_d")]);
    }
}
