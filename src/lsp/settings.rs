//! Editor settings: `mangle.rules` (severities of rules that `mangle-ls.toml` does not set),
//! `mangle.hints` and `mangle.lenses`.

use serde_json::Value;

use mangle_ide::registry;
use mangle_settings::{HintSettings, LensSettings, RuleSettings, severities};

/// The name of the settings section in an editor.
pub(super) const SECTION: &str = "mangle";

/// Returns the severities in a value that is or contains the section. Returns `None` if the value
/// does not concern this server.
pub(super) fn rules(settings: &Value) -> Option<RuleSettings> {
    let section = settings.get(SECTION).unwrap_or(settings);
    let rules = match section.get("rules") {
        Some(rules) => rules,
        // The section exists without rules. The rules may have been removed.
        None if settings.get(SECTION).is_some() => return Some(RuleSettings::default()),
        None => return None,
    };
    let pairs = rules.as_object().into_iter().flatten();
    let pairs = pairs.map(|(key, word)| (key.as_str(), word.as_str().unwrap_or_default()));
    let (settings, unknown) = severities(pairs, &registry::rules().collect::<Vec<_>>());
    for key in unknown {
        tracing::warn!(key, "a setting of `mangle.rules` has an unknown rule or severity");
    }
    Some(settings)
}

/// Returns the inlay hint settings in a value that is or contains the section, or `None` if it has
/// none.
pub(super) fn hints(settings: &Value) -> Option<HintSettings> {
    let section = settings.get(SECTION).unwrap_or(settings);
    section.get("hints").map(HintSettings::from_editor)
}

/// Returns the code lens settings in a value that is or contains the section, or `None` if it has
/// none.
pub(super) fn lenses(settings: &Value) -> Option<LensSettings> {
    let section = settings.get(SECTION).unwrap_or(settings);
    section.get("lenses").map(LensSettings::from_editor)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use mangle_settings::{ArgumentHints, SettingTable as _};
    use mangle_syntax::lint::Severity;

    #[test]
    fn the_narrower_key_wins() {
        let sent =
            json!({ "mangle": { "rules": { "MG210": "hint", "MG2*": "off", "xyzzy": "off", "MG211": 3 } } });
        let rules = rules(&sent);
        let severity = |name| registry::find(name).and_then(|rule| rules.as_ref()?.severity(rule));
        assert_eq!((severity("MG210"), severity("MG211")), (Some(Severity::Hint), None));
    }

    #[test]
    fn hints_that_are_wanted() {
        let sent = json!({ "mangle": { "hints": { "arguments": "all", "types": true, "bounds": 3 } } });
        let default = HintSettings::default();
        let wanted = HintSettings { arguments: ArgumentHints::All, types: true, ..default };
        assert_eq!(hints(&sent), Some(wanted));
        assert_eq!(hints(&json!({ "mangle": { "rules": {} } })), None);
        let documented: Value =
            HintSettings::SECTION.keys.iter().map(|key| (key.name.to_owned(), key.default_value())).collect();
        assert_eq!(hints(&json!({ "hints": documented })), Some(default));
    }

    #[test]
    fn lenses_that_are_wanted() {
        let all = LensSettings { all: true };
        assert_eq!(lenses(&json!({ "mangle": { "lenses": { "all": true } } })), Some(all));
        assert_eq!(lenses(&json!({ "lenses": { "all": 1 } })), Some(LensSettings::default()));
        assert_eq!(lenses(&json!({ "mangle": { "hints": {} } })), None);
    }

    #[test]
    fn settings_of_others_are_not_about_us() {
        assert_eq!(rules(&json!(null)), None);
        assert_eq!(rules(&json!({ "editor": {} })), None);
        assert_eq!(rules(&json!({ "mangle": { "trace": {} } })), Some(RuleSettings::default()));
        assert!(rules(&json!({ "rules": {} })).is_some());
    }
}
