//! Whatever a rule offers as its fix corrects the finding and damages nothing: tried on the examples, on the
//! programs of the language suites and on the bad examples of all rules, each as it is and after seeded mutations.

use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::fixes::{FixRequest, FixResult, FixWorkspace, MAX_PASSES, Unit, fix, is_safely_fixable};
use mangle_ide::registry::rules;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Applicability, Diagnostic, Group, ResolvedFix, Rule, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, apply};

use support::Random;
use support::programs::{Texts, mutate, programs};

const CLOCK: Clock = Clock { now_ns: 0 };

fn summaries(texts: &[String]) -> Vec<Arc<FileSummary>> {
    let summary = |(text, id): (&String, u32)| {
        Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
    };
    texts.iter().zip(0..).map(summary).collect()
}

/// Every rule on, also those that are off by default.
fn settings() -> RuleSettings {
    let mut settings = RuleSettings::default();
    for rule in rules().filter(|rule| rule.severity.is_none()) {
        settings.set(rule, Some(Severity::Hint));
    }
    settings
}

fn found(texts: &[String], settings: &RuleSettings) -> Vec<(FileId, Diagnostic)> {
    let all = diagnostics(
        &Program::new(summaries(texts)),
        settings,
        &FindingCache::new(mangle_ide::registry::all()),
    );
    let all = all.into_iter();
    all.flat_map(|(file, found)| found.into_iter().map(move |diagnostic| (file, diagnostic))).collect()
}

fn fixed(texts: &[String], guesses: bool) -> (Texts, FixResult) {
    let files: Vec<_> = summaries(texts).into_iter().map(|file| (file.id, file)).collect();
    let ids: Vec<_> = files.iter().map(|(id, _)| *id).collect();
    let unit = Unit {
        files: ids.clone(),
        reported: ids,
        rules: Arc::new(settings()),
        embedding: Arc::default(),
        cache: Arc::new(FindingCache::new(mangle_ide::registry::all())),
    };
    let mut bench = FixWorkspace { units: vec![unit], files: files.into_iter().collect() };
    let wish = FixRequest {
        include_unsafe: guesses,
        evidence: false,
        wanted: &|_, _| true,
        editable: &|_| true,
        passes: MAX_PASSES,
    };
    let fixed = fix(&mut bench, wish);
    let mut new = texts.to_vec();
    for file in &fixed.changed {
        new[file.id.0 as usize] = file.text.to_string();
    }
    (new, fixed)
}

/// The texts after one fix.
fn after(texts: &[String], fix: &ResolvedFix) -> Texts {
    let mut new = texts.to_vec();
    for (text, id) in new.iter_mut().zip(0..) {
        let mut edits: Vec<_> = fix.edits.iter().filter(|edit| edit.file == FileId(id)).collect();
        edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
        *text = apply(text, edits.iter().map(|edit| (edit.range, edit.text.as_str()))).unwrap();
    }
    new
}

fn is_syntax_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.rule.group == Group::Syntax && diagnostic.rule.severity == Some(Severity::Error)
}

/// Whether a rule finds more errors than before. Of damage that comes to light because the first one is fixed, what a safe
/// fix ends does not count.
fn brings_error(before: &[(FileId, Diagnostic)], after: &[(FileId, Diagnostic)]) -> bool {
    let comes_to_light = |one: &Diagnostic| one.rule.group == Group::Syntax && is_safely_fixable(one);
    let counts = |one: &Diagnostic| one.severity == Severity::Error && !comes_to_light(one);
    let count = |found: &[(FileId, Diagnostic)], rule: &str| {
        found.iter().filter(|(_, one)| counts(one) && one.rule.code == rule).count()
    };
    let more = |one: &Diagnostic| count(after, one.rule.code) > count(before, one.rule.code);
    after.iter().any(|(_, one)| counts(one) && more(one))
}

/// Whether what a rule finds has a meaning as it is written: a name with the full stop behind it is not what was meant, and a
/// call whose arguments are not bound is not made.
fn is_evaluated(rule: &Rule) -> bool {
    rule.group != Group::Syntax && rule.name != "input-before-binding"
}

/// Whether a program derives a fact that another one does not derive, of the predicates that this one has.
fn holds_more(before: &[String], after: &[String]) -> bool {
    // What cannot be evaluated as it is written derives nothing that could be compared.
    let derived = |texts: &[String]| -> Option<BTreeSet<String>> {
        let compiled = compile(&Program::new(summaries(texts)), Reading::Intended);
        let model = run(&compiled, Limits { derived: 20_000, ..Limits::default() }, CLOCK, &Cancel::new());
        let is_whole = compiled.faults.is_empty() && model.errors.is_empty() && model.stopped.is_none();
        is_whole.then(|| model.dump(&compiled).into_iter().collect())
    };
    let (Some(old), Some(new)) = (derived(before), derived(after)) else { return false };
    let names: BTreeSet<_> =
        summaries(before).iter().flat_map(|file| file.predicates.keys().copied()).collect();
    let is_known = |fact: &&String| names.iter().any(|key| fact.starts_with(&format!("{}(", key.name)));
    new.difference(&old).any(|fact| is_known(&fact))
}

/// How many statements can be read whole.
fn sound(texts: &[String]) -> usize {
    let files = summaries(texts);
    files.iter().flat_map(|file| file.items.iter()).filter(|item| !item.statement.damaged).count()
}

