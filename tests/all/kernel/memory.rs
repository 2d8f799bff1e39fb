//! What an evaluation says that it takes is what the process takes.
//!
//! Each program is evaluated in a process of its own, this test started again. Its peak (`VmHWM`) is compared with what
//! the kernel counted. Only Linux tells it; elsewhere nothing is measured, and the test says so.

use crate::support;

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_syntax::text::Cancel;

/// Names the file of the program in the environment of the process that evaluates it: what else that process had made
/// and freed would be used again, and not be seen.
const PROGRAM: &str = "MANGLE_LS_MEMORY_PROGRAM";

const MIB: usize = 1 << 20;

/// How far the count may be from the growth of the peak, besides a quarter: the allocator uses pages again that were
/// freed before the evaluation, of which reading the program leaves about six MiB.
const SLACK: usize = 8 * MIB;

/// Smaller programs say nothing.
const LEAST: usize = 14 * MIB;

/// So many facts `n(0)` … that the rules below have something to do.
fn numbers(count: usize) -> String {
    format!("n(0). n(Y) :- n(X), X < {count}, Y = fn:plus(X, 1).\n")
}

fn programs() -> Vec<(&'static str, String)> {
    let wide = (0..40).map(|at| format!("fn:plus(X, {at})")).collect::<Vec<_>>();
    let columns = (0..40).map(|at| format!("C{at}")).collect::<Vec<_>>();
    let computed = columns.iter().zip(&wide).map(|(column, value)| format!("{column} = {value}"));
    let computed = computed.collect::<Vec<_>>().join(", ");
    let mut many = numbers(6_000);
    for at in 0..150 {
        let _ = writeln!(many, "p{at}(X, Y) :- n(X), Y = fn:plus(X, {at}).");
    }
    let facts: String = (0..90_000).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "given({at}, \"text {at} of a fact\", /name{at}).");
        text
    });
    let indices = "k(A, B, C, D) :- n(X), A = fn:plus(X, 0), B = fn:plus(X, 1), C = fn:plus(X, 2), D = fn:plus(X, 3).\n\
        hit(X) :- n(X), k(X, _, _, _). hit(X) :- n(X), k(_, X, _, _). hit(X) :- n(X), k(_, _, X, _).\n\
        hit(X) :- n(X), k(_, _, _, X). hit(X) :- n(X), k(X, Y, _, _), k(_, X, Y, _), k(_, _, X, Y).\n";
    vec![
        ("many facts", numbers(400_000)),
        ("facts of the program", format!("{facts}all(X, Y) :- given(X, Y, _).\n")),
        ("wide tuples", format!("{}w({}) :- n(X), {computed}.\n", numbers(120_000), columns.join(", "))),
        ("many indices", format!("{}{indices}", numbers(200_000))),
        ("texts", format!("{}t(T) :- n(X), T = fn:string:concat(\"a text that is somewhat longer \", X).\n", numbers(150_000))),
        ("long texts", format!("t(\"{}\", 0).\nt(T, Y) :- t(S, X), X < 600, Y = fn:plus(X, 1), T = fn:string:concat(S, \"{}\").\n", "a".repeat(1000), "b".repeat(300))),
        ("lists", "l([0], 0).\nl(M, Y) :- l(L, X), X < 6000, Y = fn:plus(X, 1), M = fn:list:append(L, Y).\n".to_owned()),
        ("maps", format!("{}m(M) :- n(X), Y = fn:plus(X, 1), M = fn:map(/a, X, /b, Y, X, /c).\n", numbers(250_000))),
        ("structs", format!("{}s(M) :- n(X), Y = fn:plus(X, 1), M = fn:struct(/a, X, /b, Y, /c, X).\n", numbers(250_000))),
        ("pairs", format!("{}p(P) :- n(X), P = fn:pair(X, X). q(P) :- p(X), P = fn:pair(X, X).\n", numbers(120_000))),
        ("aggregation", format!("{}g(K, X) :- n(X), K = fn:minus(X, X). s(K, L) :- g(K, X) |> do fn:group_by(K), let L = fn:collect(X).\n", numbers(300_000))),
        ("recursion", "e(0, 1). e(Y, Z) :- e(X, Y), Y < 1100, Z = fn:plus(Y, 1).\nr(X, Y) :- e(X, Y). r(X, Z) :- r(X, Y), e(Y, Z).\n".to_owned()),
        ("many rules", many),
        ("cross product", format!("{}c(X, Y) :- n(X), n(Y).\n", numbers(900))),
    ]
}

