//! Fixtures for tests of rules and features.
//!
//! A fixture is a program in one string. A line `#- NAME` starts a file with this name. If no such
//! line exists, the whole string is the file `main.mg`.
//!
//! `$0` marks a cursor.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::Expect;
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Rule, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Encoding, FileId, LineIndex, TextRange, TextSize, text_len};

use crate::diagnostics::{FindingCache, diagnostics};
use crate::{Analysis, Registry};

/// A fixture and its diagnostics.
pub struct CheckedFixture {
    pub names: Vec<String>,
    pub texts: Vec<String>,
    pub diagnostics: Vec<(FileId, Vec<Diagnostic>)>,
}

/// Splits a fixture into files.
pub fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("#- ") {
            files.push((name.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        } else {
            files.push(("main.mg".to_owned(), line.to_owned()));
        }
    }
    files
}

/// Parses a fixture as a program. Files have the ids 0, 1, … in order.
pub fn program(fixture: &str) -> Program {
    let summaries = files(fixture)
        .into_iter()
        .zip(0..)
        .map(|((_, text), id)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into()))));
    Program::embedded(summaries.collect(), embedding(files(fixture).iter().map(|(name, _)| name.as_str())))
}

/// True if a file of a fixture can ask for previews: kernel files, and the file of a single-file
/// fixture.
pub fn is_kernel(name: &str) -> bool {
    name.ends_with(".kernel.mg") || name == "main.mg"
}

/// The kinds of files of a program, according to their names.
pub fn embedding<'n>(names: impl Iterator<Item = &'n str>) -> Arc<ProgramEnvironment> {
    let names: Vec<_> = names.zip(0..).collect();
    let ends_with = |end: &str| {
        let files = names.iter().filter(|(name, _)| name.ends_with(end));
        files.map(|(_, id)| FileId(*id)).collect()
    };
    let tests: Vec<FileId> = ends_with("_test.mg");
    let kernels: Vec<_> =
        names.iter().filter(|(name, _)| is_kernel(name)).map(|(_, id)| FileId(*id)).collect();
    let samples: Vec<FileId> = ends_with(".kernel.mg");
    let mut singles = [&tests[..], &samples[..]].concat();
    singles.sort_unstable();
    Arc::new(ProgramEnvironment { tests, kernels, separate_files: singles, ..ProgramEnvironment::default() })
}

impl CheckedFixture {
    /// Checks a fixture with the rules of this library.
    pub fn new(fixture: &str) -> Self {
        Self::with(fixture, &RuleSettings::default(), Registry::of_programs())
    }

    /// Checks a fixture with `rule` enabled, regardless of its default.
    pub fn new_with(fixture: &str, rule: &'static Rule) -> Self {
        Self::with(fixture, &switched_on(rule), Registry::of_programs())
    }

    /// Checks a fixture with these rules and settings.
    pub fn with(fixture: &str, settings: &RuleSettings, registry: &'static Registry) -> Self {
        Self::of_program(fixture, &program(fixture), settings, registry)
    }

    /// Checks a program that was built from a fixture.
    pub fn of_program(
        fixture: &str,
        program: &Program,
        settings: &RuleSettings,
        registry: &'static Registry,
    ) -> Self {
        let (names, texts) = files(fixture).into_iter().unzip();
        let diagnostics = diagnostics(program, settings, &FindingCache::new(registry));
        Self { names, texts, diagnostics }
    }

    /// The rule names of all findings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.diagnostics.iter().flat_map(|(_, found)| found).map(|diagnostic| diagnostic.rule.name)
    }

    /// Renders one line per finding, followed by related locations and the fix.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for (file, found) in &self.diagnostics {
            for diagnostic in found {
                let Diagnostic { rule, severity, message, .. } = diagnostic;
                let place = self.place(*file, diagnostic.range);
                writeln!(out, "{place} {severity} {}: {message}", rule.name).unwrap();
                if let Some(label) = &diagnostic.label {
                    writeln!(out, "  label: {label}").unwrap();
                }
                for related in &diagnostic.related {
                    let place = self.place(related.file, related.range);
                    writeln!(out, "  {place} {}", related.message).unwrap();
                }
                for note in &diagnostic.notes {
                    writeln!(out, "  note: {note}").unwrap();
                }
                match (&diagnostic.fix, &diagnostic.help) {
                    (Some(fix), _) => writeln!(out, "  fix: {}", fix.title).unwrap(),
                    (None, Some(help)) => writeln!(out, "  help: {help}").unwrap(),
                    (None, None) => {}
                }
            }
        }
        out
    }

    fn place(&self, file: FileId, range: TextRange) -> String {
        let text = &self.texts[file.0 as usize];
        let index = LineIndex::new(text);
        let [start, end] =
            [range.start(), range.end()].map(|offset| index.line_col(text, offset, Encoding::Utf32));
        let name =
            if self.names.len() > 1 { format!("{}:", self.names[file.0 as usize]) } else { String::new() };
        let until = if start.line == end.line {
            format!("{}", end.col + 1)
        } else {
            format!("{}:{}", end.line + 1, end.col + 1)
        };
        format!("{name}{}:{}-{until}", start.line + 1, start.col + 1)
    }

    /// Applies the first fix of `rule` to the fixture.
    pub fn fixed(self, fixture: &str, rule: &Rule) -> String {
        let found = self.diagnostics.iter().flat_map(|(_, found)| found);
        let fix = found.filter(|diagnostic| diagnostic.rule == rule).find_map(|found| found.fix.clone());
        let mut texts = self.texts;
        for edit in fix.iter().flat_map(|fix| fix.edits.iter().rev()) {
            let range = usize::from(edit.range.start())..usize::from(edit.range.end());
            texts[edit.file.0 as usize].replace_range(range, &edit.text);
        }
        let multiple = fixture.starts_with("#- ");
        let named = |(name, text): (&String, String)| {
            if multiple { format!("#- {name}\n{text}") } else { text }
        };
        self.names.iter().zip(texts).map(named).collect()
    }
}

