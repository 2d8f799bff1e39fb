//! Test fixtures of features, in the format of [`mangle_check::testing`], with evaluations and
//! previews.

#![allow(clippy::unwrap_used, dead_code)]

mod sample;

use std::fmt::Write as _;
use std::ops::Deref;
use std::sync::Arc;

use expect_test::Expect;

use super::file_findings::Lists;
use super::{Analysis, Place, evaluation, registry};
use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_check::testing as base;
use mangle_engine::kernel::Limits;
use mangle_engine::program::Program;
use mangle_engine::types::ProgramTypes;
use mangle_settings::{KernelSettings, RuleSettings};
use mangle_syntax::lint::Rule;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, TextSize};

pub(crate) use mangle_check::testing::{CheckedFixture, files, is_kernel, program};
pub(crate) use sample::Sample;

/// Evaluates a program with a low limit on derived facts, so that infinite programs stop early.
pub(crate) fn readings(program: &Arc<Program>) -> evaluation::Readings {
    let limits = Limits { derived: 500, ..Limits::default() };
    let settings = KernelSettings { now: Some(0), ..KernelSettings::default() };
    evaluation::Readings::new(program, &settings, limits, &|_, _| {}, &Cancel::new()).unwrap()
}

/// Checks a fixture under the default settings.
pub(crate) fn checked(fixture: &str) -> CheckedFixture {
    with_settings(fixture, &RuleSettings::default())
}

fn with_settings(fixture: &str, settings: &RuleSettings) -> CheckedFixture {
    CheckedFixture::with(fixture, settings, registry::all())
}

/// Checks a fixture with `rule` enabled, including the analysis that reports it.
fn checked_with(fixture: &str, rule: &'static Rule) -> CheckedFixture {
    let settings = base::switched_on(rule);
    match evaluation::RULES.contains(&rule) {
        true => evaluated(fixture, &settings),
        false if agent_prompt::rules::RULES.contains(&rule) => previewed(fixture, &settings),
        false => with_settings(fixture, &settings),
    }
}

/// Checks a fixture including the previews of its only sample kernel: `main.mg`, or a file named
/// like a kernel.
fn previewed(fixture: &str, rules: &RuleSettings) -> CheckedFixture {
    let (names, texts): (Vec<_>, Vec<_>) = files(fixture).into_iter().unzip();
    let Some(sample) = Sample::new(&names, &texts, rules) else {
        return with_settings(fixture, rules);
    };
    let mut all = diagnostics(&sample.program, rules, &FindingCache::new(registry::all()));
    for (file, more) in sample.findings() {
        match all.iter_mut().find(|(other, _)| *other == file) {
            Some((_, list)) => list.extend(more),
            None => all.push((file, more)),
        }
    }
    CheckedFixture { names, texts, diagnostics: all }
}

/// Checks a fixture including its evaluation.
pub(crate) fn evaluated(fixture: &str, settings: &RuleSettings) -> CheckedFixture {
    let mut checked = with_settings(fixture, settings);
    let program = Arc::new(program(fixture));
    let found = evaluation::findings(&readings(&program), &program, None);
    let found = evaluation::diagnostics(&program, settings, &found);
    for (file, all) in &mut checked.diagnostics {
        let evaluations = found.get(file).into_iter().map(Vec::as_slice).collect();
        let lists = Lists { checks: vec![all.as_slice()], evaluations, ..Lists::default() };
        let merged = lists.merged(program.file(*file).map(|file| &**file));
        *all = merged.into_iter().cloned().collect();
    }
    checked
}

/// Compares the findings of a fixture, one line each.
#[track_caller]
pub(crate) fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&checked(fixture).render());
}

/// Returns the fixture after the first fix of `rule`.
fn apply_fixes(fixture: &str, rule: &'static Rule) -> String {
    checked_with(fixture, rule).fixed(fixture, rule)
}

/// Compares the fixture after the first fix of the named rule.
#[track_caller]
fn check_fix(rule: &str, fixture: &str, expect: Expect) {
    let rule = registry::find(rule).unwrap();
    expect.assert_eq(&apply_fixes(fixture, rule));
}

/// Fixture with places for features.
pub(crate) struct Fixture(base::Fixture);

impl Deref for Fixture {
    type Target = base::Fixture;

    fn deref(&self) -> &base::Fixture {
        &self.0
    }
}

impl Fixture {
    /// Parses a fixture. Each `$0` is removed and recorded as a cursor.
    pub(crate) fn new(fixture: &str) -> Self {
        Self(base::Fixture::new(fixture))
    }

    /// Returns the place of the only cursor.
    #[track_caller]
    pub(crate) fn place(&self) -> Place<'_> {
        let [(file, offset)] = self.cursors[..] else { panic!("a fixture with one $0") };
        self.place_at(file, offset)
    }

    pub(crate) fn place_at(&self, file: FileId, offset: TextSize) -> Place<'_> {
        Place::new(&self.0, file, offset).unwrap()
    }
}

impl Analysis for Fixture {
    fn program(&self) -> &Program {
        self.0.program()
    }

    fn types(&self) -> &ProgramTypes {
        self.0.types()
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        self.0.source(file)
    }
}

macro_rules! example {
    ($name:literal) => {
        example!($name: "schemas.gl", "campaign.mg", "constitution.mg", "context.mg", "facts.mg", "learning.mg", "recovery.mg", "routing.mg")
    };
    ($name:literal: $($file:literal),*) => {
        [$((
            $file,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/", $name, "/", $file)),
        )),*]
    };
}

/// Visits places of the examples at a distance of `step` bytes, in intact text and in text with
/// truncated lines.
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
                visit(fixture.place_at(file, mangle_syntax::text::size(at)));
            }
        }
    }
}
