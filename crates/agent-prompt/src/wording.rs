//! Wording of headings and sentences: `[prompt.templates]`, or the built-in phrases.

use std::collections::BTreeMap;

use super::line::{LineRole, PromptLine};
use super::origin::LineOrigin;
use mangle_settings::phrase;
use mangle_syntax::text::{TextRange, size, text_len};

/// The phrases of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Wording<'t> {
    templates: &'t BTreeMap<String, String>,
}

impl<'t> Wording<'t> {
    /// The phrases of templates. Default: the built-in phrases.
    #[must_use]
    pub fn new(templates: &'t BTreeMap<String, String>) -> Self {
        Self { templates }
    }

    /// Only the built-in phrases.
    #[must_use]
    pub fn built_in() -> Self {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        Self { templates: &NONE }
    }

    pub(super) fn text(self, name: &str) -> &'t str {
        match self.templates.get(name) {
            Some(text) => text,
            None => phrase(name).map_or("", |phrase| phrase.text),
        }
    }

    /// A phrase with its values, and the range of `{value}`. Without `{value}`, the range of all
    /// text except indent and bullet.
    fn filled(self, name: &str, values: &[(&str, &str)]) -> (String, TextRange) {
        let (mut text, mut rest) = (String::new(), self.text(name));
        let mut shown = None;
        while let Some(start) = rest.find('{') {
            let (before, hole) = rest.split_at(start);
            text.push_str(before);
            let found = values.iter().find(|(name, _)| {
                hole.strip_prefix('{')
                    .is_some_and(|hole| hole.strip_prefix(*name).is_some_and(|after| after.starts_with('}')))
            });
            match found {
                Some((name, value)) => {
                    if *name == "value" {
                        shown = Some(TextRange::at(text_len(&text), text_len(value)));
                    }
                    text.push_str(value);
                    rest = hole.get(name.len() + 2..).unwrap_or_default();
                }
                None => {
                    text.push('{');
                    rest = hole.get(1..).unwrap_or_default();
                }
            }
        }
        text.push_str(rest);
        let bare = text.trim_start();
        let bare = bare.strip_prefix("- ").unwrap_or(bare);
        let all = TextRange::at(size(text.len() - bare.len()), text_len(bare));
        (text, shown.unwrap_or(all))
    }

    /// A phrase with its values as text.
    pub(super) fn sentence(self, name: &str, values: &[(&str, &str)]) -> String {
        self.filled(name, values).0
    }

    /// A content line: a phrase with its values.
    pub(super) fn line(
        self,
        name: &str,
        values: &[(&str, &str)],
        tag: Option<&'static str>,
        origin: LineOrigin,
    ) -> PromptLine {
        let (text, value) = self.filled(name, values);
        PromptLine { value, tag, ..PromptLine::plain(text, origin) }
    }

    pub(super) fn heading(self, name: &str) -> Vec<PromptLine> {
        self.fixed(name, LineRole::Heading)
    }

    /// The lines of a phrase without values; empty if its text is empty.
    pub(super) fn fixed(self, name: &str, role: LineRole) -> Vec<PromptLine> {
        let text = Some(self.text(name)).filter(|text| !text.is_empty());
        let lines = text.into_iter().flat_map(|text| text.split('\n'));
        lines.map(|line| PromptLine { role, ..PromptLine::plain(line, LineOrigin::builtin(name)) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_syntax::text::slice;

    #[test]
    fn values_are_filled_in_and_have_their_bytes() {
        let templates = BTreeMap::from([
            ("session.retry".to_owned(), "  TDD Retry: {value} (fix {cause})".to_owned()),
            ("session.output".to_owned(), "  - {shard}/{task}: {outcome}".to_owned()),
            ("session.tests".to_owned(), "TEST STATE:\nFAILING".to_owned()),
            ("session.git".to_owned(), String::new()),
        ]);
        let wording = Wording::new(&templates);
        let (text, value) = wording.filled("session.retry", &[("value", "2")]);
        assert_eq!((text.as_str(), slice(&text, value)), ("  TDD Retry: 2 (fix {cause})", "2"));
        let values = [("shard", "coder"), ("outcome", "{task}"), ("task", "run"), ("summary", "x")];
        let (text, value) = wording.filled("session.output", &values);
        assert_eq!((text.as_str(), slice(&text, value)), ("  - coder/run: {task}", "coder/run: {task}"));
        let lines = |name| wording.heading(name).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(lines("session.tests"), ["TEST STATE:", "FAILING"]);
        assert_eq!((lines("session.git"), lines("session.tools")), (vec![], vec!["TOOLS:".to_owned()]));
    }
}
