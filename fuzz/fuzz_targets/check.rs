//! Any text can be parsed and checked, and every finding lies inside it.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use mangle_ls::config::RuleSettings;
use mangle_ls::ide::diagnostics::{FindingCache, diagnostics};
use mangle_ls::program::{FileSummary, Program};
use mangle_ls::syntax::SourceFile;
use mangle_ls::text::FileId;

fuzz_target!(|text: &str| {
    let file = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
    let program = Program::new(vec![Arc::new(file)]);
    for (_, found) in diagnostics(&program, &RuleSettings::default(), &FindingCache::default()) {
        for diagnostic in found {
            let (start, end) = (usize::from(diagnostic.range.start()), usize::from(diagnostic.range.end()));
            assert!(text.get(start..end).is_some(), "{diagnostic:?}");
        }
    }
});
