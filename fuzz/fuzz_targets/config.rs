//! Any text can be read as a configuration, and every finding lies inside it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mangle_ls::config;
use mangle_ls::ide::registry;

fuzz_target!(|text: &str| {
    let rules: Vec<_> = registry::rules().collect();
    for finding in config::parse(text, config::Vocabulary { rules: &rules, releases: mangle_ls::program::builtins::RELEASES }).findings {
        let (start, end) = (usize::from(finding.range.start()), usize::from(finding.range.end()));
        assert!(text.get(start..end).is_some(), "{finding:?}");
    }
});
