//! Negations that the engine keeps, moves, drops and loses, in cycles and out of them.

use std::fmt::Write as _;

use super::{Random, chance, pick};

pub(super) fn program(random: &mut Random) -> Vec<String> {
    let mut text = String::new();
    for predicate in ["a", "b"] {
        for value in 0..3 {
            if chance(random, 60) {
                let _ = writeln!(text, "{predicate}({value}).");
            }
        }
        let _ = writeln!(text, "{predicate}(9).");
    }
    let _ = writeln!(text, "c(0, 1). c(1, 2). c(2, 0).");
    for at in 0..2 + random.below(3) {
        let mut premises = Vec::new();
        for _ in 0..1 + random.below(2) {
            premises.push(pick(random, &["a(X)", "b(X)", "c(X, Y)", "c(Y, X)", "b(Y)", "p0(X)"]).to_owned());
        }
        for _ in 0..random.below(3) {
            let name = pick(random, &["a", "b", "p0", "p1", "p2", "p3"]);
            let argument = pick(random, &["X", "Y", "X", "Z", "_", "1"]);
            let place = random.below(premises.len() + 1);
            premises.insert(place, format!("!{name}({argument})"));
        }
        if chance(random, 25) {
            let place = random.below(premises.len() + 1);
            let compared = pick(random, &["X != Y", "X != 1", "X < 2", "Y = 1", "X = Y", "Z = X"]);
            premises.insert(place, compared.to_owned());
        }
        let target = if chance(random, 30) { random.below(4) } else { at.min(3) };
        let head = if chance(random, 10) { "1" } else { "X" };
        let _ = writeln!(text, "p{target}({head}) :- {}.", premises.join(", "));
    }
    for at in 0..4 {
        // All are defined.
        let _ = writeln!(text, "p{at}(X) :- a(X), b(X), X < 0.");
    }
    vec![text]
}
