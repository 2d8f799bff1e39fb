//! Test helpers: examples of rules, and findings of a reply as text, one per line.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::Expect;

use super::atoms::Declarations;
use super::{Catalogue, Reply, ReplyContext, check as findings, edits, rules};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::lint::{Finding, Rule, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// The settings of the test vectors.
pub(super) fn current() -> TranscriptSettings {
    TranscriptSettings { profile: Some(Profile::Current), ..TranscriptSettings::default() }
}

pub(super) fn found(raw: &[u8], settings: &TranscriptSettings) -> Vec<Finding> {
    findings(&Reply::new(raw, &settings.limits_for(None, None)), &ReplyContext::new(settings))
}

pub(super) fn severity(finding: &Finding) -> Option<Severity> {
    finding.severity.or(finding.rule.severity)
}

/// Prints the enabled findings with the text of their ranges.
pub(super) fn render(raw: &str, settings: &TranscriptSettings) -> String {
    let mut out = String::new();
    for finding in found(raw.as_bytes(), settings) {
        let Some(severity) = severity(&finding) else { continue };
        let range = usize::from(finding.range.start())..usize::from(finding.range.end());
        let text: String = raw.get(range).unwrap_or("?").chars().take(30).collect();
        writeln!(out, "{text:?} {severity} {}: {}", finding.rule.name, finding.message).unwrap();
        if let Some(label) = &finding.label {
            writeln!(out, "  label: {label}").unwrap();
        }
        for note in &finding.notes {
            writeln!(out, "  note: {note}").unwrap();
        }
        if let Some(help) = &finding.help {
            writeln!(out, "  help: {help}").unwrap();
        }
        if let Some(fix) = &finding.fix {
            writeln!(out, "  fix: {}", fix.title).unwrap();
        }
    }
    out
}

/// Checks the findings of a reply with an inferred profile.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
pub(super) fn check(raw: &str, expect: Expect) {
    expect.assert_eq(&render(raw, &TranscriptSettings::default()));
}

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
        findings(&Reply::new(self.reply.as_bytes(), &self.settings.limits_for(None, None)), &self.context())
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
