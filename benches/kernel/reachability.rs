//! What can be reached over the edges of a random graph, every first proof kept, against `ascent` without proofs.

use std::fmt::Write as _;
use std::time::Duration;

use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
use mangle_syntax::text::Cancel;

use crate::support::Random;
use crate::{fastest, milliseconds, support};

/// Nodes, edges, and how often each is measured.
const GRAPHS: [(usize, usize, u32); 3] = [(200, 1_000, 50), (500, 2_500, 10), (2_000, 10_000, 3)];

const LIMITS: Limits = Limits {
    facts: 100_000_000,
    derived: 100_000_000,
    steps: u64::MAX,
    time: Duration::from_secs(600),
    bytes: usize::MAX,
};

mod compiled {
    ascent::ascent! {
        pub(super) struct Paths;
        relation edge(u32, u32);
        relation path(u32, u32);
        path(x, y) <-- edge(x, y);
        path(x, z) <-- path(x, y), edge(y, z);
    }
}

pub(crate) fn measure() {
    println!("reachability: what is reached, the kernel with proofs, ascent, ratio (bar 3.00)");
    for (nodes, edges, runs) in GRAPHS {
        one(nodes, edges, runs);
    }
}

fn one(nodes: usize, edges: usize, runs: u32) {
    let mut random = Random(7);
    let mut node = || u32::try_from(random.below(nodes)).unwrap();
    let graph: Vec<(u32, u32)> = (0..edges).map(|_| (node(), node())).collect();
    let mut text = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z).\n".to_owned();
    for (from, to) in &graph {
        let _ = writeln!(text, "edge({from}, {to}).");
    }
    let program = support::program(&[text]);
    let compiled = compile(&program, Reading::Engine);
    let ours = || {
        let model = run(&compiled, LIMITS, Clock { now_ns: 0 }, &Cancel::new());
        assert!(model.stopped.is_none());
        program.predicates.iter().zip(0..).find(|(it, _)| it.key.name.as_str() == "path").map_or(
            0,
            |(_, id)| {
                model.relation(mangle_engine::program::PredicateId(id)).map_or(0, |relation| relation.len())
            },
        )
    };
    let theirs = || {
        let mut paths = compiled::Paths::default();
        paths.edge = graph.clone();
        paths.run();
        paths.path.len()
    };
    assert_eq!(ours(), theirs());
    let reached = ours();
    let (ours, theirs) = (fastest(runs, ours), fastest(runs, theirs));
    println!(
        "{:<22} {reached:>9} {:>10.2} ms {:>10.2} ms {:>6.2}",
        format!("{nodes} nodes, {edges} edges"),
        milliseconds(ours),
        milliseconds(theirs),
        ours.as_secs_f64() / theirs.as_secs_f64()
    );
}
