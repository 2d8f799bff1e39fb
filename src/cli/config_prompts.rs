//! `config`: the settings of `[prompt]` and `[replay]` as they hold.

use serde::Serialize;

use super::config_transcripts::{SettingRow, SettingRows};
use mangle_settings::{ContextBlockSettings, PromptSettings, ReplaySettings};

/// The settings of `[prompt]` and of the table in it.
#[derive(Debug, Serialize)]
pub(super) struct Prompts {
    #[serde(flatten)]
    own: SettingRows,
    context_block: SettingRows,
}

impl Prompts {
    pub(super) fn new(settings: &PromptSettings) -> Self {
        let shards = settings.shards.iter().map(|shard| match &shard.id {
            Some(id) => format!("{id} {}", shard.kind),
            None => shard.kind.clone(),
        });
        let ContextBlockSettings { predicates, max_facts, max_tokens } = &settings.context_block;
        let texts = settings.templates.iter().map(|(name, text)| (name.clone(), text.clone().into()));
        Self {
            own: SettingRows(vec![
                ("shards", SettingRow::Set(shards.collect::<Vec<_>>().into())),
                ("templates", SettingRow::Set(serde_json::Value::Object(texts.collect()))),
                ("atoms", SettingRow::Set(settings.atoms.patterns().into())),
                (
                    "mode",
                    SettingRow::of(
                        settings.mode.map(|mode| mode.as_str()),
                        "jit where there are atoms, else legacy",
                    ),
                ),
                ("inception", SettingRow::Set(settings.inception.into())),
                (
                    "reasoning",
                    SettingRow::of(
                        settings.reasoning.map(|wanted| wanted.as_str()),
                        "nothing asks for reasons",
                    ),
                ),
                ("synthetic", SettingRow::Set(settings.synthetic.into())),
                ("similarity", SettingRow::Set(settings.similarity.into())),
                ("tokenizer", SettingRow::Set(settings.tokenizer.as_str().into())),
            ]),
            context_block: SettingRows(vec![
                ("predicates", SettingRow::Set(predicates.as_slice().into())),
                ("max_facts", SettingRow::Set((*max_facts).into())),
                ("max_tokens", SettingRow::Set((*max_tokens).into())),
            ]),
        }
    }

    /// As the part of a configuration file that says it all.
    pub(super) fn text(&self) -> String {
        format!("\n[prompt]\n{}\n[prompt.context_block]\n{}", self.own.text(), self.context_block.text())
    }
}

/// The settings of `[replay]` and of the table in it.
#[derive(Debug, Serialize)]
pub(super) struct Replays {
    #[serde(flatten)]
    own: SettingRows,
    abduction: SettingRows,
}

impl Replays {
    pub(super) fn new(settings: &ReplaySettings) -> Self {
        let text = |name, value: &str| (name, SettingRow::Set(value.into()));
        let texts = |name, values: &[String]| (name, SettingRow::Set(values.into()));
        Self {
            own: SettingRows(vec![
                text("override", settings.style.as_str()),
                text("pending", &settings.pending),
                text("permit", &settings.permit),
                texts("deny", &settings.deny),
                text("block", &settings.block),
                text("safe", &settings.safe),
                text("dangerous", &settings.dangerous),
                text("content", &settings.content),
                texts("overrides", &settings.overrides),
                text("domain", &settings.domain),
                texts("domains", &settings.domains),
                texts("patterns", &settings.patterns),
            ]),
            abduction: SettingRows(vec![
                text("predicate", &settings.abduction.predicate),
                text("as", settings.abduction.form.as_str()),
                text("action", &settings.abduction.action),
            ]),
        }
    }

    /// As the part of a configuration file that says it all.
    pub(super) fn text(&self) -> String {
        format!("\n[replay]\n{}\n[replay.abduction]\n{}", self.own.text(), self.abduction.text())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_settings::keys::{ABDUCTION, CONTEXT_BLOCK, PROMPT, REPLAY};
    use mangle_settings::{Vocabulary, parse};

    /// A key of the settings that nobody prints would be a setting that nobody can look up.
    #[test]
    fn every_key_is_told() {
        let prompts = serde_json::to_value(Prompts::new(&PromptSettings::default())).unwrap();
        let replays = serde_json::to_value(Replays::new(&ReplaySettings::default())).unwrap();
        let tables = [
            (PROMPT, &prompts, ""),
            (CONTEXT_BLOCK, &prompts, "/context_block"),
            (REPLAY, &replays, ""),
            (ABDUCTION, &replays, "/abduction"),
        ];
        for (section, told, pointer) in tables {
            let mut keys: Vec<_> = section.keys.iter().map(|key| key.name).collect();
            let mut found: Vec<_> = told.pointer(pointer).unwrap().as_object().unwrap().keys().collect();
            keys.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, keys, "{}", section.name);
        }
    }

    /// What is printed can be written into a configuration file.
    #[test]
    fn what_is_told_says_the_same() {
        let text = "[prompt]\nshards = [\"coder-7 coder\", \"tester\"]\nmode = \"legacy\"\n[prompt.templates]\n\
                    coder = \"You \\\"code\\\".\\nWell.\"\n[replay]\noverride = \"replace\"\npatterns = [\"rm\\\\s+-rf\"]\n";
        let vocabulary = || Vocabulary { rules: &[], releases: &[] };
        let settings = parse(text, vocabulary()).settings;
        let told = Prompts::new(&settings.prompt).text() + &Replays::new(&settings.replay).text();
        let again = parse(&told, vocabulary());
        assert!(again.findings.is_empty(), "{told}\n{:?}", again.findings);
        assert_eq!((again.settings.prompt, again.settings.replay), (settings.prompt, settings.replay));
    }
}
