//! How late a run ends that is cancelled or meets its deadline, in the worst cases that we know.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_engine::kernel::{Clock, CompiledProgram, Limits, Reading, StopReason, compile, run};
use mangle_syntax::text::Cancel;

use crate::{milliseconds, support};

/// How often each is stopped, at times spread over the whole run.
const STOPS: u32 = 100;

const LIMITS: Limits = Limits {
    facts: 100_000_000,
    derived: 100_000_000,
    steps: u64::MAX,
    time: Duration::from_millis(1500),
    bytes: 1 << 31,
};

const NUMBERS: &str = "n(0). n(Y) :- n(X), X < 600000, Y = fn:plus(X, 1).\n";

/// What takes long, by name.
const CASES: [(&str, &str); 5] = [
    ("endless recursion", "n(0). n(Y) :- n(X), Y = fn:plus(X, 1)."),
    ("cross product", "both(X, Y) :- n(X), n(Y), X < 0."),
    (
        "indices",
        "wide(X, Y, Z) :- n(X), Y = fn:mod(X, 7), Z = fn:mod(X, 11). few(3).
         a(X) :- few(Y), wide(X, Y, _). b(X) :- few(Y), wide(X, _, Y). c(X) :- few(Y), wide(X, Y, Y).
         d(X) :- few(X), wide(X, _, _). e(X) :- few(X), wide(X, X, _).",
    ),
    (
        "aggregations",
        "a(N) :- n(X) |> do fn:group_by(), let N = fn:collect(X).
         b(N) :- n(X) |> do fn:group_by(), let N = fn:collect_distinct(X).
         c(X, N) :- n(X) |> do fn:group_by(X), let N = fn:count().
         d(N) :- n(X), n(Y), Y < X |> do fn:group_by(), let N = fn:sum(X).",
    ),
    (
        "long texts",
        "t(\"abcdefgh\"). t(Y) :- t(X), Y = fn:string:concat(X, X). t(Y) :- t(X), Y = fn:string:concat(X, \"b\").",
    ),
];

pub(crate) fn measure() {
    println!(
        "how late a run ends, of {STOPS} each: by its deadline, when cancelled; p50, p99, worst (bar: p99 10 ms)"
    );
    for (name, rules) in CASES {
        let rules = if rules.starts_with("n(0)") { rules.to_owned() } else { format!("{NUMBERS}{rules}") };
        let program = support::program(&[rules]);
        let compiled = compile(&program, Reading::Intended);
        let late = |limits, cancelled| lateness(&compiled, limits, cancelled);
        let times = (1..=STOPS).map(|at| LIMITS.time * at / STOPS);
        let deadline: Vec<Duration> =
            times.clone().filter_map(|time| late(Limits { time, ..LIMITS }, None)).collect();
        let cancelled: Vec<Duration> = times
            .filter_map(|time| late(Limits { time: Duration::from_secs(60), ..LIMITS }, Some(time)))
            .collect();
        println!("{name:<18} deadline {} cancelled {}", spread(deadline), spread(cancelled));
    }
}

/// How long after its deadline, or after it was cancelled, a run ends; `None` when it came to its end before.
fn lateness(
    compiled: &Arc<CompiledProgram>,
    limits: Limits,
    cancelled: Option<Duration>,
) -> Option<Duration> {
    let cancel = Cancel::new();
    let start = Instant::now();
    std::thread::scope(|scope| {
        let canceller = cancelled.map(|time| {
            let cancel = cancel.clone();
            scope.spawn(move || {
                std::thread::sleep(time);
                let due = Instant::now();
                cancel.cancel();
                due
            })
        });
        let model = run(compiled, limits, Clock { now_ns: 0 }, &cancel);
        let end = Instant::now();
        // The thread that cancels may itself come late.
        let due = canceller.map_or(start + limits.time, |canceller| canceller.join().unwrap());
        let is_stopped = matches!(
            model.stopped.map(|stop| stop.reason),
            Some(StopReason::Time(_) | StopReason::Cancelled)
        );
        is_stopped.then(|| end.saturating_duration_since(due))
    })
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |percent: usize| {
        times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
    };
    let of = |time: Duration| format!("{:>7.2} ms", milliseconds(time));
    format!("{} {} {} ({} runs)", of(at(50)), of(at(99)), of(at(100)), times.len())
}