fn limits() -> Limits {
    Limits { time: Duration::MAX, steps: u64::MAX, ..Limits::default() }
}

/// A field of `/proc/self/status` in bytes.
fn status(field: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The process that evaluates: prints what was counted and what was measured.
#[test]
fn evaluate_one() {
    let Ok(name) = std::env::var(PROGRAM) else { return };
    let (name, bytes) =
        name.split_once('=').map_or((name.as_str(), None), |(name, limit)| (name, limit.parse().ok()));
    let program = support::program(&[std::fs::read_to_string(name).unwrap()]);
    let before = status("VmRSS").unwrap();
    let compiled = compile(&program, Reading::Intended);
    assert_eq!(compiled.faults, []);
    let limits = Limits { bytes: bytes.unwrap_or(usize::MAX), ..limits() };
    let model = run(&compiled, limits, Clock { now_ns: 0 }, &Cancel::new());
    let stopped = model.stopped.as_ref().map_or("no".to_owned(), |stop| stop.reason.to_string());
    let measured = status("VmHWM").unwrap().saturating_sub(before);
    println!("\ncounted={} measured={measured} stopped={stopped}", model.peak_bytes);
}

/// What a process counted and measured, and why it stopped.
fn measured(program: &str, limit: Option<usize>) -> (usize, usize, String) {
    let (_, text) = programs().into_iter().find(|(known, _)| *known == program).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let path = file.path().display().to_string();
    let name = limit.map_or_else(|| path.clone(), |limit| format!("{path}={limit}"));
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["kernel::memory::evaluate_one", "--exact", "--nocapture", "--test-threads=1"])
        .env(PROGRAM, name)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {text}{}", String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find(|line| line.starts_with("counted=")).unwrap();
    let field = |name: &str| line.split_once(&format!("{name}=")).unwrap().1;
    let number = |name: &str| field(name).split(' ').next().unwrap().parse().unwrap();
    (number("counted"), number("measured"), field("stopped").to_owned())
}

fn can_measure() -> bool {
    let can = status("VmHWM").is_some();
    if !can {
        eprintln!("not measured: this system does not tell the peak of a process");
    }
    can
}

#[test]
fn what_is_counted_is_what_the_process_takes() {
    if !can_measure() {
        return;
    }
    let mut wrong = Vec::new();
    for (name, _) in programs() {
        let (counted, measured, stopped) = measured(name, None);
        println!("{name:<22} counted {:>5} MiB, measured {:>5} MiB", counted / MIB, measured / MIB);
        assert_eq!(stopped, "no", "{name}");
        assert!(measured > LEAST, "{name} is too small to say anything: {measured}");
        if counted.abs_diff(measured) > measured / 4 + SLACK {
            wrong.push(format!("{name}: counted {counted}, measured {measured}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_limit_is_kept() {
    if !can_measure() {
        return;
    }
    for (name, _) in programs().into_iter().step_by(3) {
        let (whole, _, _) = measured(name, None);
        let limit = whole / 2;
        let (counted, measured, stopped) = measured(name, Some(limit));
        assert_eq!(stopped, format!("more than {limit} bytes of memory"), "{name}");
        assert!(counted <= limit + limit / 4 + SLACK, "{name}: counted {counted} of {limit}");
        assert!(measured <= limit + limit / 4 + SLACK, "{name}: measured {measured} of {limit}");
    }
}
