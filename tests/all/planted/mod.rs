//! No safe fix makes more hold than was meant: habits of other languages are planted in generated clauses, what is safe is
//! applied, and both programs are evaluated in generated worlds.
//!
//! `MANGLE_LS_PLANTED` sets the number of times that each habit is planted.

mod clause;
mod habits;
use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::fixes::{FixRequest, FixWorkspace, MAX_PASSES, Unit, fix};
use mangle_ide::registry::rules;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

use clause::{Kind, SCHEMA, value};
use habits::{HABITS, Planted};
use support::Random;

/// The number of times that each habit is planted.
const PLANTED: usize = 150;
/// So many clauses are in one program.
const TOGETHER: usize = 80;
/// Of so many programs one is looked at fix by fix.
const FIX_BY_FIX: usize = 8;

const SCHEMA_FILE: FileId = FileId(0);
const FILE: FileId = FileId(1);

fn summary(id: FileId, text: &str) -> Arc<FileSummary> {
    Arc::new(FileSummary::new(id, &SourceFile::parse(text.into()).without_tree()))
}

/// Facts for all predicates.
fn world(random: &mut Random) -> String {
    let mut facts = String::new();
    let mut add = |name: &str, kinds: &[Kind], random: &mut Random| {
        let args: Vec<_> = kinds.iter().map(|kind| value(*kind, random)).collect();
        facts.push_str(&format!("{name}({}).\n", args.join(", ")));
    };
    for _ in 0..3 {
        for name in ["req", "listed", "spare"] {
            add(name, &[Kind::Name], random);
        }
        add("link", &[Kind::Name, Kind::Name], random);
        add("score", &[Kind::Name, Kind::Number], random);
        add("path", &[Kind::Name, Kind::Text], random);
        add("health", &[Kind::Name, Kind::Name, Kind::Number], random);
    }
    for name in ["halted", "open"] {
        if random.below(2) == 0 {
            add(name, &[], random);
        }
    }
    facts
}

/// Without the rules that are no errors by default, so that nothing but the habits is fixed.
fn only_errors() -> Arc<RuleSettings> {
    let mut settings = RuleSettings::default();
    for rule in rules().filter(|rule| rule.severity != Some(Severity::Error)) {
        settings.set(rule, None);
    }
    Arc::new(settings)
}

/// All that a program derives.
fn derived(program: &Program) -> BTreeSet<String> {
    let compiled = compile(program, Reading::Intended);
    let model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
    assert_eq!(model.stopped, None);
    model.dump(&compiled).into_iter().collect()
}

/// Programs with clauses, some of them as they are written by habit.
struct Batch {
    schema: Arc<FileSummary>,
    cache: Arc<FindingCache>,
    rules: Arc<RuleSettings>,
}

impl Batch {
    fn program(&self, text: &str) -> Program {
        Program::new(vec![Arc::clone(&self.schema), summary(FILE, text)])
    }

    fn found(&self, text: &str) -> Vec<Diagnostic> {
        let found = diagnostics(&self.program(text), &self.rules, &self.cache);
        found.into_iter().filter(|(file, _)| *file == FILE).flat_map(|(_, found)| found).collect()
    }

    /// The text after all safe fixes.
    fn fixed(&self, text: &str) -> String {
        let files = [(SCHEMA_FILE, Arc::clone(&self.schema)), (FILE, summary(FILE, text))];
        let unit = Unit {
            files: vec![SCHEMA_FILE, FILE],
            reported: vec![FILE],
            rules: Arc::clone(&self.rules),
            embedding: Arc::default(),
            cache: Arc::clone(&self.cache),
        };
        let mut bench = FixWorkspace { units: vec![unit], files: files.into_iter().collect() };
        let wish = FixRequest {
            include_unsafe: false,
            evidence: false,
            wanted: &|_, _| true,
            editable: &|_| true,
            passes: MAX_PASSES,
        };
        fix(&mut bench, wish);
        bench.files[&FILE].text.to_string()
    }
}

/// What came of one habit.
#[derive(Default)]
struct Tally {
    planted: usize,
    /// How many clauses are after all safe fixes what was meant.
    same: usize,
    wrong: Vec<String>,
}

fn try_habit(number: usize, times: usize) -> Tally {
    let (name, _, plant) = HABITS[number];
    let mut random = Random(number as u64 * 7_919 + 1);
    let mut tally = Tally::default();
    let mut attempts = 0;
    while tally.planted < times {
        let mut all: Vec<Planted> = Vec::new();
        while all.len() < TOGETHER.min(times - tally.planted) {
            attempts += 1;
            assert!(attempts < times * 200, "`{name}` is hardly ever planted");
            let head = format!("goal{}", all.len());
            all.extend(plant(&clause::clause(&head, &mut random), &mut random));
        }
        tally.planted += all.len();
        judge(&all, &mut random, &mut tally);
    }
    tally
}

