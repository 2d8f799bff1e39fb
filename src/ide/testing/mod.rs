//! Fixtures for tests of rules and features.
//!
//! A fixture is a program in one string. A line `#- NAME` starts a file of that name; without one
//! the whole string is the file `main.mg`. `$0` is a cursor.

#![allow(clippy::unwrap_used, dead_code)]

mod sample;

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::Expect;

pub(crate) use self::sample::Sample;
use super::diagnostics::{FindingCache, diagnostics};
use super::{Analysis, Place, evaluation};
use crate::config::{KernelSettings, RuleSettings};
use crate::kernel::Limits;
use crate::lint::{Diagnostic, Rule, Severity};
use crate::program::{Embedding, FileSummary, Program};
use crate::prompt;
use crate::syntax::SourceFile;
use crate::text::{Cancel, Encoding, FileId, LineIndex, TextRange, TextSize, text_len};
use crate::types::{ProgramTypes, TypeCache};

/// A fixture and its diagnostics.
pub(crate) struct Checked {
    names: Vec<String>,
    texts: Vec<String>,
    pub(crate) diagnostics: Vec<(FileId, Vec<Diagnostic>)>,
}

/// Splits a fixture into files.
pub(crate) fn files(fixture: &str) -> Vec<(String, String)> {
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

/// The program of a fixture; files have the ids 0, 1, … in order.
pub(crate) fn program(fixture: &str) -> Program {
    let summaries = files(fixture)
        .into_iter()
        .zip(0..)
        .map(|((_, text), id)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into()))));
    Program::embedded(summaries.collect(), embedding(files(fixture).iter().map(|(name, _)| name.as_str())))
}

/// Whether a file of a fixture may ask for previews: one by itself may be any.
pub(crate) fn is_kernel(name: &str) -> bool {
    name.ends_with(".kernel.mg") || name == "main.mg"
}

/// What the names of files say of a program.
fn embedding<'n>(names: impl Iterator<Item = &'n str>) -> Arc<Embedding> {
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
    Arc::new(Embedding { tests, kernels, singles, ..Embedding::default() })
}

/// A program evaluated with few derived facts allowed, so that what runs away does so soon.
pub(crate) fn readings(program: &Arc<Program>) -> evaluation::Readings {
    let limits = Limits { derived: 500, ..Limits::default() };
    let settings = KernelSettings { now: Some(0), ..KernelSettings::default() };
    evaluation::Readings::new(program, &settings, limits, &|_, _| {}, &Cancel::new()).unwrap()
}

impl Checked {
    pub(crate) fn new(fixture: &str) -> Self {
        Self::with_settings(fixture, &RuleSettings::default())
    }

    /// Checks with `rule` switched on, whatever its default.
    pub(crate) fn new_with(fixture: &str, rule: &'static Rule) -> Self {
        let mut settings = RuleSettings::default();
        settings.set(rule, Some(rule.severity.unwrap_or(Severity::Hint)));
        match evaluation::RULES.contains(&rule) {
            true => Self::evaluated(fixture, &settings),
            false if prompt::rules::RULES.contains(&rule) => Self::previewed(fixture, &settings),
            false => Self::with_settings(fixture, &settings),
        }
    }

    /// With what shows in the previews of its only sample kernel: `main.mg`, or the file that is called so.
    pub(crate) fn previewed(fixture: &str, rules: &RuleSettings) -> Self {
        let (names, texts): (Vec<_>, Vec<_>) = files(fixture).into_iter().unzip();
        let Some(sample) = Sample::new(&names, &texts, rules) else {
            return Self::with_settings(fixture, rules);
        };
        let mut all = diagnostics(&sample.program, rules, &FindingCache::default());
        for (file, more) in sample.findings() {
            match all.iter_mut().find(|(other, _)| *other == file) {
                Some((_, list)) => list.extend(more),
                None => all.push((file, more)),
            }
        }
        Self { names, texts, diagnostics: all }
    }

    /// With what shows when the program is evaluated.
    pub(crate) fn evaluated(fixture: &str, settings: &RuleSettings) -> Self {
        let mut checked = Self::with_settings(fixture, settings);
        let program = Arc::new(program(fixture));
        let found = evaluation::findings(&readings(&program), &program, None);
        let found = evaluation::diagnostics(&program, settings, &found);
        for (file, all) in &mut checked.diagnostics {
            let summary = program.file(*file).unwrap();
            let known: Vec<_> = all.iter().collect();
            let more = found.get(file).into_iter().flatten();
            let more: Vec<_> =
                more.filter(|found| evaluation::is_news(summary, found, &known)).cloned().collect();
            all.extend(more);
        }
        checked
    }

