//! Any text can be parsed and checked, and every finding lies inside it.

use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_check::policy_test::TestFile;
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::registry;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::Severity;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

use crate::generate::{fixture, mangle, text};
use crate::oracle;

pub(crate) fn run(bytes: &[u8]) {
    let texts: Vec<String> = match bytes.first() {
        Some(1..=3) => vec![mangle(bytes)],
        _ => fixture(bytes).iter().map(|(_, bytes)| text(bytes)).collect(),
    };
    let files: Vec<_> = texts
        .iter()
        .zip(0..)
        .map(|(text, id)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into()))))
        .collect();
    for (file, text) in files.iter().zip(&texts) {
        for case in TestFile::read(file).cases {
            oracle::inside(case.header, text.as_bytes(), &case.name);
        }
    }
    let program = Program::new(files);
    for (file, found) in diagnostics(&program, &all_rules(), &FindingCache::new(mangle_ide::registry::all()))
    {
        oracle::diagnostics(&found, &texts[file.0 as usize], &texts);
    }
}

/// Every rule, also those that are off by default.
fn all_rules() -> RuleSettings {
    let mut settings = RuleSettings::default();
    for rule in registry::rules().filter(|rule| rule.severity.is_none()) {
        settings.set(rule, Some(Severity::Hint));
    }
    settings
}
