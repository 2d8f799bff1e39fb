//! The examples of the rules about replies, for tests. A line `#- NAME` begins an additional file.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::atoms::Declarations;
use super::{Catalogue, Reply, ReplyContext, check, edits, rules};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// A reply and the input of its check.
pub(crate) struct Example {
    pub(crate) reply: String,
    settings: TranscriptSettings,
    declarations: Option<Declarations>,
    tools: Option<Catalogue>,
}

impl Example {
    pub(crate) fn new(text: &str) -> Self {
        let (mut reply, mut files) = (String::new(), Vec::<(String, String)>::new());
        for line in text.split_inclusive('\n') {
            match (line.strip_prefix("#- "), files.last_mut()) {
                (Some(name), _) => files.push((name.trim().to_owned(), String::new())),
                (None, Some((_, text))) => text.push_str(line),
                (None, None) => reply.push_str(line),
            }
        }
        let file = |wanted: &str| files.iter().find(|(name, _)| name == wanted).map(|(_, text)| text);
        let vocabulary = mangle_settings::Vocabulary { rules: &[] };
        let settings = file("mangle-ls.toml").map(|text| mangle_settings::parse(text, vocabulary));
        let is_policy = |name: &str| name.ends_with(".mg") || name.ends_with(".gl");
        let policies = files.iter().filter(|(name, _)| is_policy(name)).zip(0..);
        let summaries: Vec<_> = policies
            .map(|((_, text), id)| {
                Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
            })
            .collect();
        let declarations =
            (!summaries.is_empty()).then(|| Declarations::from_program(&Program::new(summaries)));
        let tools = file("tools.json").map(|text| Catalogue::parse(text.as_bytes()).unwrap());
        let settings = settings.inspect(|parsed| assert!(parsed.findings.is_empty(), "{text}"));
        let settings = settings.map(|parsed| parsed.settings.transcripts).unwrap_or_default();
        Self { reply, settings, declarations, tools }
    }

    pub(crate) fn context(&self) -> ReplyContext<'_> {
        ReplyContext {
            declarations: self.declarations.as_ref(),
            tools: self.tools.as_ref(),
            ..ReplyContext::new(&self.settings)
        }
    }

    pub(crate) fn found(&self) -> Vec<Finding> {
        check(&Reply::new(self.reply.as_bytes(), &self.settings.limits_for(None, None)), &self.context())
    }

    /// Applies the first fix of a rule.
    pub(crate) fn fixed(mut self, rule: &Rule) -> Option<Self> {
        let found = self.found();
        let fix = found.iter().filter(|found| found.rule == rule).find_map(|found| found.fix.as_ref())?;
        self.reply = String::from_utf8(edits::applied(self.reply.as_bytes(), fix)?).unwrap();
        Some(self)
    }
}

/// Returns the rules whose examples are one reply.
pub(super) fn rules_of_replies() -> impl Iterator<Item = &'static Rule> {
    rules().filter(|rule| !rule.bad.starts_with("#- "))
}
