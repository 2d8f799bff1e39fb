//! Predicates that are evaluated where they are asked for: all modes, called with and without values.

use std::fmt::Write as _;

use super::{Random, chance, pick};

pub(super) fn program(random: &mut Random) -> Vec<String> {
    let mut text = String::new();
    for _ in 0..2 + random.below(4) {
        let _ = writeln!(text, "e({}, {}).", random.below(4), random.below(4));
    }
    let _ = writeln!(text, "n(1). n(2).");
    let modes = &["+", "-", "?", "+", "-"];
    let count = 1 + random.below(2);
    for at in 0..count {
        let (one, other) = (pick(random, modes), pick(random, modes));
        let _ = writeln!(text, "Decl d{at}(P, Q) descr [deferred(), mode(\"{one}\", \"{other}\")].");
        for _ in 0..1 + random.below(2) {
            // Variables of their own, so that they do not clash with those of a caller.
            let (head, body) = callee(random, at);
            let _ = writeln!(text, "d{at}({head}) :- {body}.");
        }
    }
    for at in 0..1 + random.below(3) {
        let (one, other) = (argument(random), argument(random));
        let call = format!("d{}({one}, {other})", random.below(count));
        let mut premises = vec!["e(A, B)".to_owned()];
        let place = if chance(random, 20) { 0 } else { 1 };
        premises.insert(place, call);
        if chance(random, 30) {
            premises.push(pick(random, &["n(A)", "!n(A)", "A < B", "A != B", "n(B)"]).to_owned());
        }
        let is_variable = |arg: &&String| arg.chars().all(|letter| letter.is_ascii_uppercase());
        let mut bound: Vec<&str> =
            [&one, &other].into_iter().filter(is_variable).map(String::as_str).collect();
        bound.extend(["A", "B"]);
        let head = format!("{}, {}", pick(random, &bound), pick(random, &bound));
        let _ = writeln!(text, "r{at}({head}) :- {}.", premises.join(", "));
    }
    vec![text]
}

fn callee(random: &mut Random, at: usize) -> (String, String) {
    let suffix = if at == 0 { "" } else { "1" };
    let (p, q) = (format!("P{suffix}"), format!("Q{suffix}"));
    let head = match random.below(12) {
        0 => format!("1, {q}"),
        1 => format!("{p}, 2"),
        2 => format!("{p}, {p}"),
        _ => format!("{p}, {q}"),
    };
    let body = match random.below(7) {
        0..3 => format!("e({p}, {q})"),
        3 => format!("e({q}, {p})"),
        4 => format!("{q} = fn:plus({p}, 1)"),
        5 => format!("n({p}), {q} = 2"),
        _ => format!("{p} > 0, e({p}, {q})"),
    };
    (head, body)
}

fn argument(random: &mut Random) -> String {
    pick(random, &["A", "B", "C", "D", "A", "B", "C", "D", "1", "2", "_", "A"]).to_owned()
}