    pub(crate) fn with_settings(fixture: &str, settings: &RuleSettings) -> Self {
        let (names, texts) = files(fixture).into_iter().unzip();
        let diagnostics = diagnostics(&program(fixture), settings, &FindingCache::default());
        Self { names, texts, diagnostics }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.diagnostics.iter().flat_map(|(_, found)| found).map(|diagnostic| diagnostic.rule.name)
    }

    /// One line a finding, with the related places and the fix below it.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        for (file, found) in &self.diagnostics {
            for diagnostic in found {
                let Diagnostic { rule, severity, message, .. } = diagnostic;
                let place = self.place(*file, diagnostic.range);
                writeln!(out, "{place} {severity} {}: {message}", rule.name).unwrap();
                for related in &diagnostic.related {
                    let place = self.place(related.file, related.range);
                    writeln!(out, "  {place} {}", related.message).unwrap();
                }
                if let Some(fix) = &diagnostic.fix {
                    writeln!(out, "  fix: {}", fix.title).unwrap();
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
}

/// Checks a fixture and compares its findings, one line each.
#[track_caller]
pub(crate) fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&Checked::new(fixture).render());
}

/// The fixture after the first fix of `rule` in it was applied.
pub(crate) fn apply_fixes(fixture: &str, rule: &'static Rule) -> String {
    let checked = Checked::new_with(fixture, rule);
    let found = checked.diagnostics.iter().flat_map(|(_, found)| found);
    let fix = found.filter(|diagnostic| diagnostic.rule == rule).find_map(|found| found.fix.clone());
    let mut texts = checked.texts;
    for edit in fix.iter().flat_map(|fix| fix.edits.iter().rev()) {
        let range = usize::from(edit.range.start())..usize::from(edit.range.end());
        texts[edit.file.0 as usize].replace_range(range, &edit.text);
    }
    let multiple = fixture.starts_with("#- ");
    let named = |(name, text): (&String, String)| {
        if multiple { format!("#- {name}\n{text}") } else { text }
    };
    checked.names.iter().zip(texts).map(named).collect()
}

/// Compares the fixture after the first fix of the rule called `rule`.
#[track_caller]
pub(crate) fn check_fix(rule: &str, fixture: &str, expect: Expect) {
    let rule = super::registry::find(rule).unwrap();
    expect.assert_eq(&apply_fixes(fixture, rule));
}

/// A fixture as features see it.
pub(crate) struct Fixture {
    program: Program,
    types: ProgramTypes,
    sources: Vec<SourceFile>,
    /// The names of the files, as in the fixture.
    pub(crate) names: Vec<String>,
    /// Where `$0` stood.
    pub(crate) cursors: Vec<(FileId, TextSize)>,
}

impl Fixture {
    /// Reads a fixture. Each `$0` in it is taken out and remembered.
    pub(crate) fn new(fixture: &str) -> Self {
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

    /// The place of the only cursor.
    #[track_caller]
    pub(crate) fn place(&self) -> Place<'_> {
        let [(file, offset)] = self.cursors[..] else { panic!("a fixture with one $0") };
        self.place_at(file, offset)
    }

    /// Any place.
    pub(crate) fn place_at(&self, file: FileId, offset: TextSize) -> Place<'_> {
        Place::new(self, file, offset).unwrap()
    }

    /// The text of a file, `$0` taken out.
    pub(crate) fn text(&self, file: FileId) -> &str {
        self.sources[file.0 as usize].text()
    }

    /// The ids of all files.
    pub(crate) fn ids(&self) -> impl Iterator<Item = FileId> {
        (0u32..).take(self.sources.len()).map(FileId)
    }

    /// All files with `<` and `>` around ranges; files without any are left out.
    pub(crate) fn mark(&self, ranges: &[(FileId, TextRange)]) -> String {
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

/// The files of an example.
macro_rules! example {
    ($name:literal) => {
        example!($name: "schemas.gl", "campaign.mg", "constitution.mg", "context.mg", "facts.mg", "learning.mg", "recovery.mg", "routing.mg")
    };
    ($name:literal: $($file:literal),*) => {
        [$((
            $file,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/", $name, "/", $file)),
        )),*]
    };
}

/// Visits places of the examples, `step` bytes apart: as they are, and with the last sign of many lines lost.
pub(crate) fn every_place_of_the_examples(step: usize, mut visit: impl FnMut(Place<'_>)) {
    let examples = [example!("guardian"), example!("incident")];
    for (files, damage) in
        examples.iter().flat_map(|files| ["", ")", ".", ",", "\""].map(|sign| (files, sign)))
    {
        let mut program = String::new();
        for (name, text) in files {
            write!(program, "#- {name}\n{text}").unwrap();
        }
        let fixture = Fixture::new(&program.replace(&format!("{damage}\n"), "\n"));
        for file in fixture.ids() {
            let text = fixture.text(file);
            for at in (0..=text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
                visit(fixture.place_at(file, crate::text::size(at)));
            }
        }
    }
}
