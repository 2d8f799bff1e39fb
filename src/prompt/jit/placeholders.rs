//! `{{name}}` in atoms: what the situation puts in its place.

use super::super::derived::Derived;

/// The names that the reference runtime knows.
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

/// What stands in place of the list of specialists where nobody gives one.
const SPECIALISTS: &str = "- **researcher**: finds knowledge and checks it\n- **reviewer**: reviews code";

/// What each name stands for.
#[derive(Debug, Clone)]
pub(super) struct Placeholders([(&'static str, String); 9]);

impl Placeholders {
    pub(super) fn of(derived: &Derived) -> Self {
        let bare = |value: &str, unset: &str| {
            if value.is_empty() {
                unset.to_owned()
            } else {
                value.strip_prefix('/').unwrap_or(value).to_owned()
            }
        };
        let frameworks: Vec<String> = derived.frameworks.iter().map(|name| bare(name, "")).collect();
        let states = derived.world_states.join(", ");
        Self(NAMES.map(|name| {
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
        }))
    }

    /// A line with its names replaced, twice, as the runtime goes over each atom and then over all of the prompt: what
    /// was put in is looked at once more. The runtime takes the names in an order left to chance.
    pub(super) fn apply(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for _ in 0..2 {
            for (name, value) in &self.0 {
                if !line.contains("{{") {
                    return line;
                }
                line = line.replace(&format!("{{{{{name}}}}}"), value);
            }
        }
        line
    }
}

/// The names between double braces in a text, each with the byte at which its braces start.
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
        let mut derived = Derived {
            shard_type: "/coder".into(),
            language: "/{{intent_verb}}".into(),
            ..Derived::default()
        };
        derived.intent_verb = "/fix".into();
        let placeholders = Placeholders::of(&derived);
        let line =
            placeholders.apply("{{shard_type}} {{language}} {{world_states}} {{nobody}} {{ language }}");
        assert_eq!(line, "coder fix normal {{nobody}} {{ language }}");
        assert_eq!(placeholders.apply("{{available_specialists}}").lines().count(), 2);
    }

    #[test]
    fn names_are_found() {
        let found: Vec<_> = names("{{a}} {{ b }} {{{c_d}}} {{}} {{e").collect();
        assert_eq!(found, [(0, "a"), (15, "c_d")]);
    }
}
