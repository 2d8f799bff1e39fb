//! `[replay]` and the table in it.

use toml_span::Value;

use crate::keys::{ABDUCTION, REPLAY};
use crate::value::Reader;
use crate::{AbductionSettings, HypothesisForm, Override, ReplaySettings, gate_pattern};

impl Reader<'_> {
    /// Reads `[replay]`.
    pub(super) fn replay(&mut self, value: Value<'_>) -> ReplaySettings {
        let mut settings = ReplaySettings::default();
        let Some(table) = self.table(value, "`replay`") else { return settings };
        self.unknown_keys(&REPLAY, &table);
        for (key, value) in table {
            let text = match &*key.name {
                "override" => {
                    let word = self.word(value, "`override`", &Override::WORDS, Override::parse);
                    settings.style = word.unwrap_or_default();
                    continue;
                }
                "abduction" => {
                    settings.abduction = self.abduction(value);
                    continue;
                }
                "patterns" => {
                    settings.patterns = self.patterns(value);
                    continue;
                }
                name @ ("deny" | "overrides" | "domains") => {
                    let list = match name {
                        "deny" => &mut settings.deny,
                        "overrides" => &mut settings.overrides,
                        _ => &mut settings.domains,
                    };
                    *list = self.texts(value, &format!("`{name}`"));
                    continue;
                }
                "pending" => &mut settings.pending,
                "permit" => &mut settings.permit,
                "block" => &mut settings.block,
                "safe" => &mut settings.safe,
                "dangerous" => &mut settings.dangerous,
                "content" => &mut settings.content,
                "domain" => &mut settings.domain,
                _ => continue,
            };
            if let Some((word, _)) = self.string(value, &format!("`{}`", key.name)) {
                *text = word;
            }
        }
        settings
    }

    /// Regular expressions; those that are none are left out.
    fn patterns(&mut self, value: Value<'_>) -> Vec<String> {
        let all = self.strings(value, "`patterns`");
        let mut patterns = Vec::new();
        for (pattern, span) in all {
            match gate_pattern(&pattern) {
                Ok(_) => patterns.push(pattern),
                Err(error) => {
                    // The last line says what is wrong, those before show the pattern.
                    let why = error.to_string();
                    let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    self.bad_value(span, format!("`{pattern}` is no regular expression: {why}."));
                }
            }
        }
        patterns
    }

    fn abduction(&mut self, value: Value<'_>) -> AbductionSettings {
        let mut settings = AbductionSettings::default();
        let Some(table) = self.table(value, "`replay.abduction`") else { return settings };
        self.unknown_keys(&ABDUCTION, &table);
        for (key, value) in table {
            let text = match &*key.name {
                "as" => {
                    let word = self.word(value, "`as`", &HypothesisForm::WORDS, HypothesisForm::parse);
                    settings.form = word.unwrap_or_default();
                    continue;
                }
                "predicate" => &mut settings.predicate,
                "action" => &mut settings.action,
                _ => continue,
            };
            if let Some((word, _)) = self.string(value, &format!("`{}`", key.name)) {
                *text = word;
            }
        }
        settings
    }
}
