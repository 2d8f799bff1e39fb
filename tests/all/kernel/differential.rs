//! The kernel derives what the second evaluator (`tests/all/naive`) derives, on thousands of generated programs.

use crate::naive;

use std::collections::BTreeMap;

use naive::compare::disagreement;
use naive::evaluate::evaluate;
use naive::syntax::Program;

const PROGRAMS: u64 = 3000;
const FUEL: usize = 150_000;

/// The smallest program found by leaving clauses and premises out that still disagrees.
fn shrunk(mut program: Program) -> Program {
    let disagrees =
        |program: &Program| std::panic::catch_unwind(|| disagreement(program, FUEL)).ok().flatten().is_some();
    let mut at = 0;
    while at < program.clauses.len() {
        let mut less = program.clone();
        less.clauses.remove(at);
        if disagrees(&less) {
            program = less;
            continue;
        }
        let mut premise = 0;
        while premise < program.clauses[at].body.len() {
            let mut less = program.clone();
            less.clauses[at].body.remove(premise);
            if !less.clauses[at].body.is_empty() && disagrees(&less) {
                program = less;
            } else {
                premise += 1;
            }
        }
        at += 1;
    }
    program
}

#[test]
fn generated_programs_agree() {
    let mut wrong = Vec::new();
    for seed in 0..PROGRAMS {
        let program = naive::generate::program(seed);
        if disagreement(&program, FUEL).is_some() {
            let small = shrunk(program);
            wrong.push(format!("seed {seed}\n{small}{}", disagreement(&small, FUEL).unwrap()));
            if wrong.len() > 3 {
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What the programs must show, besides each comparison, built-in predicate, function and reducer that they use.
const FEATURES: &[&str] = &[
    "a third round",
    "several recursive premises",
    "three recursive premises",
    "rules of two predicates about each other",
    "a repeated variable fits",
    "a repeated variable does not fit",
    "a constant in a premise",
    "a function in a premise",
    "a negation holds",
    "a negation fails",
    "`!p(_)` holds",
    "`!p(_)` fails",
    "a let",
    "a group of several rows",
    "a function behind a reducer",
    "rows are the tuples of a relation",
    "rows are the solutions of a body",
    "two variables without a value are made equal",
    "a comparison fails",
    "a predicate without arguments",
];

#[test]
fn the_programs_show_everything() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let (mut skipped, mut faithful, mut derives) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let program = naive::generate::program(seed);
        faithful += u64::from(program.faithful);
        let Some(world) = evaluate(&program, FUEL) else {
            skipped += 1;
            continue;
        };
        let base: usize = program.clauses.iter().filter(|clause| clause.is_fact()).count();
        derives += u64::from(world.facts.values().map(std::collections::BTreeSet::len).sum::<usize>() > base);
        world.seen.into_iter().for_each(|(what, count)| *seen.entry(what).or_default() += count);
    }
    assert!(skipped * 100 < PROGRAMS, "{skipped} programs are too much work");
    assert!(faithful > PROGRAMS / 2 && faithful < PROGRAMS, "{faithful} programs without dropped negations");
    assert!(derives > PROGRAMS / 2, "{derives} programs derive more facts than they have");
    let of = |prefix: &str, names: &[&str], suffixes: &[&str]| -> Vec<String> {
        let all = names
            .iter()
            .flat_map(|name| suffixes.iter().map(move |suffix| format!("{prefix}{name}{suffix}")));
        all.collect()
    };
    let mut wanted = of("", FEATURES, &[""]);
    wanted.extend(of("", naive::generate::COMPARISONS, &[" true", " false"]));
    wanted.extend(of("", naive::generate::PREDICATES, &[" true"]));
    wanted.extend(of("!", naive::generate::TESTS, &[" true", " false"]));
    wanted.extend(of("", naive::generate::FUNCTIONS, &[""]));
    wanted.extend(of("", naive::generate::FAILING, &[" fails"]));
    wanted.extend(of("reducer ", naive::builtin::REDUCERS, &[""]));
    let rare: Vec<_> = wanted
        .iter()
        .filter(|what| seen.get(*what).copied().unwrap_or(0) < 10)
        .map(|it| (it, seen.get(it)))
        .collect();
    assert!(rare.is_empty(), "hardly ever seen: {rare:?} in {seen:#?}");
}