/// What is wrong with the single fixes that a program is offered.
fn wrong_single(texts: &[String], settings: &RuleSettings, every: usize) -> Vec<String> {
    let before = found(texts, settings);
    let mut wrong = Vec::new();
    for (file, diagnostic) in before.iter().step_by(every) {
        let Some(fix) = &diagnostic.fix else { continue };
        let new = after(texts, fix);
        let left = found(&new, settings);
        let count = |found: &[(FileId, Diagnostic)], test: &dyn Fn(&Diagnostic) -> bool| {
            found.iter().filter(|(_, diagnostic)| test(diagnostic)).count()
        };
        let same = |other: &Diagnostic| other.rule == diagnostic.rule && other.message == diagnostic.message;
        let is_safe = fix.applicability == Applicability::Safe;
        let complaint = if count(&left, &same) >= count(&before, &same) {
            "does not fix it"
        } else if is_safe && brings_error(&before, &left) {
            "is safe and brings an error"
        } else if is_safe
            && is_evaluated(diagnostic.rule)
            && sound(&new) == sound(texts)
            && holds_more(texts, &new)
        {
            "is safe and makes more hold"
        } else if count(&left, &is_syntax_error) > count(&before, &is_syntax_error)
            // Behind the first damage of a statement there may be more, which shows when that is fixed; a guess may be wrong.
            && !((diagnostic.rule.group == Group::Syntax || fix.applicability == Applicability::Unsafe)
                && sound(&new) >= sound(texts))
        {
            "damages"
        } else {
            continue;
        };
        wrong.push(format!(
            "{} `{}` {complaint}: {}\n--- before ({})\n{}\n--- after\n{}",
            diagnostic.rule.name,
            fix.title,
            diagnostic.message,
            file.0,
            excerpt(texts, diagnostic, *file),
            excerpt(&new, diagnostic, *file),
        ));
    }
    wrong
}

/// Some lines around a diagnostic.
fn excerpt(texts: &[String], diagnostic: &Diagnostic, file: FileId) -> String {
    let text = &texts[file.0 as usize];
    let mut at = usize::from(diagnostic.range.start()).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let line = text[..at].matches('\n').count();
    text.split('\n').skip(line.saturating_sub(2)).take(6).map(|line| format!("    {line}\n")).collect()
}

/// What is wrong after all fixes of a program.
fn wrong_whole(texts: &[String], settings: &RuleSettings) -> Vec<String> {
    let mut wrong = Vec::new();
    let (new, safe) = fixed(texts, false);
    let describe = |what: &str, diagnostic: &Diagnostic, file: FileId, texts: &[String]| {
        format!(
            "{} {what}: {}\n{}",
            diagnostic.rule.name,
            diagnostic.message,
            excerpt(texts, diagnostic, file)
        )
    };
    for (file, diagnostic) in found(&new, settings).iter().filter(|(_, found)| is_safely_fixable(found)) {
        wrong.push(describe("is left", diagnostic, *file, &new));
    }
    let (guessed, all) = fixed(texts, true);
    for (whole, guesses) in [(&new, false), (&guessed, true)] {
        let (again, _) = fixed(whole, guesses);
        if again != *whole {
            wrong.push(format!(
                "a second run fixes more (guesses: {guesses})\n--- first\n{whole:?}\n--- second\n{again:?}"
            ));
        }
    }
    // A guess may well be wrong.
    for (file, diagnostic) in &safe.done.failed {
        wrong.push(describe("was taken back", diagnostic, *file, texts));
    }
    if safe.done.endless || all.done.endless {
        wrong.push(format!("fixes undo each other\n{texts:?}"));
    }
    wrong
}

fn report(wrong: &[String], count: usize) {
    let mut shown: Vec<_> = wrong.to_vec();
    shown.sort();
    shown.truncate(40);
    assert!(wrong.is_empty(), "{} of {count} tries:\n\n{}", wrong.len(), shown.join("\n\n"));
}

#[test]
fn programs_as_they_are() {
    let (mut wrong, settings, programs) = (Vec::new(), settings(), programs());
    assert!(programs.len() > 200, "only {} programs were found", programs.len());
    for (name, texts) in &programs {
        let of_program = wrong_single(texts, &settings, 1).into_iter().chain(wrong_whole(texts, &settings));
        wrong.extend(of_program.map(|complaint| format!("{name}: {complaint}")));
    }
    report(&wrong, programs.len());
}

/// The factor by which more mutations are made than usual.
fn times_more() -> u64 {
    std::env::var("FIX_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn programs_after_mutations() {
    let (mut wrong, settings, programs) = (Vec::new(), settings(), programs());
    let (more, mut count) = (times_more(), 0);
    for (index, (name, texts)) in (0..).zip(&programs) {
        let tries = if texts.len() > 5 { 4 } else { 2 };
        for seed in 0..tries * more {
            let mut random = Random(index * 1_000 + seed);
            let mut texts = texts.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut texts, &mut random);
            }
            count += 1;
            let of_program =
                wrong_single(&texts, &settings, 1).into_iter().chain(wrong_whole(&texts, &settings));
            wrong.extend(of_program.map(|complaint| format!("{name} seed {seed}: {complaint}")));
        }
    }
    eprintln!("{count} mutated programs");
    report(&wrong, count);
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn the_corpus() {
    let texts = support::corpus_texts();
    let texts: Texts = texts.iter().map(ToString::to_string).collect();
    let settings = settings();
    let fixable = found(&texts, &settings).iter().filter(|(_, found)| found.fix.is_some()).count();
    let mut wrong = wrong_single(&texts, &settings, (fixable / 40).max(1));
    wrong.extend(wrong_whole(&texts, &settings));
    report(&wrong, fixable);
}