/// Settings in which `rule` is enabled, regardless of its default.
pub fn switched_on(rule: &'static Rule) -> RuleSettings {
    let mut settings = RuleSettings::default();
    settings.set(rule, Some(rule.severity.unwrap_or(Severity::Hint)));
    settings
}

/// Checks a fixture and compares its findings, one per line.
#[track_caller]
pub fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&CheckedFixture::new(fixture).render());
}

/// Applies the first fix of `rule` to the fixture.
pub fn apply_fixes(fixture: &str, rule: &'static Rule) -> String {
    CheckedFixture::new_with(fixture, rule).fixed(fixture, rule)
}

/// Compares the fixture after the first fix of `rule`.
#[track_caller]
pub fn check_fix(rule: &str, fixture: &str, expect: Expect) {
    let rule = Registry::of_programs().find(rule).unwrap();
    expect.assert_eq(&apply_fixes(fixture, rule));
}

/// A fixture for feature tests.
pub struct Fixture {
    program: Program,
    types: ProgramTypes,
    sources: Vec<SourceFile>,
    /// The file names of the fixture.
    pub names: Vec<String>,
    /// The positions of `$0`.
    pub cursors: Vec<(FileId, TextSize)>,
}

impl Fixture {
    /// Parses a fixture. Each `$0` is removed and recorded.
    pub fn new(fixture: &str) -> Self {
        let (mut names, mut sources, mut cursors) = (Vec::new(), Vec::new(), Vec::new());
        for ((name, marked), id) in files(fixture).into_iter().zip(0..) {
            let mut text = String::new();
            for (index, part) in marked.split("$0").enumerate() {
                if index > 0 {
                    cursors.push((FileId(id), text_len(&text)));
                }
                text.push_str(part);
            }
            names.push(name);
            sources.push(SourceFile::parse(text.into()));
        }
        let summaries = sources.iter().zip(0..);
        let program = Program::embedded(
            summaries.map(|(source, id)| Arc::new(FileSummary::new(FileId(id), source))).collect(),
            embedding(names.iter().map(String::as_str)),
        );
        let types = ProgramTypes::new(&program, &mut TypeCache::default());
        Self { program, types, sources, names, cursors }
    }

    /// The text of a file without `$0`.
    pub fn text(&self, file: FileId) -> &str {
        self.sources[file.0 as usize].text()
    }

    /// The ids of all files.
    pub fn ids(&self) -> impl Iterator<Item = FileId> {
        (0u32..).take(self.sources.len()).map(FileId)
    }

    /// All files with `<` and `>` around ranges. Files without ranges are omitted.
    pub fn mark(&self, ranges: &[(FileId, TextRange)]) -> String {
        let mut out = String::new();
        for file in self.ids() {
            let here = ranges.iter().filter(|(of, _)| *of == file).map(|(_, range)| *range);
            let mut marks: Vec<_> =
                here.flat_map(|range| [(range.end(), 0, '>'), (range.start(), 1, '<')]).collect();
            if marks.is_empty() {
                continue;
            }
            marks.sort_unstable();
            let mut text = self.text(file).to_owned();
            marks.iter().rev().for_each(|(at, _, mark)| text.insert(usize::from(*at), *mark));
            if self.sources.len() > 1 {
                writeln!(out, "#- {}", self.names[file.0 as usize]).unwrap();
            }
            out.push_str(&text);
        }
        out
    }
}

impl Analysis for Fixture {
    fn program(&self) -> &Program {
        &self.program
    }

    fn types(&self) -> &ProgramTypes {
        &self.types
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        self.sources.get(file.0 as usize)
    }
}
