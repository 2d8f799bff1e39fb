//! One fact of codeNERD that comes and goes, as a ratio to an evaluation from the start (budget 0.3).

use std::sync::Arc;

use mangle_engine::kernel::{Clock, Datum, Fact, Kernel, Limits, Reading, RuleId, compile};
use mangle_engine::program::PredicateKey;
use mangle_syntax::text::{Cancel, Symbol};

use super::{fastest, milliseconds, support};

const CLOCK: Clock = Clock { now_ns: 0 };
const RUNS: u32 = 50;

/// The facts: a predicate and its arguments.
const FACTS: [(&str, &[&str]); 2] = [
    ("test_state", &["/failing"]),
    ("user_intent", &["/current_intent", "/mutation", "/fix", "auth.go", ""]),
];

pub(crate) fn measure() {
    let Some(texts) = support::kernel_texts() else { return };
    let program = support::program(&texts);
    let compiled = compile(&program, Reading::Engine);
    let evaluate = |kernel: &mut Kernel| kernel.evaluate(Limits::default(), CLOCK, &Cancel::new());
    let whole = fastest(RUNS, || {
        let mut kernel = Kernel::new(Arc::clone(&compiled));
        evaluate(&mut kernel);
        kernel
    });
    println!("codeNERD from the start {:42.3} ms", milliseconds(whole));
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    evaluate(&mut kernel);
    for (name, args) in FACTS {
        let arity = u16::try_from(args.len()).unwrap();
        let predicate = program.id(PredicateKey { name: Symbol::new(name), arity }).unwrap();
        let datum = |arg: &&str| match arg.starts_with('/') {
            true => Datum::Name((*arg).into()),
            false => Datum::String((*arg).into()),
        };
        let tuple: Box<[_]> = args.iter().map(|arg| kernel.values().intern(datum(arg)).unwrap()).collect();
        let fact = Fact { predicate, tuple, rule: RuleId::ASSERTED };
        // It comes and goes in each run, so one change is half of it.
        let both = fastest(RUNS, || {
            kernel.assert(&fact);
            evaluate(&mut kernel);
            kernel.retract(predicate, &fact.tuple);
            evaluate(&mut kernel);
        });
        let ratio = both.as_secs_f64() / 2.0 / whole.as_secs_f64();
        println!("  {name} changed {:47.3} ms {ratio:6.2} x", milliseconds(both) / 2.0);
    }
    let fork = fastest(RUNS, || kernel.fork());
    println!("  a fork {:54.3} ms", milliseconds(fork));
}
