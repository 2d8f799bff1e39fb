//! Facts in time: intervals with and without ends, premises with intervals and operators, recursion.

use std::fmt::Write as _;

use super::{Random, chance, pick};

/// The instants of facts and premises, around the time of evaluation: 2026-01-31T12:00:00Z.
const INSTANTS: &[&str] = &[
    "2026-01-01",
    "2026-01-15",
    "2026-01-30",
    "2026-01-31",
    "2026-01-31T12:00:00Z",
    "2026-02-01",
    "2026-03-01",
];
const NAMES: &[&str] = &["/a", "/b", "/c"];
const LENGTHS: &[&str] = &["0d", "1d", "12h", "7d", "30d", "365d"];

/// Plain predicates `k0`, `k1` and temporal ones `t0`, `t1`, …: facts, then rules.
pub(super) fn program(random: &mut Random) -> Vec<String> {
    let mut text = String::new();
    let temporal = 2 + random.below(3);
    for at in 0..temporal {
        let _ = writeln!(text, "Decl t{at}(X) temporal bound [/name].");
    }
    for at in 0..2 {
        for name in NAMES {
            if chance(random, 60) {
                let _ = writeln!(text, "k{at}({name}).");
            }
        }
        let _ = writeln!(text, "k{at}(/z).");
    }
    let _ = writeln!(text, "q0(X) :- k0(X), k1(X).\nq1(X) :- q0(X).");
    let with_facts = 1 + random.below(temporal);
    for at in 0..with_facts {
        for _ in 0..1 + random.below(3) {
            let _ = writeln!(text, "t{at}({}){}.", pick(random, NAMES), fact_interval(random));
        }
    }
    for _ in 0..1 + random.below(4) {
        let rule = rule(random, temporal);
        let _ = writeln!(text, "{rule}");
    }
    vec![text]
}

fn fact_interval(random: &mut Random) -> String {
    let (one, other) = (random.below(INSTANTS.len()), random.below(INSTANTS.len()));
    let (start, end) = (INSTANTS[one.min(other)], INSTANTS[one.max(other)]);
    match random.below(12) {
        0 => format!("@[{start}]"),
        1 => format!("@[_, {end}]"),
        2 | 3 => format!("@[{start}, _]"),
        4 => "@[_, _]".to_owned(),
        5 if chance(random, 30) => "@[now]".to_owned(),
        6 if chance(random, 20) => format!("@[{end}, {start}]"),
        _ => format!("@[{start}, {end}]"),
    }
}

/// A rule whose head is temporal or plain.
fn rule(random: &mut Random, temporal: usize) -> String {
    let is_temporal = chance(random, 55);
    let target = random.below(temporal);
    let mut body = Body::default();
    for _ in 0..1 + random.below(3) {
        body.premise(random, temporal, is_temporal.then_some(target));
    }
    if !body.binds_x {
        body.premises.push("k0(X)".to_owned());
    }
    if chance(random, 15) {
        let negated = if chance(random, 50) { "!k1(X)" } else { "!q0(X)" };
        let at = random.below(body.premises.len() + 1);
        body.premises.insert(at, negated.to_owned());
    }
    let uses_times = !body.times.is_empty();
    if uses_times && chance(random, 20) {
        let time = body.times[random.below(body.times.len())].clone();
        let other = body.times[random.below(body.times.len())].clone();
        body.premises.push(match random.below(4) {
            0 => format!(":time:lt({time}, {other})"),
            1 => format!(":time:le({time}, {other})"),
            2 => format!("{time} != {other}"),
            _ => format!("D = fn:time:sub({time}, {other}), :duration:ge(D, D)"),
        });
    }
    let head = if is_temporal {
        format!("t{target}(X){}", head_interval(random, &body.times))
    } else if uses_times && chance(random, 35) {
        format!("r{}(X, {})", body.times.len().min(2), body.times[random.below(body.times.len())])
    } else {
        format!("q{}(X)", random.below(2))
    };
    format!("{head} :- {}.", body.premises.join(", "))
}

#[derive(Default)]
struct Body {
    premises: Vec<String>,
    binds_x: bool,
    /// The variables of intervals.
    times: Vec<String>,
}

impl Body {
    fn premise(&mut self, random: &mut Random, temporal: usize, own: Option<usize>) {
        if chance(random, 30) {
            self.binds_x = true;
            self.premises.push(format!("{}(X)", pick(random, &["k0", "k1", "q0", "q1"])));
            return;
        }
        // Recursion of several temporal predicates is rejected.
        let at = match own {
            Some(own) if chance(random, 40) => own,
            Some(own) if own > 0 => random.below(own),
            Some(own) => own,
            None => random.below(temporal),
        };
        let argument = if chance(random, 10) { pick(random, NAMES).to_owned() } else { "X".to_owned() };
        self.binds_x |= argument == "X";
        let atom = format!("t{at}({argument})");
        let premise = match random.below(10) {
            0..3 => {
                let operator = pick(random, &["<-", "[-", "<-", "[-", "<+", "[+"]);
                let (one, other) = (random.below(LENGTHS.len()), random.below(LENGTHS.len()));
                let (near, far) = (LENGTHS[one.min(other)], LENGTHS[one.max(other)]);
                let near = if chance(random, 8) { "now" } else { near };
                format!("{operator}[{near}, {far}] {atom}")
            }
            3 if chance(random, 30) => format!("!{atom}"),
            3 if chance(random, 20) => atom,
            _ => format!("{atom}{}", self.interval(random)),
        };
        self.premises.push(premise);
    }

    fn interval(&mut self, random: &mut Random) -> String {
        let (start, end) = (self.bound(random), self.bound(random));
        if chance(random, 20) { format!("@[{start}]") } else { format!("@[{start}, {end}]") }
    }

    fn bound(&mut self, random: &mut Random) -> String {
        match random.below(10) {
            0 => "_".to_owned(),
            1 => "now".to_owned(),
            2 => pick(random, INSTANTS).to_owned(),
            3 if !self.times.is_empty() => self.times[random.below(self.times.len())].clone(),
            4 if chance(random, 15) => pick(random, LENGTHS).to_owned(),
            _ => {
                let name = format!("T{}", self.times.len());
                self.times.push(name.clone());
                name
            }
        }
    }
}

fn head_interval(random: &mut Random, times: &[String]) -> String {
    let mut bound = |open: &str| match random.below(8) {
        0 => open.to_owned(),
        1 => "now".to_owned(),
        2 => pick(random, INSTANTS).to_owned(),
        3 if chance(random, 10) => pick(random, LENGTHS).to_owned(),
        _ if !times.is_empty() => times[random.below(times.len())].clone(),
        _ => pick(random, INSTANTS).to_owned(),
    };
    let (start, end) = (bound("_"), bound("_"));
    if chance(random, 15) { format!("@[{start}]") } else { format!("@[{start}, {end}]") }
}