fn judge(all: &[Planted], random: &mut Random, tally: &mut Tally) {
    let facts = world(random);
    let schema = summary(SCHEMA_FILE, &format!("{SCHEMA}{facts}"));
    let batch = Batch {
        schema,
        cache: Arc::new(FindingCache::new(mangle_ide::registry::all())),
        rules: only_errors(),
    };
    let join = |part: fn(&Planted) -> &String| {
        all.iter().map(|one| format!("{}\n\n", part(one))).collect::<String>()
    };
    let (meant, written) = (join(|one| &one.meant), join(|one| &one.written));
    let fixed = batch.fixed(&written);
    // What holds before anything is fixed is not the fixes' doing: a premise on a line of its own may be a fact already.
    let before = derived(&batch.program(&written));
    let given: String =
        before.iter().filter(|fact| !fact.starts_with("goal")).map(|fact| format!("{fact} .\n")).collect();
    let wanted = derived(&batch.program(&format!("{meant}{given}")));
    let got = derived(&batch.program(&fixed));
    let is_news = |fact: &&String| fact.starts_with("goal") && !before.contains(*fact);
    for fact in got.difference(&wanted).filter(is_news) {
        let head = fact.split('(').next().unwrap();
        let at: usize = head.trim_start_matches("goal").parse().unwrap();
        let lines: Vec<_> = fixed.split("\n\n").filter(|part| part.contains(&format!("{head}("))).collect();
        let Planted { meant, written } = &all[at];
        tally.wrong.push(format!(
            "{fact}\n--- meant\n{meant}\n--- written\n{written}\n--- fixed\n{}",
            lines.join("\n")
        ));
    }
    let digests = |text: &str| -> BTreeSet<u64> {
        SourceFile::parse(text.into()).items().iter().map(|item| item.statement.digest).collect()
    };
    let fixed = digests(&fixed);
    tally.same += all.iter().filter(|one| digests(&one.meant).is_subset(&fixed)).count();
    if random.below(FIX_BY_FIX) == 0 {
        new_errors(&batch, &written, random, tally);
    }
}

/// What the engine rejects, and whether a fix of a finding is safe.
fn errors(found: &[Diagnostic]) -> Vec<&'static str> {
    let all = found.iter().filter(|one| one.severity == Severity::Error);
    all.map(|one| one.rule.name).collect()
}

/// One safe fix alone brings no error that was not there.
fn new_errors(batch: &Batch, written: &str, random: &mut Random, tally: &mut Tally) {
    let found = batch.found(written);
    let before = errors(&found);
    let safe: Vec<_> = found.iter().filter(|one| mangle_ide::fixes::is_safely_fixable(one)).collect();
    let Some(one) = safe.get(random.below(safe.len())) else { return };
    let edits = one.fix.as_ref().unwrap().edits.iter().map(|edit| (edit.range, edit.text.as_str()));
    let text = mangle_syntax::text::apply(written, edits).unwrap();
    let after = errors(&batch.found(&text));
    let new = after.iter().find(|rule| !before.contains(rule));
    if after.len() > before.len() || new.is_some() {
        let line = written[..usize::from(one.range.start())].matches('\n').count();
        let line = written.lines().nth(line).unwrap();
        tally.wrong.push(format!("{} brings {new:?}: {line}", one.rule.name));
    }
}

#[test]
fn no_safe_fix_makes_more_hold_than_was_meant() {
    let times =
        std::env::var("MANGLE_LS_PLANTED").ok().and_then(|times| times.parse().ok()).unwrap_or(PLANTED);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let tallies = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if number >= HABITS.len() {
                        break;
                    }
                    let tally = try_habit(number, times);
                    tallies.lock().unwrap().push((number, tally));
                }
            });
        }
    });
    let mut wrong = Vec::new();
    for (number, tally) in tallies.into_inner().unwrap() {
        let (name, least, _) = HABITS[number];
        let share = tally.same * 100 / tally.planted.max(1);
        eprintln!("{name}: {} planted, {share} % are what was meant after all safe fixes", tally.planted);
        if share < least {
            wrong.push(format!("{name}: only {share} % are what was meant after all safe fixes"));
        }
        let count = tally.wrong.len();
        wrong.extend(tally.wrong.into_iter().take(3).map(|one| format!("{name} ({count} times): {one}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
