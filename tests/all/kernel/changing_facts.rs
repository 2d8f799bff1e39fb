//! Facts that come and go: what follows is always what a fresh evaluation of the same facts gives, and only what is
//! downstream of a change is worked out again.

use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use mangle_engine::kernel::{
    Clock, CompiledProgram, Datum, Fact, Kernel, Limits, Reading, RuleId, StopReason, compile,
};
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_syntax::text::{Cancel, Symbol};
use support::Random;

const CLOCK: Clock = Clock { now_ns: 0 };

/// Recursion, negation, aggregation, facts that are merged, and a part that depends on none of it.
const RULES: &str = "\
    edge(1, 2). edge(2, 3). node(0). colour(1, /red).
    Decl edge(X, Y). Decl node(X). Decl closed(X). Decl colour(X, C).
    reach(X, Y) :- edge(X, Y), !closed(X).
    reach(X, Z) :- reach(X, Y), reach(Y, Z).
    lonely(X) :- node(X), !reach(X, _), !reach(_, X).
    degree(X, N) :- edge(X, Y), node(X) |> do fn:group_by(X), let N = fn:count().
    busy(X) :- degree(X, N), N > 2.
    closed(X) :- busy(X), node(X).
    Decl top(X, Y) descr [fundep([X], [Y]), merge([Y], \"bigger\")].
    Decl bigger(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].
    bigger(A, B, A) :- B <= A. bigger(A, B, B) :- A < B.
    top(X, Y) :- edge(X, Y).
    peak(Y) :- top(_, Y), !edge(Y, _).
    red(X) :- colour(X, /red).
    other(X) :- red(X), !colour(X, /blue).";

/// A fact of `RULES`: the name of its predicate and its arguments.
type Row = (&'static str, Vec<i64>);

struct World {
    program: Program,
    compiled: Arc<CompiledProgram>,
}

impl World {
    fn new(reading: Reading) -> Self {
        // `closed` depends on `edge` alone, not on itself, so the program is stratified.
        let program = support::program(&[RULES]);
        let compiled = compile(&program, reading);
        Self { program, compiled }
    }

    fn id(&self, name: &str, arity: usize) -> PredicateId {
        let key = PredicateKey { name: Symbol::new(name), arity: u16::try_from(arity).unwrap() };
        self.program.id(key).unwrap()
    }

    fn fact(&self, kernel: &mut Kernel, (name, args): &Row) -> Fact {
        let tuple = args.iter().map(|arg| kernel.values().intern(Datum::Number(*arg)).unwrap()).collect();
        Fact { predicate: self.id(name, args.len()), tuple, rule: RuleId::ASSERTED }
    }

    /// What follows from these facts alone.
    fn fresh(&self, rows: &BTreeSet<Row>) -> Vec<String> {
        let own = self.compiled.facts().iter().map(|fact| fact.rule).collect();
        let mut kernel = Kernel::without(Arc::clone(&self.compiled), own);
        let colour = self.id("colour", 2);
        self.compiled
            .facts()
            .iter()
            .filter(|fact| fact.predicate == colour)
            .for_each(|fact| kernel.assert(fact));
        for row in rows {
            let fact = self.fact(&mut kernel, row);
            kernel.assert(&fact);
        }
        evaluate(&mut kernel);
        kernel.model().dump(&self.compiled)
    }
}

fn evaluate(kernel: &mut Kernel) {
    kernel.evaluate(Limits::default(), CLOCK, &Cancel::new());
    assert_eq!(kernel.model().stopped, None);
}

fn random_row(random: &mut Random) -> Row {
    let mut number = |below: usize| i64::try_from(random.below(below)).unwrap();
    match number(8) {
        0 | 1 => ("node", vec![number(8)]),
        2 | 3 => ("closed", vec![number(8)]),
        // What is kept of given facts that contradict each other depends on their order.
        4 => ("top", [number(8)].map(|n| vec![n, n]).concat()),
        _ => ("edge", vec![number(8), number(8)]),
    }
}

#[test]
fn what_follows_is_what_a_fresh_evaluation_gives() {
    let mut random = Random(7);
    for reading in [Reading::Engine, Reading::Intended] {
        let world = World::new(reading);
        let mut rows = BTreeSet::from([("edge", vec![1, 2]), ("edge", vec![2, 3]), ("node", vec![0])]);
        let mut kernel = Kernel::new(Arc::clone(&world.compiled));
        evaluate(&mut kernel);
        for _ in 0..300 {
            for _ in 0..=random.below(3) {
                let row = random_row(&mut random);
                let fact = world.fact(&mut kernel, &row);
                if random.below(5) < 3 {
                    kernel.assert(&fact);
                    rows.insert(row);
                } else {
                    kernel.retract(fact.predicate, &fact.tuple);
                    rows.remove(&row);
                }
            }
            evaluate(&mut kernel);
            assert_eq!(kernel.model().dump(&world.compiled), world.fresh(&rows));
        }
    }
}

#[test]
fn forks_do_not_see_each_other() {
    let world = World::new(Reading::Engine);
    let mut base = Kernel::new(Arc::clone(&world.compiled));
    evaluate(&mut base);
    let before = base.model().dump(&world.compiled);
    let forks: Vec<Vec<String>> = (3..6)
        .map(|number| {
            let mut fork = base.fork();
            let fact = world.fact(&mut fork, &("edge", vec![3, number]));
            fork.assert(&fact);
            evaluate(&mut fork);
            fork.model().dump(&world.compiled)
        })
        .collect();
    for (number, dump) in (3..6).zip(&forks) {
        assert!(dump.contains(&format!("reach(1,{number})")), "{dump:?}");
        assert_eq!(dump.iter().filter(|fact| fact.starts_with("edge")).count(), 3);
    }
    evaluate(&mut base);
    assert_eq!(base.model().dump(&world.compiled), before);
}

#[test]
fn only_what_is_downstream_is_worked_out_again() {
    let world = World::new(Reading::Engine);
    let mut kernel = Kernel::new(Arc::clone(&world.compiled));
    evaluate(&mut kernel);
    let whole = kernel.model().steps;
    evaluate(&mut kernel);
    assert_eq!(kernel.model().steps, 0, "nothing changed");
    // What is known already changes nothing, nor does a fact that comes and goes.
    let known = world.fact(&mut kernel, &("edge", vec![1, 2]));
    kernel.assert(&known);
    let brief = world.fact(&mut kernel, &("node", vec![5]));
    kernel.assert(&brief);
    kernel.retract(brief.predicate, &brief.tuple);
    evaluate(&mut kernel);
    let same = kernel.model().steps;
    // A fact whose rules derive nothing new stops there.
    let colour = world.id("colour", 2);
    let mut tuple =
        world.compiled.facts().iter().find(|fact| fact.predicate == colour).unwrap().tuple.to_vec();
    tuple[0] = kernel.values().intern(Datum::Number(2)).unwrap();
    kernel.assert(&Fact { predicate: colour, tuple: tuple.into(), rule: RuleId::ASSERTED });
    evaluate(&mut kernel);
    let coloured = kernel.model().steps;
    assert!(coloured > 0 && coloured + same < whole, "{same} and {coloured} of {whole} steps");
    assert!(kernel.model().dump(&world.compiled).contains(&"other(2)".to_owned()));
}

#[test]
fn a_stopped_evaluation_can_be_taken_up_again() {
    let world = World::new(Reading::Engine);
    let mut kernel = Kernel::new(Arc::clone(&world.compiled));
    for facts in 1..20 {
        kernel.evaluate(Limits { facts, ..Limits::default() }, CLOCK, &Cancel::new());
        let stopped = kernel.model().stopped.clone().map(|stop| stop.reason);
        assert!(stopped.is_none() || stopped == Some(StopReason::Facts(facts)), "{stopped:?}");
    }
    let cancel = Cancel::new();
    cancel.cancel();
    let fact = world.fact(&mut kernel, &("edge", vec![3, 4]));
    kernel.assert(&fact);
    kernel.evaluate(Limits::default(), CLOCK, &cancel);
    evaluate(&mut kernel);
    let rows =
        BTreeSet::from([("edge", vec![1, 2]), ("edge", vec![2, 3]), ("edge", vec![3, 4]), ("node", vec![0])]);
    assert_eq!(kernel.model().dump(&world.compiled), world.fresh(&rows));
}

/// codeNERD, if the environment names a checkout of it: for each fact of these predicates, what follows without it
/// and with it again.
#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn one_fact_of_codenerd_comes_and_goes() {
    let texts = support::corpus_texts();
    let program = support::program(&texts);
    let compiled = compile(&program, Reading::Engine);
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    evaluate(&mut kernel);
    let whole = kernel.model().steps;
    for (name, args) in [
        ("test_state", vec!["/failing"]),
        ("user_intent", vec!["/current_intent", "/mutation", "/fix", "auth.go", ""]),
    ] {
        let key = PredicateKey { name: Symbol::new(name), arity: u16::try_from(args.len()).unwrap() };
        let predicate = program.id(key).unwrap();
        let value = |arg: &str| {
            if arg.starts_with('/') { Datum::Name(arg.into()) } else { Datum::String(arg.into()) }
        };
        let mut with = kernel.fork();
        let tuple: Box<[_]> = args.iter().map(|arg| with.values().intern(value(arg)).unwrap()).collect();
        let fact = Fact { predicate, tuple, rule: RuleId::ASSERTED };
        with.assert(&fact);
        evaluate(&mut with);
        let steps = with.model().steps;
        assert!(steps * 10 <= whole * 3, "{steps} of {whole} steps");
        let mut fresh = Kernel::new(Arc::clone(&compiled));
        let tuple = args.iter().map(|arg| fresh.values().intern(value(arg)).unwrap()).collect();
        fresh.assert(&Fact { predicate, tuple, rule: RuleId::ASSERTED });
        evaluate(&mut fresh);
        assert_eq!(with.model().dump(&compiled), fresh.model().dump(&compiled));
        with.retract(predicate, &fact.tuple);
        evaluate(&mut with);
        assert_eq!(with.model().dump(&compiled), kernel.model().dump(&compiled));
    }
}

#[test]
fn differences_are_those_of_the_dumps() {
    let mut random = Random(11);
    let world = World::new(Reading::Engine);
    let mut kernel = Kernel::new(Arc::clone(&world.compiled));
    evaluate(&mut kernel);
    let dump = |kernel: &Kernel| kernel.model().dump(&world.compiled).into_iter().collect::<BTreeSet<_>>();
    let mut seen = 0;
    for _ in 0..200 {
        let before = dump(&kernel);
        kernel.mark();
        // Several evaluations may lie between.
        for _ in 0..=random.below(3) {
            for _ in 0..=random.below(3) {
                let row = random_row(&mut random);
                let fact = world.fact(&mut kernel, &row);
                match random.below(8) {
                    0 => kernel.forget(fact.predicate),
                    1..=4 => kernel.assert(&fact),
                    _ => kernel.retract(fact.predicate, &fact.tuple),
                }
            }
            evaluate(&mut kernel);
        }
        let after = dump(&kernel);
        let (mut added, mut removed) = (BTreeSet::new(), BTreeSet::new());
        for one in kernel.differences() {
            let (model, predicate) = (kernel.model(), one.predicate);
            let relation = model.relation(predicate).unwrap();
            let shown =
                |tuple: &[mangle_engine::kernel::ValueId]| model.fact(&world.compiled, predicate, tuple);
            added.extend(one.added.iter().map(|number| shown(relation.tuple(*number))));
            removed.extend(one.removed.iter().map(|tuple| shown(tuple)));
        }
        assert_eq!(added, after.difference(&before).cloned().collect());
        assert_eq!(removed, before.difference(&after).cloned().collect());
        seen += added.len() + removed.len();
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn at_another_time_only_what_looks_at_the_clock_is_evaluated_again() {
    let text = "
        Decl job(X). job(1). job(2).
        pair(X, Y) :- job(X), job(Y).
        now(T) :- job(1), T = fn:time:now().
        late(X) :- job(X), now(T), T = fn:time:now().
        Decl lease(X) temporal bound [/number].
        lease(1)@[1970-01-01, 1970-01-02].
        held(X) :- job(X), <-[0s, 36h] lease(X).";
    let program = support::program(&[text]);
    let compiled = compile(&program, Reading::Engine);
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    let steps: Vec<u64> = [1, 3_600_000_000_000, 200 * 3_600_000_000_000, 1]
        .map(|now_ns| {
            let clock = Clock { now_ns };
            kernel.evaluate(Limits::default(), clock, &Cancel::new());
            assert_eq!(kernel.model().stopped, None);
            let mut fresh = Kernel::new(Arc::clone(&compiled));
            fresh.evaluate(Limits::default(), clock, &Cancel::new());
            assert_eq!(kernel.model().dump(&compiled), fresh.model().dump(&compiled));
            assert!(kernel.model().steps <= fresh.model().steps);
            kernel.model().steps
        })
        .into();
    assert!(steps[1] < steps[0], "{steps:?}");
}
