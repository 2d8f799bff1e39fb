//! `[prompt]` and the tables in it.

use std::collections::BTreeMap;

use toml_span::Value;

use crate::config::keys::{CONTEXT_BLOCK, Kind, PROMPT};
use crate::config::value::Reader;
use crate::config::{ContextBlockSettings, PromptMode, PromptSettings, Reasoning, ShardSetting, Tokenizer};

impl Reader<'_> {
    /// Reads `[prompt]`.
    pub(super) fn prompt(&mut self, value: Value<'_>) -> PromptSettings {
        let mut settings = PromptSettings::default();
        let Some(table) = self.table(value, "`prompt`") else { return settings };
        self.unknown_keys(&PROMPT, &table);
        for (key, value) in table {
            match &*key.name {
                "shards" => settings.shards = self.shards(value),
                "templates" => settings.templates = self.templates(value),
                "atoms" => settings.atoms = self.globs(value, "`atoms`").unwrap_or_default().0,
                "mode" => settings.mode = self.word(value, "`mode`", &PromptMode::WORDS, PromptMode::parse),
                "inception" => settings.inception = self.flag(value, "`inception`").unwrap_or_default(),
                "reasoning" => {
                    settings.reasoning = self.word(value, "`reasoning`", &Reasoning::WORDS, Reasoning::parse);
                }
                "synthetic" => settings.synthetic = self.flag(value, "`synthetic`").unwrap_or(true),
                "similarity" => {
                    let percent = self.number(value, "`similarity`", (0, 100));
                    let percent = percent.and_then(|percent| u32::try_from(percent).ok());
                    settings.similarity = percent.unwrap_or(settings.similarity);
                }
                "context_block" => settings.context_block = self.context_block(value),
                "tokenizer" => {
                    let word = self.word(value, "`tokenizer`", &Tokenizer::WORDS, Tokenizer::parse);
                    settings.tokenizer = word.unwrap_or_default();
                }
                _ => {}
            }
        }
        settings
    }

    fn shards(&mut self, value: Value<'_>) -> Vec<ShardSetting> {
        let mut shards = Vec::new();
        for (text, span) in self.strings(value, "`shards`") {
            let words: Vec<_> = text.split_whitespace().collect();
            match words[..] {
                [kind] => shards.push(ShardSetting { id: None, kind: kind.to_owned() }),
                [id, kind] => shards.push(ShardSetting { id: Some(id.to_owned()), kind: kind.to_owned() }),
                _ => {
                    let example = "`coder-7 coder`, or a type, as `coder`";
                    self.bad_value(
                        span,
                        format!("`{text}` is no shard; write its id and its type, as {example}."),
                    );
                }
            }
        }
        shards
    }

    fn templates(&mut self, value: Value<'_>) -> BTreeMap<String, String> {
        let Some(table) = self.table(value, "`templates`") else { return BTreeMap::new() };
        let text = |(key, value): (toml_span::value::Key<'_>, Value<'_>)| {
            let (text, _) = self.string(value, "a template")?;
            Some((key.name.to_string(), text))
        };
        table.into_iter().filter_map(text).collect()
    }

    fn context_block(&mut self, value: Value<'_>) -> ContextBlockSettings {
        let mut block = ContextBlockSettings::default();
        let Some(table) = self.table(value, "`context_block`") else { return block };
        self.unknown_keys(&CONTEXT_BLOCK, &table);
        for (key, value) in table {
            match (&*key.name, CONTEXT_BLOCK.key(&key.name).map(|key| key.kind)) {
                ("predicates", _) => {
                    let names = self.strings(value, "`predicates`");
                    block.predicates = names.into_iter().map(|(name, _)| name).collect();
                }
                (name, Some(Kind::Number(least, most))) => {
                    let number = self.number(value, &format!("`{name}`"), (least, most));
                    let limit =
                        if name == "max_facts" { &mut block.max_facts } else { &mut block.max_tokens };
                    *limit = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(*limit);
                }
                _ => {}
            }
        }
        block
    }
}
